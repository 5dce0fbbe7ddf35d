package dev.steadfast.retry.examples.consumer;

import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Optional;

/** Makes the payment of a message over HTTP. Safe for use by many threads. */
final class PaymentHandler implements Handler {
  private final URI payments;
  private final RetryingHttpClient http;

  PaymentHandler(URI payments) {
    this.payments = payments;
    HttpRetry retry =
        HttpRetry.builder()
            .policy(RetryPolicy.builder().totalTimeout(Duration.ofSeconds(10)).build())
            .build();
    this.http = RetryingHttpClient.wrap(HttpClient.newHttpClient(), retry);
  }

  @Override
  public Optional<String> handle(Message message) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(payments)
            .header("Authorization", "Bearer consumer")
            .header("Idempotency-Key", "message-" + message.id()) // the same at each delivery
            .POST(BodyPublishers.ofString(form(message)))
            .build();
    HttpResponse<String> answer = http.send(request, BodyHandlers.ofString());
    return switch (answer.statusCode()) {
      case 201 -> Optional.of("paid");
      case 402 -> Optional.of("declined");
      default -> Optional.empty(); // an earlier delivery may have paid, so this proves nothing
    };
  }

  private static String form(Message message) {
    return "intent=message-"
        + message.id()
        + "&account="
        + message.account()
        + "&amount="
        + message.amount();
  }
}
