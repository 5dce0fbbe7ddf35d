package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.internal.StreamTypes;
import java.io.IOException;
import okhttp3.MediaType;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.Buffer;
import okio.BufferedSource;
import org.jspecify.annotations.Nullable;

/**
 * Which response bodies are read within the attempt. Immutable; all operations without a journal
 * share one object.
 *
 * @param accepted the longest one of a status below 400, in bytes; 0 for none
 * @param kept the longest one that a journal keeps, in bytes, whatever the status; 0 for none
 */
record BufferedBodies(int accepted, int kept) {
  private static final int FIRST_FAILURE = 400;

  /** The same for an operation of which a journal keeps answers. */
  BufferedBodies keeping(int bytes) {
    return bytes == kept ? this : new BufferedBodies(accepted, bytes);
  }

  private int most(Response response, int judged) {
    return Math.max(kept, response.code() < FIRST_FAILURE ? accepted : judged);
  }

  /**
   * Whether the body is read here. A stream is not: it may go on for as long as it is read.
   *
   * @param judged the longest one that the rules read, in bytes; 0 for none
   */
  boolean holds(Response response, int judged) {
    int most = most(response, judged);
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
   * Reads the body. Its source keeps what was read, so nothing is copied.
   *
   * @param judged the longest one that the rules read, in bytes; 0 for none
   * @return the whole body; null if the caller reads it, or the rest of it
   * @throws IOException if the body of an accepted response breaks. The head of a failure says
   *     everything: a body that breaks must not hide a final status or what the server asks for
   */
  @Nullable Buffer read(Response response, int judged) throws IOException {
    if (!holds(response, judged)) {
      return null;
    }
    BufferedSource source = response.body().source();
    try {
      return source.request(most(response, judged) + 1L) ? null : source.getBuffer();
    } catch (IOException broken) {
      if (response.code() < FIRST_FAILURE) {
        throw broken;
      }
      return null;
    }
  }
}
