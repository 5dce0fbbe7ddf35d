package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.engine.RepeatableLoop;
import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.http.RetryOptions;
import java.util.Arrays;
import java.util.Objects;
import okhttp3.Request;
import okhttp3.RequestBody;
import org.jspecify.annotations.Nullable;

/**
 * An operation whose request may come by again in its call.
 *
 * @param operation the operation, for the latest form of its request
 * @param request the request as it came by
 * @param loop the loop, which goes on
 * @param watch ends its waits when the call is cancelled
 */
record OpenOperation(
    HttpOperation operation, Request request, RepeatableLoop<OkHttpAnswer> loop, CancelWatch watch)
    implements AutoCloseable {
  private static final int MOST_COMPARED_BYTES = 1 << 20;

  /**
   * This operation with a request that comes by now.
   *
   * @return null if that is another one: its method, its URL or its body differs, or it has a key
   *     of its own. Credentials and other headers may differ.
   */
  @Nullable OpenOperation again(Request now, RetryOptions options) {
    boolean sameTarget = now.method().equals(request.method()) && now.url().equals(request.url());
    if (!sameTarget || !hasSameBody(now, request)) {
      return null;
    }
    HttpOperation same = operation.again(new CallersRequest(now), options);
    return same == null ? null : new OpenOperation(same, now, loop, watch);
  }

  // A body of another class than OkHttp's may be a stream, and reading it here would leave nothing
  // to send.
  private static boolean hasSameBody(Request now, Request before) {
    RequestBody one = now.body();
    RequestBody other = before.body();
    if (one == null || other == null || one.equals(other)) {
      return Objects.equals(one, other);
    }
    byte[] bytes =
        CallersBody.keepsItsBytes(one) && CallersBody.keepsItsBytes(other) ? bytes(now) : null;
    return bytes != null && Arrays.equals(bytes, bytes(before));
  }

  /** The bytes of a body, null if they are too many or cannot be read. */
  private static byte @Nullable [] bytes(Request request) {
    return new CallersRequest(request).body(MOST_COMPARED_BYTES).orElse(null);
  }

  @Override
  public void close() {
    loop.close();
  }
}
