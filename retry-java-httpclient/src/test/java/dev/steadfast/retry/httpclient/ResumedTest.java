package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.operations.OperationJournal.Intent;
import dev.steadfast.retry.operations.OperationJournal.Settings;
import dev.steadfast.retry.operations.OperationJournal.State;
import dev.steadfast.retry.tck.Received;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.internal.JournalUnderTest;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A journal keeps enough of a request to send it again as it was. */
class ResumedTest {
  private final Bench bench = new Bench();
  private final JournalUnderTest journal = new JournalUnderTest(null);
  private final RetryingHttpClient client =
      bench.client(bench.retry().journal(journal).idempotencyKeys(IdempotencyKeys.randomUuid()));
  private final RetryingHttpClient named = client.with(once());

  @AfterEach
  void close() {
    Thread.interrupted();
    bench.close();
  }

  private static RetryOptions once() {
    return RetryOptions.builder().journaled("charge", "order-1").noRetry().build();
  }

  private HttpRequest.Builder request() {
    return HttpRequest.newBuilder(bench.server.uri("/pay?order=1&note=a%20b"))
        .header("Accept", "application/json")
        .header("Accept", "text/json")
        .header("Authorization", "secret");
  }

  private HttpRequest post(String body) {
    return request()
        .header("Content-Type", "text/json")
        .POST(BodyPublishers.ofString(body))
        .build();
  }

  static Stream<Arguments> requests() {
    return Stream.of(
        Arguments.of("GET", null),
        Arguments.of("HEAD", BodyPublishers.noBody()),
        Arguments.of("POST", BodyPublishers.ofString("{}")),
        Arguments.of("POST", BodyPublishers.ofString("")),
        Arguments.of("POST", BodyPublishers.noBody()),
        Arguments.of("POST", BodyPublishers.ofByteArray(new byte[] {0, -1, 13, 10})),
        Arguments.of("PUT", BodyPublishers.ofString("{}")),
        Arguments.of("PUT", BodyPublishers.noBody()),
        Arguments.of("PATCH", BodyPublishers.ofString("{}")),
        Arguments.of("DELETE", BodyPublishers.noBody()),
        Arguments.of("DELETE", BodyPublishers.ofString("{}")));
  }

  @ParameterizedTest
  @MethodSource("requests")
  void theSecondRequestIsTheFirst(String method, BodyPublisher body) throws Exception {
    HttpRequest.Builder request = request().header("Content-Type", "text/json");
    bench.server.enqueue(Reply.status(500), Reply.status(200));
    named.send(
        (body == null ? request.GET() : request.method(method, body)).build(),
        BodyHandlers.discarding());

    client.sender().send(journal, journal.intents().get(0));

    Received first = bench.server.requests().get(0);
    Received second = bench.server.requests().get(1);
    assertEquals(first.method(), second.method());
    assertEquals(first.target(), second.target());
    assertArrayEquals(first.body(), second.body());
    Map<String, String> kept = first.headerMap();
    assertEquals("secret", kept.remove("authorization"), "never kept");
    assertEquals(kept, second.headerMap());
    assertEquals(State.READY, journal.endings().get(0).state());
    assertEquals(State.SUCCEEDED, journal.endings().get(1).state());
  }

  @Test
  void whatAnswersTheSecondRequestIsKeptForTheCaller() throws Exception {
    bench.server.enqueue(Reply.status(500), Reply.status(201).body("charged"));
    named.send(post("5"), BodyHandlers.discarding());
    client.sender().send(journal, journal.intents().get(0));
    HttpResponse<String> response = named.send(post("5"), BodyHandlers.ofString());
    assertEquals("charged", response.body());
    assertTrue(JdkReports.of(response).saved().orElseThrow().handedBack());
  }

  @Test
  void whatIsEnlistedIsWhatACallClaims() throws Exception {
    Intent enlisted = Intent.of(named.intent(post("5")));
    bench.server.enqueue(Reply.status(200));
    named.send(post("5"), BodyHandlers.discarding());
    JournalUnderTest.assertSame(journal.intents().get(0), enlisted);
    assertEquals(1, journal.claims(), "enlisting is the journal's own");
  }

