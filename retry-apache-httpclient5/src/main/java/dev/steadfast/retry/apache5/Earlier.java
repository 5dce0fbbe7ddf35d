package dev.steadfast.retry.apache5;

import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.internal.Durations;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.jspecify.annotations.Nullable;

/**
 * The first operation of a call, kept for a handler around ours that sends its request again: that
 * keeps its key and its deadline.
 *
 * @param runtime tells calls apart: each has its own
 */
record Earlier(Object runtime, HttpOperation operation, HttpRequest request, long startNanos) {
  private static final String CALL = "dev.steadfast.retry.call";

  /**
   * The operation of a request that comes by now.
   *
   * @param spentNanos how long ago the first operation of its call began
   */
  record Now(HttpOperation operation, long spentNanos) {
    /** What is left of the time that the options give the call. */
    long boundNanos() {
      return Durations.left(operation.boundNanos(), spentNanos);
    }
  }

  static Now operation(
      HttpRetry retry, Apache5Views.OfRequest view, HttpContext context, Object runtime) {
    RetryOptions options = Apache5Retry.options(context);
    long now = retry.environment().ticker().getAsLong();
    Earlier earlier = in(context, runtime);
    HttpOperation again = earlier == null ? null : earlier.again(view, options);
    if (earlier != null && again != null) {
      return new Now(again, now - earlier.startNanos);
    }
    HttpOperation operation = retry.operation(view, options);
    context.setAttribute(CALL, new Earlier(runtime, operation, view.request(), now));
    return new Now(operation, 0);
  }

  @SuppressWarnings("ReferenceEquality") // the very runtime of this call
  private static @Nullable Earlier in(HttpContext context, Object runtime) {
    return context.getAttribute(CALL) instanceof Earlier earlier && earlier.runtime == runtime
        ? earlier
        : null;
  }

  /** The operation for a request that comes by now; null if it is another one. */
  private @Nullable HttpOperation again(Apache5Views.OfRequest now, RetryOptions options) {
    return Apache5Views.sameTarget(request, now.request()) ? operation.again(now, options) : null;
  }
}
