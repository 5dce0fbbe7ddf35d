package dev.steadfast.retry.apache5;

import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.internal.StreamTypes;
import java.io.IOException;
import java.io.InputStream;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.EntityDetails;
import org.apache.hc.core5.http.HttpEntity;
import org.jspecify.annotations.Nullable;

/** A response body that is read within the attempt. */
final class WholeBody {
  private static final int FIRST_FAILURE = 400;

  private WholeBody() {}

  /** How much of a body is read within the attempt, in bytes; 0 if its reader gets it at once. */
  static int most(int status, EntityDetails body, HttpOperation operation) {
    int most = operation.bufferedBodyBytes(status);
    boolean stream = body.getContentType() != null && StreamTypes.include(body.getContentType());
    return body.getContentLength() <= most && !stream ? most : 0;
  }

  /**
   * Reads the body and puts what was read back into the response.
   *
   * @return the whole body; null if the caller reads it, or the rest of it
   * @throws IOException if the body of an accepted response breaks. The head of a failure says
   *     everything: a body that breaks must not hide a final status or what the server asks for
   */
  static byte @Nullable [] of(ClassicHttpResponse response, HttpOperation operation)
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
}
