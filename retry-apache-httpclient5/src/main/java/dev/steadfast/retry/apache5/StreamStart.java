package dev.steadfast.retry.apache5;

import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.internal.FirstEvent;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.EntityDetails;
import org.apache.hc.core5.http.HttpEntity;
import org.jspecify.annotations.Nullable;

/** The beginning of an event stream, which belongs to the attempt. */
final class StreamStart {
  private static final int PIECE = 8 * 1024;

  private StreamStart() {}

  /**
   * Returns the reader of a body, null if the answer is judged by its head. The headers tell how a
   * body was packed that the client has unpacked; the body itself tells how it is.
   */
  static @Nullable FirstEvent of(
      int status, @Nullable EntityDetails body, HttpOperation operation) {
    if (body == null || !operation.awaitsFirstEvent(status)) {
      return null;
    }
    String type = body.getContentType();
    String encoding = body.getContentEncoding();
    return FirstEvent.of(
        type == null ? List.of() : List.of(type), encoding == null ? List.of() : List.of(encoding));
  }

  /**
   * Waits for the first event, if the rules do, and puts what was read back into the response.
   *
   * @return the data of the event if it is an error, null otherwise
   * @throws IOException if the stream breaks before its first event
   */
  static @Nullable String error(ClassicHttpResponse response, HttpOperation operation)
      throws IOException {
    HttpEntity entity = response.getEntity();
    FirstEvent event = of(response.getCode(), entity, operation);
    if (event == null || !entity.isStreaming()) {
      return null;
    }
    InputStream content = entity.getContent();
    ByteArrayOutputStream start = new ByteArrayOutputStream();
    byte[] piece = new byte[PIECE];
    boolean known = false;
    int count = 0;
    while (!known && count >= 0) {
      count = content.read(piece);
      if (count > 0) {
        start.write(piece, 0, count);
        known = event.take(ByteBuffer.wrap(piece, 0, count));
      }
    }
    if (count < 0) {
      event.end();
    }
    response.setEntity(new ReadEntity(entity, start.toByteArray(), content));
    return event.error();
  }
}
