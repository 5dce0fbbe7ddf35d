package dev.steadfast.retry.apache5;

import dev.steadfast.retry.http.Journaling;
import dev.steadfast.retry.http.RequestView;
import dev.steadfast.retry.http.RetryOptions;
import java.io.IOException;
import org.apache.hc.client5.http.classic.HttpClient;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;

/** A request that a journal kept. */
final class ResumedRequest {
  private ResumedRequest() {}

  static void send(HttpClient client, Journaling.Journal journal, Journaling.Kept due)
      throws IOException, InterruptedException {
    HttpClientContext context =
        Apache5Retry.with(HttpClientContext.create(), RetryOptions.resuming(journal, due));
    try {
      client.execute(request(due), context, response -> response.getCode());
    } catch (IOException | RuntimeException thrown) { // an interrupted wait for the pool is either
      if (Thread.interrupted()) {
        InterruptedException interruption = new InterruptedException();
        interruption.initCause(thrown);
        throw interruption;
      }
      throw thrown;
    }
  }

  /**
   * Makes the request again.
   *
   * @throws IllegalArgumentException if its body is not kept
   */
  private static HttpUriRequestBase request(Journaling.Kept due) {
    RequestView kept = due.request();
    byte[] bytes = due.body();
    HttpUriRequestBase request = new HttpUriRequestBase(kept.method(), kept.uri());
    due.headers().forEach((name, lines) -> lines.forEach(line -> request.addHeader(name, line)));
    if (bytes.length > 0) { // the headers have its type
      request.setEntity(new ByteArrayEntity(bytes, null));
    }
    return request;
  }
}
