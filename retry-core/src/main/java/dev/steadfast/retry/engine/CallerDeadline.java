package dev.steadfast.retry.engine;

/**
 * The deadline of this process's own caller, as a part of an operation's bound. An attempt that
 * this time cuts off does not count as a failure.
 */
final class CallerDeadline {
  private final long nanos;

  CallerDeadline(long nanos) {
    this.nanos = nanos;
  }

  /** Whether another deadline comes first. Both may wrap: only their difference is used. */
  boolean isAfter(long otherNanos) {
    return otherNanos - nanos < 0;
  }

  /** Whether too little is left for an attempt. Clients round times, so it need not have passed. */
  boolean isReached(long nowNanos, long minimumAttemptNanos) {
    long left = nanos - nowNanos;
    return left <= 0 || left < minimumAttemptNanos;
  }
}
