package dev.steadfast.retry.okhttp;

import java.io.IOException;
import okhttp3.MultipartBody;
import okhttp3.Request;
import okhttp3.RequestBody;
import org.jspecify.annotations.Nullable;

/**
 * The request body of one operation: whether it was sent, and what it was then. A body may say that
 * it can be written again and then yield nothing, because its stream has been read. So what it
 * yields is counted and summed up on its first way to the wire, and compared on each later one.
 *
 * <p>It is watched on the wire, so that interceptors see the caller's own object. Not watched is a
 * body of OkHttp's own classes that has a known length of at most 64 KiB: it has its bytes in
 * memory or in a file, yields them each time, and is written at once. So the usual JSON costs
 * nothing. A short body of any other class is watched, too: a stream may be short, and the sum of a
 * few bytes costs less than a microsecond.
 *
 * <p>Safe for use by many threads: an attempt that was given up may still write.
 */
final class SentBody implements BodyPass.Body {
  // A body that fits into the buffers of a connection counts as sent at once.
  private static final long SHORT_BYTES = 64 * 1024;

  private final Request callers;
  private final RequestBody body;

  private volatile boolean written;
  private volatile @Nullable BodyChangedException changed;

  // Guarded by this: the bytes of the longest way to the wire so far.
  private long bytes;
  private int sum;
  private boolean whole;
  private @Nullable Object kind; // what yielded it: the body, or the class of one around it
  private WatchedBody.@Nullable Wire attempt; // the first that sent it

  private SentBody(Request callers, RequestBody body) {
    this.callers = callers;
    this.body = body;
  }

  /** Watches the body of an operation; null if it has none that must be watched. */
  static @Nullable SentBody of(Request callers) {
    RequestBody body = callers.body();
    return body == null || (!body.isOneShot() && isShort(body) && keepsItsBytes(body))
        ? null
        : new SentBody(callers, body);
  }

  private static boolean isShort(RequestBody body) {
    try {
      long length = body.contentLength();
      return length >= 0 && length <= SHORT_BYTES;
    } catch (IOException unknown) {
      return false; // OkHttp asks again, and fails the attempt
    }
  }

  // Compares the name, because most of these classes are not public. An app that was shrunk may
  // have other
  // names; there they are watched.
  static boolean keepsItsBytes(RequestBody body) {
    if (body instanceof MultipartBody multipart) {
      return multipart.parts().stream().allMatch(part -> keepsItsBytes(part.body()));
    }
    return body.getClass().getName().startsWith("okhttp3.");
  }

  /** Whether it cannot be sent again. */
  boolean spent() {
    return changed != null || (written && body.isOneShot());
  }

  /** Not null if it has yielded other bytes than before. */
  @Nullable BodyChangedException changed() {
    return changed;
  }

  /**
   * The request with a body that is watched, if it has the body of the operation or one that an
   * interceptor has put around that.
   *
   * @param onWire a request that goes out now
   * @throws BodyChangedException if its body is known to differ from the one that was sent before
   */
  Request watched(Request onWire, WatchedBody.Wire wire) throws IOException {
    RequestBody sent = onWire.body();
    if (sent == null || !(isOwn(sent) || hasSameTarget(onWire))) {
      return onWire;
    }
    if (!isOwn(sent) && body.isOneShot() && !written && wire.repeats()) {
      // An interceptor made this one in each attempt, and may have read the only copy in the first.
      throw changed("the body can be read once, and an interceptor may have read it");
    }
    BodyPass pass = pass(sent, wire);
    pass.begin(sent.contentLength());
    RequestBody watched = new WatchedBody(sent, pass, wire);
    return onWire.newBuilder().method(onWire.method(), watched).build();
  }

  private boolean isOwn(RequestBody sent) {
    return RequestTrace.same(sent, body);
  }

  private boolean hasSameTarget(Request onWire) {
    return onWire.method().equals(callers.method()) && onWire.url().equals(callers.url());
  }

  /**
   * The wrapper that an interceptor has put around the body may differ from request to request
   * within an attempt, as with plain OkHttp. It is compared with that of an earlier attempt.
   */
  private synchronized BodyPass pass(RequestBody sent, WatchedBody.Wire wire) {
    Object now = isOwn(sent) ? body : sent.getClass();
    boolean first = kind == null;
    if (first) {
      kind = now;
      attempt = wire;
    }
    boolean compared = now.equals(kind) && (isOwn(sent) || !RequestTrace.same(attempt, wire));
    return new BodyPass(this, first || compared ? new BodyPass.Yield(bytes, sum, whole) : null);
  }

  @Override
  public void isWritten() {
    written = true;
  }

  @Override
  public synchronized void passed(long newBytes, int newSum) {
    if (!whole && newBytes > bytes) {
      bytes = newBytes;
      sum = newSum;
    }
  }

  @Override
  public synchronized void ended(long allBytes) {
    whole |= allBytes == bytes;
  }

  @Override
  public BodyChangedException changed(String how) {
    BodyChangedException made = new BodyChangedException(how);
    changed = made;
    return made;
  }
}
