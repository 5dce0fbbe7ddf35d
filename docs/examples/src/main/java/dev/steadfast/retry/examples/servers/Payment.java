package dev.steadfast.retry.examples.servers;

/**
 * What a client asks for.
 *
 * @param intent what the payment is for: two payments with one intent are one too many
 */
record Payment(String intent, long amount) {}
