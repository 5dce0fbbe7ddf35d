package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.tck.Received;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import dev.steadfast.retry.tck.internal.JournalUnderTest;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.PushPromiseHandler;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A client of the user's own making that sends again by itself, within one call. */
class DecoratedClientTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final Reply CREATED = Reply.status(201).body("created");
  private static final Reply STALE_TOKEN = Reply.status(401).body("token");

  @RegisterExtension private final Bench bench = new Bench();

  /** Sends once more, what a function makes of the answer or of the failure. */
  private static final class Again extends DelegatingClient {
    private final Function<HttpResponse<?>, Optional<HttpRequest>> onAnswer;
    private final Function<Throwable, Optional<HttpRequest>> onFailure;

    Again(
        Function<HttpResponse<?>, Optional<HttpRequest>> onAnswer,
        Function<Throwable, Optional<HttpRequest>> onFailure) {
      super(Bench.plain().build());
      this.onAnswer = onAnswer;
      this.onFailure = onFailure;
    }

    @Override
    public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler)
        throws IOException, InterruptedException {
      HttpResponse<T> first;
      try {
        first = super.send(request, handler);
      } catch (IOException failed) {
        Optional<HttpRequest> next = onFailure.apply(failed);
        if (next.isEmpty()) {
          throw failed;
        }
        return super.send(next.get(), handler);
      }
      Optional<HttpRequest> next = onAnswer.apply(first);
      return next.isPresent() ? super.send(next.get(), handler) : first;
    }

    @Override
    public <T> CompletableFuture<HttpResponse<T>> sendAsync(
        HttpRequest request, BodyHandler<T> handler, PushPromiseHandler<T> pushes) {
      return super.sendAsync(request, handler, pushes)
          .handle((first, failed) -> {
            Optional<HttpRequest> next =
                failed == null ? onAnswer.apply(first) : onFailure.apply(failed);
            return next.map(again -> super.sendAsync(again, handler, pushes))
                .orElseGet(() ->
                    failed == null
                        ? CompletableFuture.completedFuture(first)
                        : CompletableFuture.failedFuture(failed));
          })
          .thenCompose(Function.identity());
    }
  }

  private static Again on(int status, Function<HttpRequest, HttpRequest> next) {
    return new Again(
        answer ->
            answer.statusCode() == status
                ? Optional.of(next.apply(answer.request()))
                : Optional.empty(),
        failure -> Optional.empty());
  }

  /** A new token in the place of one that the server does not take. */
  private static Again refreshing() {
    return on(
        401,
        request ->
            HttpRequest.newBuilder(request, (name, value) -> true)
                .setHeader("Authorization", "fresh")
                .build());
  }

  private static Again resending(int status) {
    return on(status, Function.identity());
  }

  /** Sends to another place what got no answer. */
  private static Again failingOver(HttpRequest elsewhere) {
    return new Again(answer -> Optional.empty(), failure -> Optional.of(elsewhere));
  }

  private RetryingHttpClient keyless(HttpClient delegate) {
    return RetryingHttpClient.wrap(delegate, bench.retry().build());
  }

  private RetryingHttpClient keyed(HttpClient delegate) {
    return RetryingHttpClient.wrap(
        delegate, bench.retry().idempotencyKeys(IdempotencyKeys.randomUuid()).build());
  }

  private List<String> bodies() {
    return bench.server.requests().stream().map(Received::bodyText).toList();
  }

  private static void ends(StopReason reason, int attempts, RetryReport report) {
    assertEquals(reason, report.reason(), report::toString);
    assertEquals(attempts, report.attempts(), report::toString);
  }

  // ---- a token that has expired

  @ParameterizedTest
  @EnumSource
  void theAnswerAfterARefreshIsThatOfTheAttempt(Entry entry) throws Throwable {
    bench.server.enqueue(STALE_TOKEN, CREATED);
    List<Integer> handled = new CopyOnWriteArrayList<>();

    HttpResponse<String> response =
        entry.call(
            keyed(refreshing()),
            bench.post("100"),
            info -> {
              handled.add(info.statusCode());
              return BodyHandlers.ofString().apply(info);
            });

    assertEquals(201, response.statusCode());
    assertEquals("created", response.body());
    RetryReport report = JdkReports.of(response);
    ends(StopReason.ACCEPTED, 1, report);
    assertTrue(report.serverMayHaveActed());
    assertFalse(report.outcomeUnknown());
    assertEquals(List.of(401, 201), handled); // as with the plain client
    assertEquals(List.of("100", "100"), bodies());
    List<Optional<String>> keys = new CopyOnWriteArrayList<>();
    bench.server.requests().forEach(each -> keys.add(each.header("Idempotency-Key")));
    assertEquals(List.of(report.idempotencyKey(), report.idempotencyKey()), keys);
  }

  @ParameterizedTest
  @EnumSource
  void theAnswerOfTheFirstAttemptIsLostAndTheTokenExpires(Entry entry) throws Throwable {
    bench.server.enqueue(Reply.closeAfterRequest(), STALE_TOKEN, CREATED);

    HttpResponse<String> response =
        entry.call(keyed(refreshing()), bench.post("100"), BodyHandlers.ofString());

    assertEquals(201, response.statusCode());
    ends(StopReason.ACCEPTED, 2, JdkReports.of(response));
    long keys =
        bench.server.requests().stream()
            .map(each -> each.header("Idempotency-Key").orElseThrow())
            .distinct()
            .count();
    assertEquals(1, keys);
    assertEquals(3, bench.server.requests().size());
  }

  /** The 401 did nothing, so a refusal of the second request leaves nothing behind either. */
  @ParameterizedTest
  @EnumSource
  void aThrottledRequestAfterARefreshIsSentAgain(Entry entry) throws Throwable {
    bench.server.enqueue(STALE_TOKEN, Reply.status(429), CREATED);

    HttpResponse<String> response =
        entry.call(keyless(refreshing()), bench.post("100"), BodyHandlers.ofString());

    assertEquals(201, response.statusCode());
    ends(StopReason.ACCEPTED, 2, JdkReports.of(response));
    assertEquals(3, bench.server.requests().size());
  }

  @ParameterizedTest
  @EnumSource
  void theAnswerAfterARefreshIsLost(Entry entry) throws Throwable {
    bench.server.enqueue(STALE_TOKEN, Reply.closeAfterRequest(), CREATED);
    IOException lost =
        assertThrows(
            IOException.class,
            () -> entry.call(keyless(refreshing()), bench.post("100"), BodyHandlers.ofString()));
    RetryReport report = RetryReport.of(lost).orElseThrow();
    ends(StopReason.NOT_REPLAYABLE, 1, report);
    assertTrue(report.serverMayHaveActed());
    assertTrue(report.outcomeUnknown());
    assertEquals(2, bench.server.requests().size());

    bench.server.defaultReply(CREATED);
    assertEquals(
        201,
        entry.call(keyed(refreshing()), bench.post("100"), BodyHandlers.ofString()).statusCode());
  }

  @ParameterizedTest
  @EnumSource
  void theJournalKeepsTheAnswerAfterARefresh(Entry entry) throws Throwable {
    bench.server.enqueue(STALE_TOKEN, CREATED);
    HttpRetry.Builder retry =
        bench
            .retry()
            .journal(new JournalUnderTest(null))
            .idempotencyKeys(IdempotencyKeys.randomUuid());
    RetryingHttpClient client = RetryingHttpClient.wrap(refreshing(), retry.build());
    RetryOptions charge = RetryOptions.builder().journaled("charge", "order-1").build();

    for (int call = 0; call < 2; call++) {
      HttpResponse<String> response =
          entry.call(client.with(charge), bench.post("100"), BodyHandlers.ofString());
      assertEquals(201, response.statusCode());
      assertEquals("created", response.body());
      assertEquals(
          RetryReport.Effect.SUCCEEDED, JdkReports.of(response).effect(response.statusCode()));
    }

    assertEquals(2, bench.server.requests().size());
  }

  @ParameterizedTest
  @EnumSource
  void aStreamIsThatOfTheLastAnswer(Entry entry) throws Throwable {
    bench.server.enqueue(STALE_TOKEN, CREATED);

    HttpResponse<InputStream> response =
        entry.call(keyed(refreshing()), bench.post("100"), BodyHandlers.ofInputStream());

    try (InputStream body = response.body()) {
      assertEquals("created", new String(body.readAllBytes(), StandardCharsets.UTF_8));
    }
    ends(StopReason.ACCEPTED, 1, JdkReports.of(response));
  }

  /** The time of the attempt runs again for the second request. */
  @ParameterizedTest
  @EnumSource
  void theRequestAfterARefreshTimesOut(Entry entry) throws Throwable {
    bench.server.enqueue(STALE_TOKEN, Reply.stallAfterRequest(), CREATED);
    Duration timeout = Duration.ofSeconds(10);
    HttpRetry retry =
        bench
            .retry()
            .policy(RetryPolicy.builder().attemptTimeout(timeout).build())
            .idempotencyKeys(IdempotencyKeys.randomUuid())
            .build();
    HttpClient client = RetryingHttpClient.wrap(refreshing(), retry);

    try (UnderWay<String> call =
        UnderWay.call(entry, client, bench.post("100"), BodyHandlers.ofString())) {
      bench.server.awaitRequests(2, SOON);
      bench.time.advance(timeout);
      bench.server.awaitRequests(3, SOON);
      assertEquals(201, call.outcome().statusCode());
    }
  }

  // ---- a client that retries by itself

  @ParameterizedTest
  @EnumSource
  void aRequestThatTheClientSendsAgainIsOneAttempt(Entry entry) throws Throwable {
    bench.server.enqueue(Reply.status(503).body("sorry"), CREATED);
    List<Integer> handled = new CopyOnWriteArrayList<>();

    HttpResponse<String> response =
        entry.call(
            keyless(resending(503)),
            bench.post("100"),
            info -> {
              handled.add(info.statusCode());
              return BodyHandlers.ofString().apply(info);
            });

    assertEquals("created", response.body());
    ends(StopReason.ACCEPTED, 1, JdkReports.of(response));
    assertEquals(List.of(201), handled);
    assertEquals(2, bench.server.requests().size());
  }

  /** Whatever the second answer says, the first request may have had an effect. */
  @ParameterizedTest
  @EnumSource
  void anEffectOfTheFirstRequestIsNotForgotten(Entry entry) throws Throwable {
    bench.server.enqueue(Reply.status(503), Reply.status(429).header("X-Why", "load").body("wait"));

    HttpResponse<String> response =
        entry.call(keyless(resending(503)), bench.post("100"), BodyHandlers.ofString());

    assertEquals(429, response.statusCode());
    assertEquals("wait", response.body());
    assertEquals("load", response.headers().firstValue("X-Why").orElseThrow());
    RetryReport report = JdkReports.of(response);
    ends(StopReason.NOT_REPLAYABLE, 1, report);
    assertTrue(report.outcomeUnknown());
    assertEquals(2, bench.server.requests().size());
  }

  @ParameterizedTest
  @EnumSource
  void aLongAnswerThatIsNotRetriedReachesTheCaller(Entry entry) throws Throwable {
    String body = "x".repeat(300_000);
    bench.server.enqueue(Reply.status(503).body(body));

    HttpResponse<String> response =
        entry.call(keyless(resending(500)), bench.post("100"), BodyHandlers.ofString());

    assertEquals(503, response.statusCode());
    assertEquals(body, response.body());
    ends(StopReason.NOT_REPLAYABLE, 1, JdkReports.of(response));
  }

  @ParameterizedTest
  @EnumSource
  void aLongAnswerThatIsRetriedDoesNot(Entry entry) throws Throwable {
    bench.server.enqueue(Reply.status(503).body("x".repeat(300_000)), CREATED);

    HttpResponse<String> response =
        entry.call(keyed(resending(500)), bench.post("100"), BodyHandlers.ofString());

    assertEquals("created", response.body());
    ends(StopReason.ACCEPTED, 2, JdkReports.of(response));
  }

  @ParameterizedTest
  @EnumSource
  void theLastOfSeveralAttemptsHandsItsBodyOver(Entry entry) throws Throwable {
    bench.server.defaultReply(Reply.status(503).body("busy"));

    HttpResponse<String> response =
        entry.call(keyed(resending(500)), bench.post("100"), BodyHandlers.ofString());

    assertEquals("busy", response.body());
    ends(StopReason.ATTEMPTS_EXHAUSTED, 3, JdkReports.of(response));
  }

  // ---- a client that fails over

  @ParameterizedTest
  @EnumSource
  void aRequestThatWasLostBeforeIsNotForgotten(Entry entry) throws Throwable {
    try (ScriptedServer other = ScriptedServer.start()) {
      other.enqueue(Reply.status(429));
      bench.server.enqueue(Reply.closeAfterRequest());

      HttpRequest request = bench.post("100");
      HttpResponse<String> response =
          entry.call(keyless(withBody(other.uri("/things"))), request, BodyHandlers.ofString());

      assertEquals(429, response.statusCode());
      RetryReport report = JdkReports.of(response);
      ends(StopReason.NOT_REPLAYABLE, 1, report);
      assertTrue(report.outcomeUnknown());
      assertEquals(1, bench.server.requests().size());
      assertEquals(1, other.requests().size());
    }
  }

  /** Sends the very body of the first request to another place if that got no answer. */
  private static HttpClient withBody(URI elsewhere) {
    return new DelegatingClient(Bench.plain().build()) {
      private HttpRequest to(HttpRequest request) {
        return HttpRequest.newBuilder(request, (name, value) -> true).uri(elsewhere).build();
      }

      @Override
      public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler)
          throws IOException, InterruptedException {
        try {
          return super.send(request, handler);
        } catch (IOException lost) {
          return super.send(to(request), handler);
        }
      }

      @Override
      public <T> CompletableFuture<HttpResponse<T>> sendAsync(
          HttpRequest request, BodyHandler<T> handler, PushPromiseHandler<T> pushes) {
        return super.sendAsync(request, handler, pushes)
            .handle((first, lost) ->
                lost == null
                    ? CompletableFuture.completedFuture(first)
                    : super.sendAsync(to(request), handler, pushes))
            .thenCompose(Function.identity());
      }
    };
  }

  @ParameterizedTest
  @EnumSource
  void theOtherPlaceAnswers(Entry entry) throws Throwable {
    try (ScriptedServer other = ScriptedServer.start()) {
      bench.server.enqueue(Reply.closeAfterRequest());
      HttpRequest elsewhere =
          HttpRequest.newBuilder(other.uri("/things")).POST(BodyPublishers.ofString("1")).build();

      HttpResponse<String> response =
          entry.call(keyless(failingOver(elsewhere)), bench.post("100"), BodyHandlers.ofString());

      assertEquals(200, response.statusCode());
      ends(StopReason.ACCEPTED, 1, JdkReports.of(response));
      assertEquals(1, other.requests().size());
    }
  }
}
