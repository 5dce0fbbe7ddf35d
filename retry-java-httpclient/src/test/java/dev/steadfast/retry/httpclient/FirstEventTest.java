package dev.steadfast.retry.httpclient;

import static dev.steadfast.retry.tck.internal.EventStreams.COMMENTS;
import static dev.steadfast.retry.tck.internal.EventStreams.OVERLOADED;
import static dev.steadfast.retry.tck.internal.EventStreams.RULES;
import static dev.steadfast.retry.tck.internal.EventStreams.TEXT;
import static dev.steadfast.retry.tck.internal.EventStreams.events;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.internal.EventStreams;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Event streams that are accepted with their first event, on sockets. */
class FirstEventTest {
  private static final String UNKNOWN = "event: error\ndata: {\"error\":{\"type\":\"any\"}}\n\n";

  private final Bench bench = new Bench();

  @AfterEach
  void leavesNothing() throws InterruptedException {
    bench.awaitNothingScheduled();
    bench.server.awaitNoBusyConnections(Bench.PATIENCE);
    bench.close();
  }

  private HttpClient client() {
    return bench.client(bench.retry().classifier(RULES));
  }

  /** Real time, as the timeout is to end what the client does. */
  private static HttpClient withAttemptsOf(Duration timeout) {
    RetryPolicy policy = RetryPolicy.builder().attemptTimeout(timeout).build();
    HttpRetry retry = HttpRetry.builder().policy(policy).classifier(RULES).build();
    return RetryingHttpClient.wrap(Bench.plain().build(), retry);
  }

  private HttpClient following() {
    HttpClient plain = Bench.plain().followRedirects(HttpClient.Redirect.NORMAL).build();
    return RetryingHttpClient.wrap(plain, bench.retry().classifier(RULES).build());
  }

