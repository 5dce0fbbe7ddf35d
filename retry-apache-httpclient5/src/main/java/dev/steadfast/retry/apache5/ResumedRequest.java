package dev.steadfast.retry.apache5;

import dev.steadfast.retry.http.Journaling;
import dev.steadfast.retry.http.RequestView;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.internal.Checks;
import java.io.IOException;
import org.apache.hc.client5.http.classic.HttpClient;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.jspecify.annotations.Nullable;

/**
 * Sends a request that a journal kept. A client does not show whether it has our handler, and
 * without it the request would be sent and not noted. So the request is cancelled beforehand: our
 * handler sends it nevertheless, and a client without it gets no connection for it.
 */
final class ResumedRequest {
  private static final String RESUMED = "dev.steadfast.retry.resumed";
  private volatile boolean admitted;

  private ResumedRequest() {}

  /** Whether the call of a context is one of ours. Our handler has it now. */
  static boolean admit(HttpContext context) {
    if (context.getAttribute(RESUMED) instanceof ResumedRequest resumed) {
      resumed.admitted = true;
      return true;
    }
    return false;
  }

  static void send(HttpClient client, Journaling.Journal journal, Journaling.Kept due)
      throws IOException, InterruptedException {
    HttpUriRequestBase request = request(due);
    request.cancel();
    ResumedRequest resumed = new ResumedRequest();
    HttpClientContext context =
        Apache5Retry.with(HttpClientContext.create(), RetryOptions.resuming(journal, due));
    context.setAttribute(RESUMED, resumed);
    try {
      client.execute(request, context, response -> response.getCode());
    } catch (IOException | RuntimeException thrown) { // an interrupted wait for the pool is either
      throwForeign(client, resumed, thrown);
      if (Thread.interrupted()) {
        InterruptedException interruption = new InterruptedException();
        interruption.initCause(thrown);
        throw interruption;
      }
      throw thrown;
    }
    throwForeign(client, resumed, null);
  }

  private static void throwForeign(
      HttpClient client, ResumedRequest resumed, @Nullable Exception cause) {
    if (!resumed.admitted) {
      IllegalArgumentException foreign =
          Checks.bad("client", client, "one whose builder was given to Apache5Retry.addTo");
      foreign.initCause(cause);
      throw foreign;
    }
  }

  /**
   * Makes it again.
   *
   * @throws IllegalArgumentException if its body is not kept
   */
  private static HttpUriRequestBase request(Journaling.Kept due) {
    RequestView kept = due.request();
    byte[] bytes =
        kept.body(Integer.MAX_VALUE)
            .orElseThrow(
                () -> Checks.bad("journaled operation", due, "one whose request body is kept"));
    HttpUriRequestBase request = new HttpUriRequestBase(kept.method(), kept.uri());
    due.headers().forEach((name, lines) -> lines.forEach(line -> request.addHeader(name, line)));
    if (bytes.length > 0) { // the headers have the type of it as it was sent
      request.setEntity(new ByteArrayEntity(bytes, null));
    }
    return request;
  }
}
