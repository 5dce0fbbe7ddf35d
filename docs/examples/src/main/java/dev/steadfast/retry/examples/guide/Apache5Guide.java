package dev.steadfast.retry.examples.guide;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.apache5.Apache5Reports;
import dev.steadfast.retry.apache5.Apache5Retry;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.journal.JdbcJournal;
import java.io.IOException;
import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.classic.methods.HttpUriRequest;
import org.apache.hc.client5.http.impl.DefaultHttpRequestRetryStrategy;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.http.io.entity.StringEntity;
import org.apache.hc.core5.util.TimeValue;

/** Snippets of the guides about Apache HttpClient 5. */
final class Apache5Guide {
  private Apache5Guide() {}

  static String send(URI uri) throws IOException {
    // region apache5-send
    HttpRetry retry =
        HttpRetry.builder()
            .idempotencyKeys(IdempotencyKeys.randomUuid()) // the server supports Idempotency-Key
            .build();
    try (CloseableHttpClient http = Apache5Retry.addTo(HttpClients.custom(), retry).build()) {
      HttpPost request = new HttpPost(uri);
      request.setEntity(new StringEntity("{\"cents\": 1999}"));
      return http.execute(
          request, response -> response.getCode() + ", " + Apache5Reports.of(response));
    }
    // endregion
  }

  static int options(CloseableHttpClient http, HttpUriRequest request) throws IOException {
    // region apache5-options
    RetryOptions options =
        RetryOptions.builder()
            .idempotencyKey("order-12345-payment")
            .deadline(Duration.ofSeconds(3))
            .name("pay order 12345") // for logs and listeners
            .build();
    HttpClientContext context = Apache5Retry.with(HttpClientContext.create(), options);
    int status = http.execute(request, context, response -> response.getCode());
    // endregion
    return status;
  }

  // region apache5-report
  static Optional<RetryReport> report(CloseableHttpClient http, HttpUriRequest request) {
    try {
      return Optional.of(http.execute(request, response -> Apache5Reports.of(response)));
    } catch (IOException failure) {
      return RetryReport.of(failure);
    }
  }

  // endregion

  static int journaled(
      CloseableHttpClient http, JdbcJournal journal, Connection connection, HttpPost request)
      throws IOException, SQLException, InterruptedException {
    // region apache5-journal
    RetryOptions charge = RetryOptions.builder().journaled("charge", "order-12345").build();
    journal.enlist(connection, Apache5Retry.intent(http, request, charge)); // in your transaction
    // later, on any instance:
    int sent = journal.resume(Apache5Retry.sender(http), JdbcJournal.Which.DUE, 100);
    // endregion
    return sent;
  }

  static CloseableHttpClient before() {
    CloseableHttpClient http =
        HttpClients.custom()
            .setRetryStrategy(new DefaultHttpRequestRetryStrategy(2, TimeValue.ofMilliseconds(100)))
            .build();
    return http;
  }

  static CloseableHttpClient after(HttpRetry retry) {
    CloseableHttpClient http = Apache5Retry.addTo(HttpClients.custom(), retry).build();
    return http;
  }
}
