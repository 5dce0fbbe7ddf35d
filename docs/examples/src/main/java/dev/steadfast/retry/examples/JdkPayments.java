package dev.steadfast.retry.examples;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.httpclient.JdkReports;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;

/** Payments through java.net.http, blocking or with a future. */
final class JdkPayments {
  private JdkPayments() {}

  /** The calling thread waits. */
  static PaymentClient send(HttpRetry retry, Certificate certificate) {
    RetryingHttpClient http = RetryingHttpClient.wrap(client(certificate), retry);
    return new Sending(http, DemoThreads.callers());
  }

  /** No thread waits. */
  static PaymentClient sendAsync(HttpRetry retry, Certificate certificate) {
    return new SendingAsync(RetryingHttpClient.wrap(client(certificate), retry));
  }

  static HttpClient client(Certificate certificate) {
    return HttpClient.newBuilder().sslContext(certificate.client().sslContext()).build();
  }

  static HttpRequest.Builder request(Payment payment, URI address) {
    return HttpRequest.newBuilder(address)
        .header("Content-Type", "application/x-www-form-urlencoded")
        .POST(HttpRequest.BodyPublishers.ofString(payment.form()));
  }

  private static RetryOptions named(Payment payment) {
    return RetryOptions.builder().name(payment.title()).build();
  }

  private static Receipt receipt(HttpResponse<?> response) {
    return new Receipt(response.statusCode(), JdkReports.of(response));
  }

  private record Sending(RetryingHttpClient http, ExecutorService callers)
      implements PaymentClient {
    @Override
    public CompletableFuture<Receipt> pay(Payment payment, URI address) {
      HttpRequest request = request(payment, address).build();
      return DemoThreads.call(
          callers, () -> receipt(http.with(named(payment)).send(request, BodyHandlers.ofString())));
    }

    @Override
    public void close() {
      callers.shutdown();
      http.shutdown();
    }
  }

  private record SendingAsync(RetryingHttpClient http) implements PaymentClient {
    @Override
    public CompletableFuture<Receipt> pay(Payment payment, URI address) {
      HttpRequest request = request(payment, address).build();
      return http.with(named(payment))
          .sendAsync(request, BodyHandlers.ofString())
          .thenApply(JdkPayments::receipt);
    }

    @Override
    public void close() {
      http.shutdown();
    }
  }
}
