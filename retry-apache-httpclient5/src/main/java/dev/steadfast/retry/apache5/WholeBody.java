package dev.steadfast.retry.apache5;

import dev.steadfast.retry.internal.StreamTypes;
import java.io.IOException;
import java.io.InputStream;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.EntityDetails;
import org.apache.hc.core5.http.HttpEntity;
import org.jspecify.annotations.Nullable;

/**
 * Which response bodies are read within the attempt. Immutable.
 *
 * @param accepted the longest one of a status below 400, in bytes; 0 for none
 * @param kept the longest one that a journal keeps, in bytes, whatever the status; 0 for none
 */
record BufferedBodies(int accepted, int kept) {
  private static final int FIRST_FAILURE = 400;

  BufferedBodies keeping(int bytes) {
    return bytes == kept ? this : new BufferedBodies(accepted, bytes);
  }

  private boolean holds(HttpEntity entity, int most) {
    return entity.isStreaming() && fits(entity, most);
  }

  private static boolean fits(EntityDetails entity, int most) {
    return most > 0 && entity.getContentLength() <= most && !isStream(entity.getContentType());
  }

  /** How much of a body is read within the attempt, in bytes; 0 if its reader gets it at once. */
  int most(int status, EntityDetails entity, int judged) {
    int most = Math.max(kept, status < FIRST_FAILURE ? accepted : judged);
    return fits(entity, most) ? most : 0;
  }

  private static boolean isStream(@Nullable String contentType) {
    return contentType != null && StreamTypes.include(contentType);
  }

  /**
   * Reads the body and puts what was read back into the response.
   *
   * @param judged the longest one that the rules read, in bytes; 0 for none
   * @return the whole body; null if the caller reads it, or the rest of it
   * @throws IOException if the body of an accepted response breaks. The head of a failure says
   *     everything: a body that breaks must not hide a final status or what the server asks for
   */
  byte @Nullable [] read(ClassicHttpResponse response, int judged) throws IOException {
    int most = Math.max(kept, response.getCode() < FIRST_FAILURE ? accepted : judged);
    HttpEntity entity = response.getEntity();
    if (entity == null) {
      return kept > 0 ? new byte[0] : null;
    }
    if (!holds(entity, most)) {
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
