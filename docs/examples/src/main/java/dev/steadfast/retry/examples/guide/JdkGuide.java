package dev.steadfast.retry.examples.guide;

import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.httpclient.JdkReports;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.function.Supplier;

/** What the guides show of java.net.http. */
final class JdkGuide {
  private JdkGuide() {}

  static void send(URI uri) throws IOException, InterruptedException {
    // region jdk-send
    HttpRetry retry =
        HttpRetry.builder()
            .idempotencyKeys(IdempotencyKeys.randomUuid()) // the server supports Idempotency-Key
            .build();
    RetryingHttpClient http = RetryingHttpClient.wrap(HttpClient.newHttpClient(), retry);

    HttpRequest request =
        HttpRequest.newBuilder(uri).POST(BodyPublishers.ofString("{\"cents\": 1999}")).build();
    HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
    System.out.println(response.statusCode() + ", " + JdkReports.of(response));
    // endregion
  }

  static CompletableFuture<Void> sendAsync(RetryingHttpClient http, HttpRequest request) {
    // region jdk-send-async
    CompletableFuture<Void> printed =
        http.sendAsync(request, BodyHandlers.ofString())
            .thenAccept(response ->
                System.out.println(response.statusCode() + ", " + JdkReports.of(response)));
    // endregion
    return printed;
  }

  static HttpResponse<String> options(RetryingHttpClient http, HttpRequest request)
      throws IOException, InterruptedException {
    // region jdk-options
    RetryOptions options =
        RetryOptions.builder()
            .idempotencyKey("order-12345-payment")
            .deadline(Duration.ofSeconds(3))
            .name("pay order 12345") // for logs and listeners
            .build();
    HttpResponse<String> response = http.with(options).send(request, BodyHandlers.ofString());
    // endregion
    return response;
  }

  // region jdk-report
  static Optional<RetryReport> report(RetryingHttpClient http, HttpRequest request)
      throws InterruptedException {
    try {
      return Optional.of(JdkReports.of(http.send(request, BodyHandlers.ofString())));
    } catch (IOException failure) {
      return RetryReport.of(failure);
    }
  }

  // endregion

  static CompletableFuture<?> cancel(RetryingHttpClient http, HttpRequest request) {
    CompletableFuture<String> body =
        http.sendAsync(request, BodyHandlers.ofString()).thenApply(HttpResponse::body);
    body.cancel(true); // ends the operation, although this future was derived from its own
    return body;
  }

  static CompletableFuture<HttpResponse<Void>> events(
      RetryingHttpClient http, HttpRequest request, Flow.Subscriber<String> events) {
    RetryPolicy quiet =
        RetryPolicy.builder()
            .bodyIdleTimeout(Duration.ofMinutes(2)) // the server sends something every minute
            .build();
    RetryOptions options = RetryOptions.builder().policy(quiet).build();
    CompletableFuture<HttpResponse<Void>> end =
        http.with(options).sendAsync(request, BodyHandlers.fromLineSubscriber(events));
    return end;
  }

  static HttpClient builder(HttpRetry retry) {
    // region jdk-builder
    HttpClient http =
        RetryingHttpClient.newBuilder(retry).connectTimeout(Duration.ofSeconds(2)).build();
    // endregion
    return http;
  }

  static HttpResponse<Void> unknownLength(
      RetryingHttpClient http, URI uri, Supplier<InputStream> file)
      throws IOException, InterruptedException {
    HttpRequest upload =
        HttpRequest.newBuilder(uri).PUT(BodyPublishers.ofInputStream(file)).build();
    RetryOptions options = RetryOptions.builder().bodyRepeatable(true).build();
    HttpResponse<Void> response = http.with(options).send(upload, BodyHandlers.discarding());
    return response;
  }
}
