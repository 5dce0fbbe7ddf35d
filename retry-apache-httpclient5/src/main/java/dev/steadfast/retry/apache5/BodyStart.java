package dev.steadfast.retry.apache5;

import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.internal.FirstEvent;
import dev.steadfast.retry.internal.StreamTypes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.EntityDetails;
import org.apache.hc.core5.http.HttpEntity;
import org.jspecify.annotations.Nullable;

/**
 * The part of a response body that belongs to the attempt: all of a short body, or an event stream
 * up to its first event. Confined to one thread at a time.
 */
final class BodyStart {
  /** The first status of which the head is enough: a body that breaks must not hide it. */
  static final int FIRST_FAILURE = 400;

  private static final int PIECE = 8 * 1024;

  private final int most; // bytes
  private final @Nullable FirstEvent event; // null: a short body
  private int taken;

  private BodyStart(int most, @Nullable FirstEvent event) {
    this.most = most;
    this.event = event;
  }

  /**
   * The part of a body that is about to come; null if its reader gets it at once. The body tells
   * its encoding. The headers may still name that of a body which the client has decompressed.
   */
  static @Nullable BodyStart of(int status, EntityDetails body, HttpOperation operation) {
    int most = operation.bufferedBodyBytes(status);
    String type = body.getContentType();
    boolean stream = type != null && StreamTypes.include(type);
    if (most > 0 && body.getContentLength() <= most && !stream) {
      return new BodyStart(most, null);
    }
    String encoding = body.getContentEncoding();
    FirstEvent event =
        operation.awaitsFirstEvent(status)
            ? FirstEvent.of(
                type == null ? List.of() : List.of(type),
                encoding == null ? List.of() : List.of(encoding))
            : null;
    return event == null ? null : new BodyStart(FirstEvent.MOST_BYTES, event);
  }

  int mostBytes() {
    return most;
  }

  /** Takes the next bytes. Returns whether no more are needed. */
  boolean take(ByteBuffer next) {
    taken += next.remaining();
    return event == null ? taken > most : event.take(next);
  }

  /** The body is over. Returns whether that ends its first event. */
  boolean endsEvent() {
    if (event != null) {
      event.end();
    }
    return event != null;
  }

  /** The data of the first event if that is an error, null for anything else. */
  @Nullable String error() {
    return event == null ? null : event.error();
  }

  /** Reads the part of an answer, and puts it back. */
  void read(Apache5Answer<ClassicHttpResponse> answer, HttpEntity entity) throws IOException {
    InputStream content = entity.getContent();
    ByteArrayOutputStream start = new ByteArrayOutputStream();
    byte[] piece = new byte[PIECE];
    boolean enough = false;
    int count = 0;
    while (!enough && count >= 0) {
      count = content.read(piece);
      if (count > 0) {
        start.write(piece, 0, count);
        enough = take(ByteBuffer.wrap(piece, 0, count));
      }
    }
    byte[] bytes = start.toByteArray();
    boolean whole = !enough && !endsEvent();
    answer.response().setEntity(new ReadEntity(entity, bytes, whole ? null : content));
    answer.begins(error());
    if (whole) {
      answer.whole(bytes);
    }
  }
}
