package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.internal.FirstEvent;
import java.io.IOException;
import java.nio.ByteBuffer;
import okhttp3.Response;
import okio.Buffer;
import okio.BufferedSource;
import org.jspecify.annotations.Nullable;

/** The beginning of an event stream, which belongs to the attempt. */
final class StreamStart {
  private StreamStart() {}

  /**
   * Waits for the first event, if the rules do. The source keeps what was read, so the caller gets
   * all of it.
   *
   * @return the data of the event if it is an error, null otherwise
   * @throws IOException if the stream breaks before its first event
   */
  static @Nullable String error(Response response, HttpOperation operation) throws IOException {
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
