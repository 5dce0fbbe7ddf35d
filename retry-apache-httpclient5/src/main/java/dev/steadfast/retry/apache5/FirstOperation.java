package dev.steadfast.retry.apache5;

import dev.steadfast.retry.engine.SentBody;
import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RetryOptions;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.jspecify.annotations.Nullable;

/**
 * The first operation of a call. A handler around ours may send its request again, which then keeps
 * its key and its deadline. The handler may make other calls with the same context meanwhile, such
 * as for a token. So a few calls before it are kept, too.
 *
 * @param runtime tells calls apart: each has its own
 * @param before the call that began before it with this context
 */
record FirstOperation(
    Object runtime,
    HttpOperation operation,
    HttpRequest request,
    long startNanos,
    @Nullable FirstOperation before) {
  private static final String CALL = "dev.steadfast.retry.call";
  private static final int MOST_BEFORE = 3; // a context may serve any number of calls

  /**
   * The operation of a request that comes by now.
   *
   * @param body its body, null if it need not be watched
   * @param spentNanos how long ago the first operation of its call began
   */
  record Now(HttpOperation operation, @Nullable SentBody body, long spentNanos) {}

  static Now operation(
      HttpRetry retry, Apache5Views.OfRequest view, HttpContext context, Object runtime) {
    RetryOptions options = Apache5Retry.options(context);
    long now = retry.environment().ticker().getAsLong();
    FirstOperation earlier = in(context, runtime);
    HttpOperation again = earlier == null ? null : earlier.again(view, options);
    if (earlier != null && again != null) {
      return new Now(again, view.sent(), now - earlier.startNanos);
    }
    HttpOperation operation = retry.operation(view, options);
    FirstOperation before = latest(of(context), MOST_BEFORE);
    context.setAttribute(CALL, new FirstOperation(runtime, operation, view.request(), now, before));
    return new Now(operation, view.sent(), 0);
  }

  private static @Nullable FirstOperation of(HttpContext context) {
    return context.getAttribute(CALL) instanceof FirstOperation earlier ? earlier : null;
  }

  @SuppressWarnings("ReferenceEquality") // the very runtime of this call
  private static @Nullable FirstOperation in(HttpContext context, Object runtime) {
    FirstOperation earlier = of(context);
    while (earlier != null && earlier.runtime != runtime) {
      earlier = earlier.before;
    }
    return earlier;
  }

  private static @Nullable FirstOperation latest(@Nullable FirstOperation call, int most) {
    return call == null || most == 0
        ? null
        : new FirstOperation(
            call.runtime,
            call.operation,
            call.request,
            call.startNanos,
            latest(call.before, most - 1));
  }

  /** The operation for a request that comes by now; null if it is another one. */
  private @Nullable HttpOperation again(Apache5Views.OfRequest now, RetryOptions options) {
    return Apache5Views.sameTarget(request, now.request()) ? operation.again(now, options) : null;
  }
}
