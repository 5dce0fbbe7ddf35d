package dev.steadfast.retry.okhttp;

import okio.Timeout;

/** What the timeout of a call leaves for an operation. */
final class CallTimeouts {
  private CallTimeouts() {}

  /**
   * The bound from now on.
   *
   * @return nanoseconds, 0 if a deadline has passed; {@link Long#MAX_VALUE} for none
   */
  static long boundNanos(Timeout timeout) {
    long own = timeout.timeoutNanos();
    long bound = own == 0 ? Long.MAX_VALUE : own;
    if (!timeout.hasDeadline()) {
      return bound;
    }
    // Okio's deadlines are of this clock, whatever measures the operation.
    long left = timeout.deadlineNanoTime() - System.nanoTime();
    return Math.max(0, Math.min(bound, left));
  }
}
