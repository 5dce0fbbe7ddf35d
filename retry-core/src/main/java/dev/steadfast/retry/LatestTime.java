package dev.steadfast.retry;

import org.jspecify.annotations.Nullable;

/** The time at which an account, or any account of a budget, was last asked for a retry. */
final class LatestTime {
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
    nanos = nowNanos;
    if (ofAll != null) {
      ofAll.nanos = nowNanos;
    }
  }

  long nanos() {
    return nanos;
  }
}
