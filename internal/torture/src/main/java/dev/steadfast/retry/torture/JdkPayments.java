package dev.steadfast.retry.torture;

import dev.steadfast.retry.http.Journaling;
import dev.steadfast.retry.httpclient.JdkReports;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.operations.OperationJournal;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;

/** Pays over the HTTP client of the JDK. */
final class JdkPayments implements PaymentClient {
  private final URI uri;
  private final Map<OperationKind, RetryingHttpClient> clients = new EnumMap<>(OperationKind.class);

  JdkPayments(String uri, OperationJournal journal, Supplier<Instant> clock) {
    this.uri = URI.create(uri);
    HttpClient plain = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    for (OperationKind kind : OperationKind.values()) {
      clients.put(kind, RetryingHttpClient.wrap(plain, Payments.retry(kind, journal, clock)));
    }
  }

  @Override
  public Told pay(Op operation) throws InterruptedException {
    RetryingHttpClient client = client(operation);
    try {
      HttpResponse<String> response =
          operation.style().async()
              ? client.sendAsync(request(operation), BodyHandlers.ofString()).get()
              : client.send(request(operation), BodyHandlers.ofString());
      return Told.answer(response.statusCode(), JdkReports.of(response));
    } catch (ExecutionException failed) {
      return Told.failure(failed.getCause());
    } catch (IOException | RuntimeException failed) {
      return Told.failure(failed);
    }
  }

  private RetryingHttpClient client(Op operation) {
    return clients.get(operation.kind()).with(Payments.options(operation));
  }

  private HttpRequest request(Op operation) {
    return HttpRequest.newBuilder(uri)
        .header(Payments.PRINCIPAL, operation.kind().principal())
        .header("Content-Type", "application/x-www-form-urlencoded")
        .POST(BodyPublishers.ofString(operation.form()))
        .build();
  }

  @Override
  public Journaling.Kept intent(Op operation) {
    return client(operation).intent(request(operation));
  }

  @Override
  public Journaling.Sender sender(OperationKind kind) {
    return clients.get(kind).sender();
  }
}
