package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.tck.Received;
import dev.steadfast.retry.tck.Reply;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class RetryingHttpClientTest {
  @RegisterExtension private final Bench bench = new Bench();

  @ParameterizedTest
  @EnumSource
  void cleanFirstAnswerTellsOfOneAttempt(Entry entry) throws Throwable {
    HttpRequest request = bench.get();

    HttpResponse<String> response =
        entry.call(
            RetryingHttpClient.wrap(Bench.plain().build(), HttpRetry.defaults()),
            request,
            BodyHandlers.ofString());

    RetryReport report = JdkReports.of(response);
    assertEquals(StopReason.ACCEPTED, report.reason());
    assertEquals(1, report.attempts());
    assertEquals(request, response.request());
    assertEquals(Optional.empty(), response.request().timeout());
  }

  @Test
  void requestThatWasSentDiffersFromTheCallersInWhatWasAddedOnly() throws Exception {
    List<HttpRequest> handedOver = new ArrayList<>();
    RetryListener listener =
        new RetryListener() {
          @Override
          public void attemptStarted(OperationInfo operation, int attempt, Object request) {
            handedOver.add((HttpRequest) request);
          }
        };
    RetryingHttpClient client =
        bench.client(
            bench
                .retry()
                .listener(listener)
                .oncePerAttempt(
                    "X-Retry", (operation, number) -> Optional.of(Integer.toString(number - 1)))
                .idempotencyKeys(IdempotencyKeys.randomUuid()));
    HttpRequest request =
        HttpRequest.newBuilder(bench.server.uri("/things?q=1"))
            .POST(BodyPublishers.ofString("abc"))
            .header("Accept", "text/plain")
            .header("Accept", "text/html")
            .timeout(Duration.ofSeconds(90))
            .version(HttpClient.Version.HTTP_1_1)
            .expectContinue(true)
            .build();
    bench.server.enqueue(Reply.status(503));

    assertSame(request, client.send(request, BodyHandlers.ofString()).request());

    HttpRequest sent = handedOver.get(1);
    assertEquals("POST", sent.method());
    assertEquals(request.uri(), sent.uri());
    assertEquals(List.of("text/plain", "text/html"), sent.headers().allValues("Accept"));
    assertEquals(Optional.of(Duration.ofSeconds(90)), sent.timeout());
    assertEquals(Optional.of(HttpClient.Version.HTTP_1_1), sent.version());
    assertTrue(sent.expectContinue());
    assertEquals(3, sent.bodyPublisher().orElseThrow().contentLength());
    assertEquals(
        List.of("0", "1"),
        bench.server.requests().stream().map(each -> each.header("X-Retry").orElse("-")).toList());
  }

  @Test
  void optionsApplyToTheirViewAndNothingElseChanges() throws Exception {
    bench.server.defaultReply(Reply.status(503));
    RetryingHttpClient client = bench.client();
    RetryingHttpClient view =
        client.with(RetryOptions.builder().idempotencyKey("order-1").noRetry().build());

    assertEquals(1, JdkReports.of(view.send(bench.post("a"), BodyHandlers.ofString())).attempts());
    assertEquals(3, JdkReports.of(client.send(bench.get(), BodyHandlers.ofString())).attempts());

    List<Received> requests = bench.server.requests();
    assertEquals(Optional.of("order-1"), requests.get(0).header("Idempotency-Key"));
    assertEquals(Optional.empty(), requests.get(1).header("Idempotency-Key"));
    assertEquals(requests.get(0).connection(), requests.get(3).connection());
  }

  @ParameterizedTest
  @EnumSource
  void malformedKeyHeaderIsTheCallersMistake(Entry entry) {
    HttpRequest twice =
        HttpRequest.newBuilder(bench.server.uri("/"))
            .header("Idempotency-Key", "a")
            .header("Idempotency-Key", "b")
            .POST(BodyPublishers.noBody())
            .build();

    assertThrows(
        IllegalArgumentException.class,
        () -> entry.call(bench.client(), twice, BodyHandlers.ofString()));
    assertThrows(
        IllegalArgumentException.class,
        () -> bench.client().sendAsync(twice, BodyHandlers.ofString()),
        "thrown, not put into the future");
    assertEquals(List.of(), bench.server.requests());
  }

  @Test
  void nothingIsMissing() {
    RetryingHttpClient client = bench.client();
    HttpRequest request = bench.get();
    assertThrows(
        NullPointerException.class, () -> RetryingHttpClient.wrap(null, HttpRetry.defaults()));
    assertThrows(
        NullPointerException.class, () -> RetryingHttpClient.wrap(Bench.plain().build(), null));
    assertThrows(NullPointerException.class, () -> client.with(null));
    assertThrows(NullPointerException.class, () -> client.send(null, BodyHandlers.ofString()));
    assertThrows(NullPointerException.class, () -> client.send(request, null));
    assertThrows(NullPointerException.class, () -> client.sendAsync(null, BodyHandlers.ofString()));
    assertThrows(NullPointerException.class, () -> client.sendAsync(request, null));
  }

  @Test
  void wrappingARetryingClientIsRefused() {
    RetryingHttpClient client = bench.client();
    assertThrows(
        IllegalArgumentException.class,
        () -> RetryingHttpClient.wrap(client, HttpRetry.defaults()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "true", "TRUE"})
  void clientsThatResendAnyMethodAreRefused(String value) {
    withProperty(
        value,
        () ->
            assertThrows(
                IllegalArgumentException.class,
                () -> RetryingHttpClient.wrap(Bench.plain().build(), HttpRetry.defaults())));
  }

  @Test
  void clientsThatDoNotAreNot() {
    withProperty(
        "false", () -> RetryingHttpClient.wrap(Bench.plain().build(), HttpRetry.defaults()));
  }

  private static void withProperty(String value, Runnable test) {
    String name = "jdk.httpclient.enableAllMethodRetry";
    System.setProperty(name, value);
    try {
      test.run();
    } finally {
      System.clearProperty(name);
    }
  }

  @Test
  void webSocketsAreTheDelegates() {
    assertInstanceOf(java.net.http.WebSocket.Builder.class, bench.client().newWebSocketBuilder());
  }

  @Test
  void textNamesTheDelegateAndTheConfiguration() {
    HttpClient plain = Bench.plain().build();
    String text = RetryingHttpClient.wrap(plain, HttpRetry.defaults()).toString();
    assertTrue(text.contains(plain.toString()), text);
    assertTrue(text.contains("HttpRetry("), text);
  }
}
