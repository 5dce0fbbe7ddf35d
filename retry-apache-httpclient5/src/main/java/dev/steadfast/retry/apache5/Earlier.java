package dev.steadfast.retry.apache5;

import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.http.RequestView;
import dev.steadfast.retry.http.RetryOptions;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.jspecify.annotations.Nullable;

/**
 * The first operation of a call, kept for a handler around ours that sends its request again.
 *
 * @param runtime tells calls apart: each has its own
 */
record Earlier(Object runtime, HttpOperation operation, HttpRequest request, long startNanos) {
  private static final String CALL = "dev.steadfast.retry.call";

  @SuppressWarnings("ReferenceEquality") // the very runtime of this call
  static @Nullable Earlier in(HttpContext context, Object runtime) {
    return context.getAttribute(CALL) instanceof Earlier earlier && earlier.runtime == runtime
        ? earlier
        : null;
  }

  void keepIn(HttpContext context) {
    context.setAttribute(CALL, this);
  }

  /** The operation for a request that comes by now; null if it is another one. */
  @Nullable HttpOperation again(HttpRequest now, RequestView view, RetryOptions options) {
    return Apache5Views.sameTarget(request, now) ? operation.again(view, options) : null;
  }
}
