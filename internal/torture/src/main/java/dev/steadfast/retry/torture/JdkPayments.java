package dev.steadfast.retry.torture;

import dev.steadfast.retry.http.Journaling;
import dev.steadfast.retry.httpclient.JdkReports;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;

/** Pays over the HTTP client of the JDK. */
final class JdkPayments implements PaymentClient {
  private final URI uri;
  private final Map<OperationKind, RetryingHttpClient> clients = new EnumMap<>(OperationKind.class);

  JdkPayments(String uri, Payments.Parts parts) {
    this.uri = URI.create(uri);
    HttpClient plain = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    for (OperationKind kind : OperationKind.values()) {
      clients.put(kind, RetryingHttpClient.wrap(plain, Payments.retry(kind, parts)));
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
      String answer = response.statusCode() + " " + response.body();
      return Told.answer(answer, JdkReports.of(response));
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
        .header(Payments.ACCOUNT, operation.account())
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
