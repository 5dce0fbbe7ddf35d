/**
 * What one request imposes on the calls that are made on its behalf: not to retry, a deadline, and
 * the idempotency key that theirs derive from; through a process and across hops.
 */
@NullMarked
package dev.steadfast.retry.scope;

import org.jspecify.annotations.NullMarked;
