package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.http.BodyStart;
import dev.steadfast.retry.http.HttpOperation;
import java.io.IOException;
import java.nio.ByteBuffer;
import okhttp3.ResponseBody;
import okio.Buffer;
import okio.BufferedSource;
import org.jspecify.annotations.Nullable;

/**
 * Reads the part of a response body that belongs to the attempt. The source keeps what was read, so
 * nothing is copied, and the caller gets all of it.
 */
final class AttemptBodies {
  private static final int PIECE = 64 * 1024;

  private AttemptBodies() {}

  private static @Nullable BodyStart start(OkHttpAnswer head, HttpOperation operation) {
    ResponseBody body = head.response().body();
    // The client takes the encoding out of the head of a body that it decompresses.
    return body == null ? null : BodyStart.of(operation, head, body.contentLength(), false);
  }

  /** Whether a body is read as a whole. A stream may go on for as long as it is read. */
  static boolean isWhole(OkHttpAnswer head, HttpOperation operation) {
    BodyStart start = start(head, operation);
    return start != null && !start.awaitsEvent();
  }

  /**
   * Reads the part.
   *
   * @return the answer, with its whole body if the caller does not read the rest
   * @throws IOException if a body that is needed breaks
   */
  static OkHttpAnswer begun(OkHttpAnswer head, HttpOperation operation) throws IOException {
    BodyStart start = start(head, operation);
    if (start == null) {
      return head;
    }
    BufferedSource source = head.response().body().source();
    Buffer whole = null;
    if (start.awaitsEvent()) {
      readEvent(start, source);
    } else {
      whole = whole(start, source);
    }
    return new OkHttpAnswer(head.response(), head.wire(), whole, start.errorEvent());
  }

  private static @Nullable Buffer whole(BodyStart start, BufferedSource source) throws IOException {
    try {
      return source.request(start.mostBytes() + 1L) ? null : source.getBuffer();
    } catch (IOException broken) {
      if (start.isNeeded()) {
        throw broken;
      }
      return null;
    }
  }

  private static void readEvent(BodyStart start, BufferedSource source) throws IOException {
    long seen = 0;
    while (source.request(seen + 1)) {
      Buffer next = new Buffer();
      long count = Math.min(source.getBuffer().size() - seen, PIECE);
      source.getBuffer().copyTo(next, seen, count);
      seen += count;
      if (start.take(ByteBuffer.wrap(next.readByteArray()))) {
        return;
      }
    }
    start.end();
  }
}
