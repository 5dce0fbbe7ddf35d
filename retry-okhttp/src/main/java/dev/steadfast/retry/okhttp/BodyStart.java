package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.internal.FirstEvent;
import dev.steadfast.retry.internal.StreamTypes;
import java.io.IOException;
import java.nio.ByteBuffer;
import okhttp3.MediaType;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.Buffer;
import okio.BufferedSource;
import org.jspecify.annotations.Nullable;

/**
 * The part of a response body that belongs to the attempt: all of a short body, or an event stream
 * up to its first event. The source keeps what was read, so nothing is copied, and the caller gets
 * all of it.
 */
final class BodyStart {
  private static final int FIRST_FAILURE = 400;

  private BodyStart() {}

  /** Whether a body is read as a whole. A stream may go on for as long as it is read. */
  static boolean isWhole(Response response, HttpOperation operation) {
    int most = operation.bufferedBodyBytes(response.code());
    ResponseBody body = response.body();
    return most > 0
        && body != null
        && body.contentLength() <= most
        && !isStream(body.contentType());
  }

  private static boolean isStream(@Nullable MediaType type) {
    return type != null && StreamTypes.include(type.toString());
  }

  /**
   * Reads the whole body.
   *
   * @return null if the caller reads it, or the rest of it
   * @throws IOException if the body of an accepted response breaks. For a failure the head is
   *     enough: a body that breaks must not hide a final status or what the server asks for
   */
  static @Nullable Buffer whole(Response response, HttpOperation operation) throws IOException {
    if (!isWhole(response, operation)) {
      return null;
    }
    BufferedSource source = response.body().source();
    try {
      long tooMany = operation.bufferedBodyBytes(response.code()) + 1L;
      return source.request(tooMany) ? null : source.getBuffer();
    } catch (IOException broken) {
      if (response.code() < FIRST_FAILURE) {
        throw broken;
      }
      return null;
    }
  }

  /**
   * Waits for the first event, if the rules do.
   *
   * @return the data of the event if it is an error, null otherwise
   * @throws IOException if the stream breaks before its first event
   */
  static @Nullable String errorEvent(Response response, HttpOperation operation)
      throws IOException {
    if (!operation.awaitsFirstEvent(response.code()) || response.body() == null) {
      return null;
    }
    FirstEvent event =
        FirstEvent.of(response.headers("Content-Type"), response.headers("Content-Encoding"));
    if (event == null) {
      return null;
    }
    BufferedSource source = response.body().source();
    long seen = 0;
    while (source.request(seen + 1)) {
      Buffer next = new Buffer();
      long count = Math.min(source.getBuffer().size() - seen, FirstEvent.MOST_BYTES);
      source.getBuffer().copyTo(next, seen, count);
      seen += count;
      if (event.take(ByteBuffer.wrap(next.readByteArray()))) {
        return event.error();
      }
    }
    event.end();
    return event.error();
  }
}
