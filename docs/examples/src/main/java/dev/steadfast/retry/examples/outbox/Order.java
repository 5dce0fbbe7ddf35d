package dev.steadfast.retry.examples.outbox;

/** What a customer has ordered, and has to pay. */
record Order(String id, String account, long amount) {}
