package dev.steadfast.retry.simulator;

import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.limit.QuotaPacing;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A server with a quota, and those who call it. Immutable.
 *
 * @param server what it accepts
 * @param clients how many processes share the quota
 * @param workers the threads of each, which call as fast as they may
 * @param policy the policy of all clients
 */
record QuotaSpec(Server server, int clients, int workers, RetryPolicy policy) {
  /** The windows that are counted; the one before them begins somewhere within. */
  static final int WINDOWS = 10;

  /** The time on the way to the server and back, on average. */
  static final double LATENCY_NANOS = 20 * Durations.MILLI;

  /** The time between two calls of a thread, on average. */
  static final double PAUSE_NANOS = 10 * Durations.MILLI;

  /**
   * The quota that a server accepts.
   *
   * @param requests how many
   * @param windowNanos in which time
   * @param sliding whether that time may begin anywhere; otherwise one window follows another
   * @param tells whether answers have the headers {@code RateLimit} and {@code RateLimit-Policy}
   */
  record Server(int requests, long windowNanos, boolean sliding, boolean tells) {}

  /**
   * The rule that clients follow.
   *
   * @param name names the row
   * @param requests the part of the quota that a client names, 0 if it names none
   * @param paced whether there is pacing at all
   */
  record Rule(String name, int requests, boolean paced) {
    @Nullable QuotaPacing pacing(QuotaSpec spec) {
      if (!paced) {
        return null;
      }
      QuotaPacing.Builder builder = QuotaPacing.builder();
      if (requests > 0) {
        builder.quota(requests, Duration.ofNanos(spec.server().windowNanos()));
      }
      return builder.build();
    }
  }

  long endNanos() {
    return (WINDOWS + 1) * server.windowNanos();
  }
}
