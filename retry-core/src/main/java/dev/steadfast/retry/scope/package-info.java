/**
 * The scope of an inbound request: whether calls that are made on its behalf may retry, how much
 * time they have, and the idempotency key from which they can derive their own. A scope is carried
 * through a process and from one service to the next.
 */
@NullMarked
package dev.steadfast.retry.scope;

import org.jspecify.annotations.NullMarked;
