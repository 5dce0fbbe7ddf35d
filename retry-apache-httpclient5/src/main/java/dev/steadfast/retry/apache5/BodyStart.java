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

/** The part of a response body that belongs to the attempt: a short body, or a first event. */
final class BodyStart {
  /** From this status on the head is enough: a body that breaks must not hide it. */
  static final int FIRST_FAILURE = 400;

  private static final int PIECE = 8 * 1024;

  private BodyStart() {}

  /** How much of a body is read within the attempt, in bytes; 0 if its reader gets it at once. */
  static int most(int status, EntityDetails body, HttpOperation operation) {
    int most = operation.bufferedBodyBytes(status);
    boolean stream = body.getContentType() != null && StreamTypes.include(body.getContentType());
    return body.getContentLength() <= most && !stream ? most : 0;
  }

  /**
   * Returns the reader of a first event, null if the answer is judged by its head. The body tells
   * its encoding. The headers may still name that of a body which the client has decompressed.
   */
  static @Nullable FirstEvent event(
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
   * Reads the part, and puts it back into the response.
   *
   * @throws IOException if the body of an accepted response breaks within it
   */
  static Answer<ClassicHttpResponse> read(
      Answer<ClassicHttpResponse> answer, HttpOperation operation) throws IOException {
    ClassicHttpResponse response = answer.response();
    byte[] whole = whole(response, operation);
    if (whole != null) {
      answer.whole(whole);
    }
    HttpEntity entity = response.getEntity();
    FirstEvent event = event(response.getCode(), entity, operation);
    if (event != null && entity.isStreaming()) {
      response.setEntity(readEvent(entity, event));
      answer.begins(event.error());
    }
    return answer;
  }

  /** The whole body; null if the caller reads it, or the rest of it. */
  private static byte @Nullable [] whole(ClassicHttpResponse response, HttpOperation operation)
      throws IOException {
    HttpEntity entity = response.getEntity();
    if (entity == null) {
      return operation.keepsAnswerBytes() > 0 ? new byte[0] : null;
    }
    int most = most(response.getCode(), entity, operation);
    if (most == 0 || !entity.isStreaming()) {
      return null;
    }
    InputStream content = entity.getContent();
    byte[] start;
    try {
      start = content.readNBytes(most + 1);
    } catch (IOException broken) {
      if (response.getCode() < FIRST_FAILURE) {
        throw broken;
      }
      return null;
    }
    boolean whole = start.length <= most;
    response.setEntity(new ReadEntity(entity, start, whole ? null : content));
    return whole ? start : null;
  }

  private static HttpEntity readEvent(HttpEntity entity, FirstEvent event) throws IOException {
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
    return new ReadEntity(entity, start.toByteArray(), content);
  }
}
