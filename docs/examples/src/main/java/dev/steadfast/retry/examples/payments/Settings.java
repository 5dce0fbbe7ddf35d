package dev.steadfast.retry.examples.payments;

import java.time.Duration;
import java.util.function.Function;

/**
 * Times of the service.
 *
 * @param lease how long a request may hold a key before it counts as dead: well above the longest
 *     that a payment takes, since the same key answers 409 for so long after a crash
 * @param retention how long the answer of a principal's request is kept. Clients retry within it,
 *     so it is part of the API's contract
 * @param sweepEvery how often rows that are over are deleted
 */
public record Settings(Duration lease, Function<String, Duration> retention, Duration sweepEvery) {

  /** A lease of 30 s, a retention of 24 h for everybody, and a sweep per minute. */
  public static Settings defaults() {
    return new Settings(
        Duration.ofSeconds(30), principal -> Duration.ofHours(24), Duration.ofMinutes(1));
  }
}
