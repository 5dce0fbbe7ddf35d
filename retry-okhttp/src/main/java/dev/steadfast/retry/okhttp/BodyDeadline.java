package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.engine.CallContext;
import dev.steadfast.retry.http.HttpOperation;
import java.util.function.LongSupplier;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * The deadline that was set for one operation, by its options or by the scope that it is made in:
 * it holds while the caller reads the body, too.
 */
final class BodyDeadline {
  private final LongSupplier ticker;
  private final long endNanos;

  private BodyDeadline(LongSupplier ticker, long nanos) {
    this.ticker = ticker;
    this.endNanos = ticker.getAsLong() + nanos;
  }

  /**
   * The deadline of an operation that begins now, null if it has none.
   *
   * @param spentNanos how much of the time of its options is over
   */
  static @Nullable BodyDeadline of(HttpOperation operation, long spentNanos) {
    CallContext scope = operation.plan().callContext();
    long bound = CallTimeouts.leftNanos(operation.boundNanos(), spentNanos);
    if (scope != null) {
      bound = Math.min(bound, scope.remainingNanos());
    }
    return bound == Long.MAX_VALUE
        ? null
        : new BodyDeadline(operation.plan().environment().ticker(), bound);
  }

  /** Sets it on the body of a response. */
  void bound(Response response) {
    if (OkHttpViews.hasBodyOfNetwork(response)) {
      CallTimeouts.deadlineIn(response.body().source().timeout(), leftNanos());
    }
  }

  long leftNanos() {
    return Math.max(0, endNanos - ticker.getAsLong());
  }
}
