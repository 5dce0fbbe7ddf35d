package dev.steadfast.retry.examples.guide;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.httpclient.JdkReports;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.journal.JdbcJournal;
import dev.steadfast.retry.operations.OperationJournal;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.function.Function;
import javax.crypto.SecretKey;
import javax.sql.DataSource;

/** Snippets of the page on journaled operations. */
final class JournalGuide {
  private JournalGuide() {}

  static RetryingHttpClient client(DataSource dataSource) throws IOException {
    // region journal-client
    JdbcJournal journal = JdbcJournal.builder(dataSource).build();
    HttpRetry retry =
        HttpRetry.builder()
            .journal(journal)
            .idempotencyKeys(IdempotencyKeys.randomUuid().withRetention(Duration.ofMinutes(25)))
            .build();
    RetryingHttpClient client = RetryingHttpClient.wrap(HttpClient.newHttpClient(), retry);
    // endregion
    return client;
  }

  static JdbcJournal encrypted(DataSource dataSource, SecretKey key1, SecretKey key2)
      throws IOException {
    // region journal-with-codec
    JdbcJournal journal =
        JdbcJournal.builder(dataSource).codec(new AesGcmCodec(Map.of(1, key1, 2, key2), 2)).build();
    // endregion
    return journal;
  }

  static HttpResponse<String> call(RetryingHttpClient client, HttpRequest request, String orderId)
      throws IOException, InterruptedException {
    // region journal-call
    RetryOptions charge = RetryOptions.builder().journaled("charge", orderId).build();
    HttpResponse<String> response = client.with(charge).send(request, BodyHandlers.ofString());
    RetryReport.Saved saved = JdkReports.of(response).saved().orElseThrow();
    // endregion
    return saved.handedBack() ? null : response;
  }

  static int resume(JdbcJournal journal, RetryingHttpClient client)
      throws IOException, InterruptedException {
    // region journal-resume
    int sent = journal.resume(client.sender(), JdbcJournal.Which.DUE, 100);
    // endregion
    return sent;
  }

  static void enlist(
      JdbcJournal journal, Connection connection, RetryingHttpClient client, HttpRequest request)
      throws IOException, SQLException {
    String orderId = "4711";
    // region journal-enlist
    RetryOptions charge = RetryOptions.builder().journaled("charge", orderId).build();
    journal.enlist(connection, client.with(charge).intent(request));
    // endregion
  }

  static void settle(
      JdbcJournal journal, Function<OperationJournal.Intent, JdbcJournal.Lookup> askServer)
      throws IOException {
    // region journal-settle
    for (OperationJournal.Intent unknown : journal.unknown(100)) {
      journal.settle(unknown.id(), askServer.apply(unknown));
    }
    // endregion
  }
}
