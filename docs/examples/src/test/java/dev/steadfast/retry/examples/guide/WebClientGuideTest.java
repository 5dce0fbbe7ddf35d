package dev.steadfast.retry.examples.guide;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.tck.Received;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import dev.steadfast.retry.testkit.FakeTime;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.http.client.reactive.JdkClientHttpConnector;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.WebClientResponseException;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Spring's WebClient over the JDK's client. */
final class WebClientGuideTest {
  private final FakeTime time = new FakeTime();
  @AutoClose private final ScriptedServer server = ScriptedServer.start();

  private static WebClient client(String url, HttpRetry retry) {
    RetryingHttpClient http = RetryingHttpClient.wrap(HttpClient.newHttpClient(), retry);
    WebClient payments =
        WebClient.builder().baseUrl(url).clientConnector(new JdkClientHttpConnector(http)).build();
    return payments;
  }

  private Mono<String> pay(WebClient payments) {
    return payments
        .post()
        .uri("/payments")
        .header("Idempotency-Key", "order-12345-payment")
        .bodyValue("1999")
        .retrieve()
        .bodyToMono(String.class);
  }

  private HttpRetry withoutWaits() {
    return HttpRetry.builder().environment(time.environment()).listener(time.skipWaits()).build();
  }

  @Test
  void aBodyValueIsSentAgain() {
    server.enqueue(Reply.closeAfterRequest(), Reply.status(201).body("paid"));
    WebClient payments = client(server.uri("").toString(), withoutWaits());
    assertEquals("paid", pay(payments).block(Duration.ofSeconds(30)));
    List<String> bodies = server.requests().stream().map(Received::bodyText).toList();
    assertEquals(List.of("1999", "1999"), bodies);
  }

  @Test
  void aBodyOfAFluxIsSentOnce() {
    server.enqueue(Reply.status(503), Reply.status(200));
    Mono<String> answer =
        client(server.uri("").toString(), withoutWaits())
            .put()
            .uri("/payments/1")
            .body(Flux.just("19", "99"), String.class)
            .retrieve()
            .bodyToMono(String.class);
    assertThrows(
        WebClientResponseException.ServiceUnavailable.class,
        () -> answer.block(Duration.ofSeconds(30)));
    assertEquals(1, server.requests().size());
  }

  @Test
  void theReadTimeoutOfTheConnectorEndsOneAttempt() {
    server.enqueue(Reply.stallAfterRequest(), Reply.status(201).body("paid"));
    JdkClientHttpConnector connector =
        new JdkClientHttpConnector(
            RetryingHttpClient.wrap(HttpClient.newHttpClient(), HttpRetry.defaults()));
    connector.setReadTimeout(Duration.ofSeconds(1));
    WebClient payments =
        WebClient.builder().baseUrl(server.uri("").toString()).clientConnector(connector).build();
    assertEquals("paid", pay(payments).block(Duration.ofSeconds(30)));
    assertEquals(2, server.requests().size());
  }

  @Test
  void aTimeoutOfTheMonoEndsTheOperation() {
    server.enqueue(Reply.stallAfterRequest(), Reply.status(201).body("paid"));
    WebClient payments = client(server.uri("").toString(), HttpRetry.defaults());
    CompletableFuture<String> late = new CompletableFuture<>();
    server.whenRequest(request -> late.complete("once the server has the request"));
    Mono<String> cancelling = pay(payments).timeout(Mono.fromFuture(late));
    assertThrows(RuntimeException.class, () -> cancelling.block(Duration.ofSeconds(30)));
    assertEquals(1, server.requests().size());
  }
}
