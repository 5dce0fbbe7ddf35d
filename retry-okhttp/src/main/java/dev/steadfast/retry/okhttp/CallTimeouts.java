package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.TimeLimit;
import dev.steadfast.retry.engine.BodyDeadline;
import dev.steadfast.retry.engine.TimeUp;
import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.internal.Durations;
import java.io.IOException;
import java.io.InterruptedIOException;
import okhttp3.OkHttpClient;
import okhttp3.Response;
import okio.Timeout;
import org.jspecify.annotations.Nullable;

/** The time that the timeout of a call leaves for an operation. */
final class CallTimeouts {
  private static final long ROUNDED_NANOS = 1_000_000;

  private CallTimeouts() {}

  /** Refuses an adaptive limit if neither the client nor the policy has a timeout. */
  static void requireEndOfAttempts(OkHttpClient client, HttpRetry retry) {
    boolean byClient = client.readTimeoutMillis() > 0 || client.callTimeoutMillis() > 0;
    retry.plan().requireEndOfAttempts(byClient, client.writeTimeoutMillis() > 0);
  }

  /** OkHttp's exception for a timeout. The message names the limit if that is one of ours. */
  static IOException timeout(@Nullable TimeUp limit) {
    boolean byClient = limit == null || limit.limit() == TimeLimit.CLIENT_TIMEOUT;
    return new InterruptedIOException(byClient ? "timeout" : "timeout: " + limit);
  }

  /** OkHttp's exception for an interrupt. The thread stays interrupted. */
  static IOException interrupted() {
    Thread.currentThread().interrupt();
    return new InterruptedIOException("interrupted");
  }

  /** The limit that is reached: the deadline of the options, if there is one, or the call's own. */
  static TimeLimit boundLimit(@Nullable BodyDeadline deadline) {
    boolean own = deadline != null && deadline.leftNanos() <= ROUNDED_NANOS;
    return own ? TimeLimit.DEADLINE : TimeLimit.CLIENT_TIMEOUT;
  }

  /**
   * The time that a call has if it starts now.
   *
   * @return nanoseconds, 0 if a deadline has passed; {@link Long#MAX_VALUE} for none
   */
  static long boundNanos(Timeout timeout) {
    return boundNanos(timeout, 0);
  }

  /**
   * The time that a call has left.
   *
   * @param elapsedNanos how long the call has been running
   * @return nanoseconds, 0 if the time is up; {@link Long#MAX_VALUE} for none
   */
  static long boundNanos(Timeout timeout, long elapsedNanos) {
    long own = timeout.timeoutNanos();
    long bound = Durations.left(own == 0 ? Long.MAX_VALUE : own, elapsedNanos);
    return Math.min(bound, deadlineLeftNanos(timeout));
  }

  /** The time until the deadline, if there is one, as {@link #boundNanos(Timeout)}. */
  static long deadlineLeftNanos(Timeout timeout) {
    if (!timeout.hasDeadline()) {
      return Long.MAX_VALUE;
    }
    // Okio's deadlines are of this clock, whatever measures the operation.
    return Math.max(0, timeout.deadlineNanoTime() - System.nanoTime());
  }

  /** The deadline of an operation, which holds for its body, too; null if it has none. */
  static @Nullable BodyDeadline bodyDeadline(HttpOperation operation, long spentNanos) {
    return BodyDeadline.of(operation.plan(), Durations.left(operation.boundNanos(), spentNanos));
  }

  /** Sets a deadline on the body of a response, if there is one. */
  static void bound(Response response, @Nullable BodyDeadline deadline) {
    if (deadline != null && OkHttpViews.hasBodyOfNetwork(response)) {
      deadlineIn(response.body().source().timeout(), deadline.leftNanos());
    }
  }

  /** Sets a deadline that many nanoseconds from now. */
  static void deadlineIn(Timeout timeout, long nanos) {
    // Okio's deadlines are of this clock, whatever measures the operation.
    timeout.deadlineNanoTime(System.nanoTime() + nanos);
  }
}
