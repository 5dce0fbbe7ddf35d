package dev.steadfast.retry;

import org.jspecify.annotations.Nullable;

/**
 * The time at which an account, or any account of a budget, was last asked for a retry; up to 10 ms
 * too early.
 */
final class LatestTime {
  // A write that many threads share is slow, and nobody needs the time to the millisecond.
  private static final long STEP_NANOS = 10_000_000;

  private final @Nullable LatestTime ofAll;
  private volatile long nanos;

  /** Creates the time of a whole budget. */
  LatestTime() {
    this.ofAll = null;
  }

  /** Creates the time of one account of the budget. */
  LatestTime(LatestTime ofAll) {
    this.ofAll = ofAll;
  }

  void asked(long nowNanos) {
    long since = nowNanos - nanos;
    if (since < STEP_NANOS && since > -STEP_NANOS) {
      return;
    }
    nanos = nowNanos;
    if (ofAll != null) {
      ofAll.asked(nowNanos);
    }
  }

  long nanos() {
    return nanos;
  }
}
