/**
 * Servers that know a repeated request in other ways than the payments service does.
 *
 * <p>Each {@code Service} is one way, and is read by itself. What they share is a {@code Ledger},
 * which shows whether a payment was made twice. Customers are left out: the payments service in the
 * package {@code payments} shows that keys belong to the one who sends them.
 */
package dev.steadfast.retry.examples.servers;
