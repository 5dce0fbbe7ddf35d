package dev.steadfast.retry.examples;

import java.util.HashSet;
import java.util.Set;

/** What arrived at the server, whatever became of it. Safe for use by many threads. */
final class Arrivals {
  private final Set<String> attempts = new HashSet<>();
  private int requests;
  private int refusedStreams;

  /** A request arrived. */
  synchronized void request(Order order) {
    requests++;
    attempts.add(order.payment() + "#" + order.attempt());
  }

  /** A stream was refused before its request was read. */
  synchronized void refusedStream() {
    refusedStreams++;
  }

  /** How many different attempts arrived and were read. */
  synchronized int attempts() {
    return attempts.size();
  }

  /** How many requests carried the number of an attempt that had arrived before. */
  synchronized int repeated() {
    return requests - attempts.size();
  }

  /** How many streams were refused. */
  synchronized int refusedStreams() {
    return refusedStreams;
  }
}
