package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.engine.UnwantedBody;
import dev.steadfast.retry.http.HttpOperation;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import okhttp3.Response;
import okio.Buffer;
import okio.BufferedSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Closes responses that nobody gets. A body that an interceptor made may throw anything. */
final class UnwantedResponse {
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry");

  private UnwantedResponse() {}

  static void close(Response response, HttpOperation operation) {
    try {
      response.close();
    } catch (Throwable broken) {
      LOG.warn("a response that nobody gets could not be closed: {}", operation, broken);
    }
  }

  /**
   * Reads a short body to its end, and closes it.
   *
   * @param giveUp is run before it is closed if the body is a long one, or takes long
   * @return the body, null if it was given up
   */
  static @Nullable Buffer readAndClose(
      Response response, HttpOperation operation, Runnable giveUp) {
    try (response) {
      BufferedSource source = response.body().source();
      if (endsSoon(source)) {
        Buffer whole = new Buffer();
        whole.write(source.getBuffer(), source.getBuffer().size());
        return whole;
      }
      giveUp.run();
    } catch (Throwable broken) {
      // Nobody waits for it.
      LOG.warn("the body of a response that nobody gets could not be read: {}", operation, broken);
    }
    return null;
  }

  private static boolean endsSoon(BufferedSource source) {
    source.timeout().deadline(UnwantedBody.MOST_NANOS, TimeUnit.NANOSECONDS);
    try {
      return !source.request(UnwantedBody.MOST_BYTES + 1);
    } catch (IOException endless) {
      return false;
    }
  }
}
