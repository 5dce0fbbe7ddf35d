package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.http.HttpOperation;
import org.jspecify.annotations.Nullable;

/**
 * How an exception went out to code of the user's. That may catch it, send the request by other
 * means, and throw it again: the object is the same, and proves nothing any more. Sending takes
 * time, and passing an exception on does not.
 *
 * @param atNanos when
 * @param suppressed how many exceptions it had suppressed
 */
record Departure(long atNanos, int suppressed) {
  // Why it is like this: docs/decisions/stale-connections.md
  private static final long PASSED_ON_NANOS = 1_000_000;

  static Departure of(Throwable thrown, HttpOperation operation) {
    return new Departure(nowNanos(operation), thrown.getSuppressed().length);
  }

  /** Whether so much time has passed that something may have been sent. */
  static boolean isLongAgo(@Nullable Departure departure, HttpOperation operation) {
    return departure == null || nowNanos(operation) - departure.atNanos > PASSED_ON_NANOS;
  }

  /** Whether code of the user's may have done more than to pass on what it throws. */
  static boolean mayHaveSent(
      @Nullable Departure departure, Throwable thrown, HttpOperation operation) {
    return departure == null
        || isLongAgo(departure, operation)
        || thrown.getSuppressed().length != departure.suppressed;
  }

  private static long nowNanos(HttpOperation operation) {
    return operation.plan().environment().ticker().getAsLong();
  }
}
