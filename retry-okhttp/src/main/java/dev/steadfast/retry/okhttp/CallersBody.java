package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.engine.RequestBodyChangedException;
import dev.steadfast.retry.engine.SentBody;
import java.io.IOException;
import okhttp3.MultipartBody;
import okhttp3.Request;
import okhttp3.RequestBody;
import org.jspecify.annotations.Nullable;

/**
 * The request body of an operation that is watched on the wire, so that interceptors see the
 * caller's own object.
 *
 * <p>A body of OkHttp's own classes that has a known length of at most 64 KiB is not watched: it
 * has its bytes in memory or in a file, yields them each time, and is written at once. So the usual
 * JSON costs nothing. A short body of any other class is watched, too: a stream may be short, and
 * the sum of a few bytes costs less than a microsecond.
 */
final class CallersBody {
  // A body that fits into the buffers of a connection counts as sent at once.
  private static final long SHORT_BYTES = 64 * 1024;

  private final Request callers;
  private final RequestBody body;
  private final SentBody sent;

  private CallersBody(Request callers, RequestBody body) {
    this.callers = callers;
    this.body = body;
    this.sent = new SentBody(body, () -> !body.isOneShot());
  }

  /** Watches the body of an operation; null if it has none that must be watched. */
  static @Nullable CallersBody of(Request callers) {
    RequestBody body = callers.body();
    return body == null || (!body.isOneShot() && isShort(body) && keepsItsBytes(body))
        ? null
        : new CallersBody(callers, body);
  }

  private static boolean isShort(RequestBody body) {
    try {
      long length = body.contentLength();
      return length >= 0 && length <= SHORT_BYTES;
    } catch (IOException unknown) {
      return false; // OkHttp asks again, and fails the attempt
    }
  }

  // Compares names, because most of these classes are not public. They may have other names in an
  // app that was shrunk. Then their bodies are watched, too.
  static boolean keepsItsBytes(RequestBody body) {
    if (body instanceof MultipartBody multipart) {
      return multipart.parts().stream().allMatch(part -> keepsItsBytes(part.body()));
    }
    return body.getClass().getName().startsWith("okhttp3.");
  }

  /** The record of the bytes that were sent. */
  SentBody sent() {
    return sent;
  }

  /**
   * The request with a body that is watched, if it has the body of the operation or one that an
   * interceptor has put around that.
   *
   * @param onWire a request that goes out now
   * @throws RequestBodyChangedException if its body is known to differ from the one that was sent
   *     before
   */
  Request watched(Request onWire, WatchedBody.Wire wire) throws IOException {
    RequestBody now = onWire.body();
    if (now == null || !(isOwn(now) || hasSameTarget(onWire))) {
      return onWire;
    }
    if (!isOwn(now) && body.isOneShot() && !sent.hasBegun() && wire.repeats()) {
      // An interceptor made this one in each attempt, and may have read the only copy in the first.
      throw sent.changed("the body can be read once, and an interceptor may have read it");
    }
    sent.pass(now, wire, now.contentLength()).check();
    RequestBody watched = new WatchedBody(now, sent, wire);
    return onWire.newBuilder().method(onWire.method(), watched).build();
  }

  private boolean isOwn(RequestBody now) {
    return RequestTrace.same(now, body);
  }

  private boolean hasSameTarget(Request onWire) {
    return onWire.method().equals(callers.method()) && onWire.url().equals(callers.url());
  }
}
