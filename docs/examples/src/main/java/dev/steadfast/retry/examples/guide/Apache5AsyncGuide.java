package dev.steadfast.retry.examples.guide;

import dev.steadfast.retry.apache5.Apache5Reports;
import dev.steadfast.retry.apache5.Apache5Retry;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RetryOptions;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.hc.client5.http.async.methods.SimpleHttpRequest;
import org.apache.hc.client5.http.async.methods.SimpleHttpResponse;
import org.apache.hc.client5.http.async.methods.SimpleRequestBuilder;
import org.apache.hc.client5.http.impl.async.CloseableHttpAsyncClient;
import org.apache.hc.client5.http.impl.async.HttpAsyncClients;
import org.apache.hc.client5.http.protocol.HttpClientContext;

/** Snippets of the guides about the asynchronous clients of Apache HttpClient 5. */
final class Apache5AsyncGuide {
  private Apache5AsyncGuide() {}

  static String send(URI uri, HttpRetry retry)
      throws IOException, InterruptedException, ExecutionException {
    // region apache5-async
    try (CloseableHttpAsyncClient http =
        Apache5Retry.addTo(HttpAsyncClients.custom(), retry).build()) {
      http.start();
      HttpClientContext context =
          Apache5Retry.with(
              HttpClientContext.create(),
              RetryOptions.builder().deadline(Duration.ofSeconds(3)).build());
      SimpleHttpRequest request = SimpleRequestBuilder.get(uri).build();
      Future<SimpleHttpResponse> sent = http.execute(request, context, null);
      SimpleHttpResponse response = sent.get();
      return response.getCode() + ", " + Apache5Reports.of(response);
    }
    // endregion
  }
}
