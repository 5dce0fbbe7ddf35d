package dev.steadfast.retry.examples.guide;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import dev.steadfast.retry.testkit.FakeTime;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

final class JdkGuideTest {
  private final FakeTime time = new FakeTime();
  @AutoClose private final ScriptedServer server = ScriptedServer.start();
  private final RetryingHttpClient http =
      RetryingHttpClient.wrap(
          HttpClient.newHttpClient(),
          HttpRetry.builder().environment(time.environment()).listener(time.skipWaits()).build());

  private HttpRequest get() {
    return HttpRequest.newBuilder(server.uri("/orders")).build();
  }

  private HttpRequest post() {
    return HttpRequest.newBuilder(server.uri("/payments"))
        .POST(BodyPublishers.ofString("a"))
        .build();
  }

  private List<String> keys() {
    return server.requests().stream()
        .map(each -> each.header("Idempotency-Key").orElse("none"))
        .toList();
  }

  @Test
  void builder_givesAClientThatRetries() {
    HttpClient http = JdkGuide.builder(HttpRetry.defaults());
    assertEquals(Optional.of(Duration.ofSeconds(2)), http.connectTimeout());
    assertInstanceOf(RetryingHttpClient.class, http);
  }

  @Test
  void send_retriesWithOneKey() throws Exception {
    server.enqueue(Reply.closeAfterRequest(), Reply.status(201));
    JdkGuide.send(server.uri("/payments"));
    assertEquals(2, keys().size());
    assertNotEquals("none", keys().get(0));
    assertEquals(keys().get(0), keys().get(1));
  }

  @Test
  void sendAsync_retries() throws Exception {
    server.enqueue(Reply.status(503));
    JdkGuide.sendAsync(http, get()).get(10, TimeUnit.SECONDS);
    assertEquals(2, server.requests().size());
  }

  @Test
  void options_giveTheKey() throws Exception {
    server.enqueue(Reply.status(503));
    assertEquals(200, JdkGuide.options(http, post()).statusCode());
    assertEquals(List.of("order-12345-payment", "order-12345-payment"), keys());
  }

  @Test
  void report_comesWithTheResponseOrTheException() throws Exception {
    server.enqueue(Reply.status(503));
    assertEquals(2, JdkGuide.report(http, get()).orElseThrow().attempts());
    server.enqueue(Reply.closeAfterRequest());
    RetryReport failed = JdkGuide.report(http, post()).orElseThrow();
    assertEquals(StopReason.NOT_REPLAYABLE, failed.reason());
  }

  @Test
  void cancel_endsTheOperation() {
    server.defaultReply(Reply.stallAfterRequest());
    assertTrue(JdkGuide.cancel(http, get()).isCancelled());
  }

  /** Hears lines, and what ends them. */
  private static final class Lines implements Flow.Subscriber<String> {
    private final List<String> lines = new CopyOnWriteArrayList<>();

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(String line) {
      lines.add(line);
    }

    @Override
    public void onError(Throwable failure) {
      lines.add(failure.toString());
    }

    @Override
    public void onComplete() {
      lines.add("end");
    }
  }

  @Test
  void events_arriveAsTheyCome() throws Exception {
    server.enqueue(Reply.status(200).body("data: 1\n\ndata: 2\n"));
    Lines lines = new Lines();
    JdkGuide.events(http, get(), lines).get(10, TimeUnit.SECONDS);
    assertEquals(List.of("data: 1", "", "data: 2", "end"), lines.lines);
  }

  @Test
  void aSilentStreamEnds() throws Exception {
    RetryPolicy policy = RetryPolicy.builder().bodyIdleTimeout(Duration.ofMillis(500)).build();
    HttpClient impatient =
        RetryingHttpClient.wrap(
            HttpClient.newHttpClient(), HttpRetry.builder().policy(policy).build());
    server.defaultReply(Reply.stalledBody(200, 100, "data: 1\n"));
    try (InputStream in = impatient.send(get(), BodyHandlers.ofInputStream()).body()) {
      IOException ended = assertThrows(IOException.class, in::readAllBytes);
      assertInstanceOf(HttpTimeoutException.class, ended.getCause());
    }
    HttpTimeoutException collected =
        assertThrows(
            HttpTimeoutException.class, () -> impatient.send(get(), BodyHandlers.ofString()));
    assertEquals(3, RetryReport.of(collected).orElseThrow().attempts());

    Lines lines = new Lines();
    HttpTimeoutException handedOn =
        assertThrows(
            HttpTimeoutException.class,
            () -> impatient.send(get(), BodyHandlers.fromLineSubscriber(lines)));
    assertEquals(1, RetryReport.of(handedOn).orElseThrow().attempts());
    assertEquals("data: 1", lines.lines.get(0));
  }

  @Test
  void bodyRepeatable_sendsABodyOfUnknownLengthAgain() throws Exception {
    server.enqueue(Reply.status(503));
    byte[] file = {1, 2, 3};
    assertEquals(
        200,
        JdkGuide.unknownLength(http, server.uri("/files"), () -> new ByteArrayInputStream(file))
            .statusCode());
    assertEquals(2, server.requests().size());
  }
}
