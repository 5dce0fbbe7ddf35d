package dev.steadfast.retry.apache5;

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
 * @param spentNanos how long ago its call began, when it was made
 * @param before the call that began before it with this context
 */
record FirstOperation(
    Object runtime,
    HttpOperation operation,
    HttpRequest request,
    long startNanos,
    long spentNanos,
    @Nullable FirstOperation before) {
  private static final String CALL = "dev.steadfast.retry.call";
  private static final int MOST_BEFORE = 3; // a context may serve any number of calls

  /** The operation of a request that comes by now. */
  static FirstOperation of(
      HttpRetry retry, Apache5Views.OfRequest view, HttpContext context, Object runtime) {
    RetryOptions options = Apache5Retry.options(context);
    long now = retry.environment().ticker().getAsLong();
    FirstOperation earlier = in(context, runtime);
    HttpOperation again = earlier == null ? null : earlier.again(view, options);
    if (earlier != null && again != null) {
      long spent = now - earlier.startNanos;
      return new FirstOperation(runtime, again, view.request(), now, spent, null);
    }
    HttpOperation operation = retry.operation(view, options);
    FirstOperation before = latest(of(context), MOST_BEFORE);
    FirstOperation first = new FirstOperation(runtime, operation, view.request(), now, 0, before);
    context.setAttribute(CALL, first);
    return first;
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
            call.spentNanos,
            latest(call.before, most - 1));
  }

  /** The operation for a request that comes by now; null if it is another one. */
  private @Nullable HttpOperation again(Apache5Views.OfRequest now, RetryOptions options) {
    return Apache5Views.sameTarget(request, now.request()) ? operation.again(now, options) : null;
  }
}
