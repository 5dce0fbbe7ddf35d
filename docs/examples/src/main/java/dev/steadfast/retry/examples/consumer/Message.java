package dev.steadfast.retry.examples.consumer;

/**
 * A message that asks for a payment.
 *
 * @param id the same at each delivery
 */
record Message(long id, String account, long amount) {}