  @ParameterizedTest
  @EnumSource
  void theFirstEventIsEnough(Entry entry) throws Throwable {
    String start = COMMENTS + TEXT;
    for (HttpClient client : new HttpClient[] {client(), following()}) {
      bench.server.enqueue(events(Reply.stalledBody(200, 100_000, start)));
      HttpResponse<InputStream> response =
          entry.call(client, bench.post("x"), BodyHandlers.ofInputStream());
      try (InputStream body = response.body()) {
        assertEquals(start, new String(body.readNBytes(start.length()), UTF_8));
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void theTimeoutOfTheAttemptEndsTheWait(Entry entry) throws Throwable {
    HttpClient client = withAttemptsOf(Duration.ofMillis(200));
    bench.server.enqueue(events(Reply.stalledBody(200, 100_000, COMMENTS)));
    bench.server.defaultReply(events(TEXT));

    assertEquals(TEXT, entry.call(client, bench.put("x"), BodyHandlers.ofString()).body());
    assertTrue(bench.server.requests().size() >= 2, "a slow machine may need another attempt");
  }

  @ParameterizedTest
  @EnumSource
  void aPostIsNotRepeatedAfterTheTimeout(Entry entry) throws InterruptedException {
    HttpClient client = withAttemptsOf(Duration.ofMillis(200));
    bench.server.defaultReply(events(Reply.stalledBody(200, 100_000, COMMENTS)));

    IOException failure =
        assertThrows(
            IOException.class,
            () -> entry.call(client, bench.post("x"), BodyHandlers.ofInputStream()));

    RetryReport report = RetryReport.of(failure).orElseThrow();
    assertEquals(StopReason.NOT_REPLAYABLE, report.reason(), report::toString);
    assertTrue(report.serverMayHaveActed());
    assertEquals(1, bench.server.awaitRequests(1, Bench.PATIENCE).size());
  }

  @Test
  void aCancellationEndsTheWait() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    bench.server.whenRequest(any -> asked.countDown());
    bench.server.defaultReply(events(Reply.stalledBody(200, 100_000, COMMENTS)));
    CompletableFuture<HttpResponse<String>> call =
        client().sendAsync(bench.get(), BodyHandlers.ofString());
    asked.await();

    call.cancel(true);

    assertThrows(CancellationException.class, call::join);
    bench.server.awaitNoOpenConnections(Bench.PATIENCE);
    assertEquals(1, bench.server.requests().size());
  }

  @ParameterizedTest
  @EnumSource
  void nothingIsRepeatedAfterTheFirstEvent(Entry entry) {
    bench.server.defaultReply(events(Reply.truncatedBody(200, 1000, TEXT + "data: half")));

    IOException failure =
        assertThrows(
            IOException.class, () -> entry.call(client(), bench.put("x"), BodyHandlers.ofString()));

    assertEquals(1, RetryReport.of(failure).orElseThrow().attempts());
    assertEquals(1, bench.server.requests().size());
  }

  @ParameterizedTest
  @EnumSource
  void aBeginningWithoutEndIsAccepted(Entry entry) throws Throwable {
    bench.server.defaultReply(events(Reply.endlessBody(200)));

    HttpResponse<InputStream> response =
        entry.call(client(), bench.post("x"), BodyHandlers.ofInputStream());

    try (InputStream body = response.body()) {
      assertEquals(100_000, body.readNBytes(100_000).length);
    }
  }

  @ParameterizedTest
  @EnumSource
  void answersWithoutABodyAreAccepted(Entry entry) throws Throwable {
    bench.server.enqueue(events(OVERLOADED), events(Reply.status(204)));
    HttpRequest head =
        HttpRequest.newBuilder(bench.server.uri("/things"))
            .method("HEAD", HttpRequest.BodyPublishers.noBody())
            .build();

    assertEquals(200, entry.call(client(), head, BodyHandlers.ofString()).statusCode());
    assertEquals(204, entry.call(client(), bench.post("x"), BodyHandlers.ofString()).statusCode());
    assertEquals(2, bench.server.requests().size());
  }

  @ParameterizedTest
  @EnumSource
  void aRefusalIsRetriedByAClientThatFollowsRedirects(Entry entry) throws Throwable {
    bench.server.enqueue(events(COMMENTS + OVERLOADED), events(TEXT));

    assertEquals(TEXT, entry.call(following(), bench.post("x"), BodyHandlers.ofString()).body());
    assertEquals(2, bench.server.requests().size());
  }

  @ParameterizedTest
  @EnumSource
  void anUnknownErrorIsTheAnswerOfAClientThatFollowsRedirects(Entry entry) throws Throwable {
    bench.server.enqueue(events(COMMENTS + UNKNOWN));

    HttpResponse<String> response =
        entry.call(following(), bench.post("x"), BodyHandlers.ofString());

    assertEquals(COMMENTS + UNKNOWN, response.body());
    assertEquals(StopReason.NOT_REPLAYABLE, JdkReports.of(response).reason());
    assertEquals(1, bench.server.requests().size());
  }

  @ParameterizedTest
  @EnumSource
  void theConnectionOfARefusalIsKept(Entry entry) throws Throwable {
    bench.server.enqueue(events(OVERLOADED), events(TEXT));

    assertEquals(TEXT, entry.call(client(), bench.post("x"), BodyHandlers.ofString()).body());
    assertEquals(1, bench.server.connectionsAccepted());
  }

  @ParameterizedTest
  @EnumSource
  void theCallerGetsTheBytesOfAPlainClient(Entry entry) throws Throwable {
    Random random = new Random(3208);
    HttpClient plain = Bench.plain().build();
    HttpClient wrapped = client();
    HttpClient following = following();
    for (int round = 0; round < 100; round++) {
      Reply reply = events(Reply.status(200).body(EventStreams.random(random)));
      Reply sent = random.nextBoolean() ? reply.chunked() : reply;
      bench.server.route(any -> sent);
      byte[] expected = entry.call(plain, bench.post("x"), BodyHandlers.ofByteArray()).body();
      for (HttpClient each : new HttpClient[] {wrapped, following}) {
        byte[] got = entry.call(each, bench.post("x"), BodyHandlers.ofByteArray()).body();
        assertArrayEquals(expected, got);
        try (InputStream body =
            entry.call(each, bench.post("x"), BodyHandlers.ofInputStream()).body()) {
          assertArrayEquals(expected, body.readAllBytes());
        }
      }
    }
    assertEquals(500, bench.server.requests().size());
  }
}