  @Test
  void whatCannotBeEnlistedIsRefused() {
    assertThrows(IllegalArgumentException.class, () -> client.intent(post("5")), "no name");
    assertThrows(NullPointerException.class, () -> named.intent(null));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aHeaderThatIsMadeOncePerOperationIsResumedIfItIsKept(boolean kept) throws Exception {
    if (kept) {
      journal.settings(
          Settings.defaults()
              .addedByClient("Authorization")
              .withHeaders("repeatability-first-sent"));
    }
    AtomicInteger made = new AtomicInteger();
    RetryingHttpClient stamping =
        bench.client(
            bench
                .retry()
                .journal(journal)
                .idempotencyKeys(IdempotencyKeys.repeatableRequests())
                .oncePerOperation(
                    "Repeatability-First-Sent",
                    (request, now) -> Optional.of("" + made.incrementAndGet())));
    bench.server.enqueue(Reply.status(500), Reply.status(404), Reply.status(200));
    stamping.with(once()).send(post("5"), BodyHandlers.discarding());
    stamping.sender().send(journal, journal.intents().get(0));
    stamping.with(once()).send(post("5"), BodyHandlers.discarding());
    assertEquals(
        kept ? List.of("1", "1", "2") : List.of("1", "2", "3"),
        bench.server.requests().stream()
            .map(each -> each.header("Repeatability-First-Sent").orElseThrow())
            .toList());
    assertEquals(
        1,
        bench.server.requests().stream()
            .map(each -> each.headerValues("Repeatability-Request-ID"))
            .distinct()
            .count());
  }

  @Test
  void aWebSocketIsNotJournaled() {
    assertEquals(
        "journaled operation charge: a web socket (expected: a request that a journal can keep)",
        assertThrows(IllegalArgumentException.class, named::newWebSocketBuilder).getMessage());
  }

  @Test
  void withoutItsBodyARequestCannotBeResumed() {
    journal.settings(Settings.defaults().addedByClient("Authorization").withoutRequestBodies());
    Intent bodiless = Intent.of(named.intent(post("5")));
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> client.sender().send(journal, bodiless));
    assertFalse(refused.getMessage().contains("order-1"), "the key may be a secret");
    assertEquals(0, bench.server.requests().size());
  }

  /** Timeout and version of the first request are not kept: each process has its own. */
  @Test
  void timeoutAndVersionAreThoseOfTheClientThatResumes() throws Exception {
    HttpRequest hasty =
        request()
            .PUT(BodyPublishers.ofString("5"))
            .timeout(Duration.ofNanos(1))
            .version(HttpClient.Version.HTTP_2)
            .build();
    Intent due = Intent.of(named.intent(hasty));
    bench.server.enqueue(Reply.status(200));
    client.sender().send(journal, due);
    assertEquals(State.SUCCEEDED, journal.endings().get(0).state());
    assertTrue(bench.server.requests().get(0).header("Upgrade").isEmpty());
  }

  @Test
  void anInterruptEndsTheSender() {
    Intent due = Intent.of(named.intent(post("5")));
    Thread.currentThread().interrupt();
    assertThrows(InterruptedException.class, () -> client.sender().send(journal, due));
    assertEquals(0, bench.server.requests().size());
  }

  /** Options of the view that resumes, such as a key, do not change the key of the operation. */
  @Test
  void aResumedOneKeepsItsKeyWhateverTheViewIsFor() throws Exception {
    bench.server.enqueue(Reply.status(500), Reply.status(200));
    named.send(post("5"), BodyHandlers.discarding());
    RetryingHttpClient other =
        client.with(RetryOptions.builder().idempotencyKey("other").derivedKey("name").build());
    other.sender().send(journal, journal.intents().get(0));
    List<String> keys =
        bench.server.requests().stream()
            .map(each -> each.header("Idempotency-Key").orElseThrow())
            .distinct()
            .toList();
    assertEquals(1, keys.size());
  }
}
