package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.internal.StreamTypes;
import java.io.IOException;
import okhttp3.MediaType;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.Buffer;
import okio.BufferedSource;
import org.jspecify.annotations.Nullable;

/** A response body that is read within the attempt. */
final class WholeBody {
  private static final int FIRST_FAILURE = 400;

  private WholeBody() {}

  /** Whether the body is read here. A stream is not: it may go on for as long as it is read. */
  static boolean isRead(Response response, HttpOperation operation) {
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
   * Reads the body. Its source keeps what was read, so nothing is copied.
   *
   * @return the whole body; null if the caller reads it, or the rest of it
   * @throws IOException if the body of an accepted response breaks. The head of a failure is
   *     enough: a body that breaks must not hide a final status or what the server asks for
   */
  static @Nullable Buffer of(Response response, HttpOperation operation) throws IOException {
    if (!isRead(response, operation)) {
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
}
