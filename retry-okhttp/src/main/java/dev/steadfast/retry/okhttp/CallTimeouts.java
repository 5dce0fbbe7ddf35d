package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.http.HttpRetry;
import okhttp3.OkHttpClient;
import okio.Timeout;

/** What the timeout of a call leaves for an operation. */
final class CallTimeouts {
  private CallTimeouts() {}

  /** Refuses an adaptive limit if neither the client nor the policy has a timeout. */
  static void requireEndOfAttempts(OkHttpClient client, HttpRetry retry) {
    boolean byClient = client.readTimeoutMillis() > 0 || client.callTimeoutMillis() > 0;
    retry.plan().requireEndOfAttempts(byClient);
  }

  /**
   * The bound from now on, of a call that starts now.
   *
   * @return nanoseconds, 0 if a deadline has passed; {@link Long#MAX_VALUE} for none
   */
  static long boundNanos(Timeout timeout) {
    return boundNanos(timeout, 0);
  }

  /**
   * The bound from now on.
   *
   * @param elapsedNanos how long the call has been running
   * @return nanoseconds, 0 if the time is up; {@link Long#MAX_VALUE} for none
   */
  static long boundNanos(Timeout timeout, long elapsedNanos) {
    long own = timeout.timeoutNanos();
    long bound = own == 0 ? Long.MAX_VALUE : Math.max(0, own - elapsedNanos);
    if (!timeout.hasDeadline()) {
      return bound;
    }
    // Okio's deadlines are of this clock, whatever measures the operation.
    long left = timeout.deadlineNanoTime() - System.nanoTime();
    return Math.max(0, Math.min(bound, left));
  }

  /** Sets a deadline so long from now. */
  static void deadlineIn(Timeout timeout, long nanos) {
    // Okio's deadlines are of this clock, whatever measures the operation.
    timeout.deadlineNanoTime(System.nanoTime() + nanos);
  }
}
