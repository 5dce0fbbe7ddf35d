package dev.steadfast.retry.apache5;

import dev.steadfast.retry.RetryScheduler;
import dev.steadfast.retry.engine.RetryTransport;
import dev.steadfast.retry.threads.TimerScheduler;
import java.io.IOException;
import java.io.InputStream;
import org.apache.hc.core5.http.HttpEntity;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A response that nobody gets. */
final class UnwantedResponse {
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry");

  private static final int MOST_BYTES = RetryTransport.MOST_DISCARDED_BYTES;

  private UnwantedResponse() {}

  /**
   * Reads a short body to its end, which frees its connection, or closes the connection.
   *
   * @return the body; null if it was not read
   */
  static byte @Nullable [] drop(Answer answer) {
    HttpEntity entity = answer.response().getEntity();
    WireTrace wire = answer.wire();
    if (wire == null || entity == null || answer.whole() != null) {
      return wire == null || answer.whole() != null ? answer.whole() : new byte[0];
    }
    try {
      byte[] read = entity.getContentLength() > MOST_BYTES ? null : read(entity, wire);
      if (read != null && read.length <= MOST_BYTES) {
        answer.response().close();
        return read;
      }
    } catch (IOException | RuntimeException broken) { // a handler may have made the body
      LOG.debug("{}: the body of an unwanted response is not read", wire.operation(), broken);
    }
    wire.drop();
    return null;
  }

  private static byte[] read(HttpEntity entity, WireTrace wire) throws IOException {
    InputStream content = entity.getContent();
    long length = entity.getContentLength();
    if (length >= 0 && content.available() >= length) {
      return content.readNBytes(MOST_BYTES + 1);
    }
    RetryScheduler.Task patience =
        TimerScheduler.system()
            .settle(
                RetryTransport.MOST_DISCARDING_NANOS,
                () -> TimerScheduler.system().cancelOnWire(wire::drop));
    try {
      return content.readNBytes(MOST_BYTES + 1);
    } finally {
      patience.cancel();
    }
  }
}
