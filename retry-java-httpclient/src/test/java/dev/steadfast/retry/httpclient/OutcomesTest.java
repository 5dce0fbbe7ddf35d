package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.AttemptRefusedException;
import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.Guard;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.RetryScheduler;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.http.HttpClassifier;
import dev.steadfast.retry.http.HttpClassifier.OperationView;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.ResponseView;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.http.Signals;
import dev.steadfast.retry.http.TransportFailure;
import dev.steadfast.retry.tck.RefusedPort;
import dev.steadfast.retry.tck.Reply;
import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the caller gets at each end of an operation, for each entry point. */
class OutcomesTest {
  private final Bench bench = new Bench();

  @AfterEach
  void close() {
    bench.close();
  }

  private HttpResponse<String> lastResponse(Entry entry, HttpClient client, HttpRequest request)
      throws Throwable {
    HttpResponse<String> response = entry.call(client, request, BodyHandlers.ofString());
    assertEquals("sorry", response.body());
    return response;
  }

  private <X extends Throwable> X failure(
      Entry entry, Class<X> type, HttpClient client, HttpRequest request) {
    X thrown = assertThrows(type, () -> entry.call(client, request, BodyHandlers.ofString()));
    assertEquals(type, thrown.getClass());
    return thrown;
  }

  private static RetryReport report(Throwable thrown) {
    return RetryReport.of(thrown).orElseThrow();
  }

  // ---- the last response

  @ParameterizedTest
  @EnumSource
  void permanentStatus(Entry entry) throws Throwable {
    bench.server.defaultReply(Reply.status(404).body("sorry"));
    HttpResponse<String> response = lastResponse(entry, bench.client(), bench.get());
    assertEquals(404, response.statusCode());
    assertEquals(StopReason.NOT_RETRYABLE, JdkReports.of(response).reason());
    assertEquals(1, bench.server.requests().size());
  }

  @ParameterizedTest
  @EnumSource
  void unsafeRequest(Entry entry) throws Throwable {
    bench.server.defaultReply(Reply.status(503).body("sorry"));
    HttpResponse<String> response = lastResponse(entry, bench.client(), bench.post("order"));
    assertEquals(StopReason.NOT_REPLAYABLE, JdkReports.of(response).reason());
    assertEquals(1, bench.server.requests().size());
  }

  @ParameterizedTest
  @EnumSource
  void attemptsExhausted(Entry entry) throws Throwable {
    bench.server.enqueue(Reply.status(500), Reply.status(502));
    bench.server.defaultReply(Reply.status(503).body("sorry"));
    HttpResponse<String> response = lastResponse(entry, bench.client(), bench.get());
    RetryReport report = JdkReports.of(response);
    assertEquals(503, response.statusCode());
    assertEquals(StopReason.ATTEMPTS_EXHAUSTED, report.reason());
    assertEquals(
        List.of("500", "502", "503"),
        report.attemptReports().stream().map(each -> each.outcome()).toList());
    assertEquals(3, bench.server.requests().size());
  }

  @ParameterizedTest
  @EnumSource
  void doNotRetry(Entry entry) throws Throwable {
    bench.server.defaultReply(Reply.status(503).header("x-should-retry", "false").body("sorry"));
    HttpResponse<String> response = lastResponse(entry, bench.client(), bench.get());
    assertEquals(StopReason.DO_NOT_RETRY, JdkReports.of(response).reason());
  }

  @ParameterizedTest
  @EnumSource
  void serverDelayTooLong(Entry entry) throws Throwable {
    bench.server.defaultReply(Reply.status(503).header("Retry-After", "3600").body("sorry"));
    HttpResponse<String> response = lastResponse(entry, bench.client(), bench.get());
    RetryReport report = JdkReports.of(response);
    assertEquals(StopReason.SERVER_DELAY_TOO_LONG, report.reason());
    assertEquals(Optional.of(Duration.ofHours(1)), report.serverDelay());
  }

  @ParameterizedTest
  @EnumSource
  void keyReused(Entry entry) throws Throwable {
    bench.server.defaultReply(Reply.status(422).body("sorry"));
    RetryingHttpClient client =
        bench.client(bench.retry().idempotencyKeys(IdempotencyKeys.randomUuid()));
    HttpResponse<String> response = lastResponse(entry, client, bench.post("order"));
    assertEquals(StopReason.KEY_REUSED, JdkReports.of(response).reason());
  }

  @ParameterizedTest
  @EnumSource
  void budgetExhausted(Entry entry) throws Throwable {
    bench.server.defaultReply(Reply.status(503).body("sorry"));
    RetryingHttpClient client = bench.client(bench.retry().budget(RetryBudget.awsQuota(14, 14, 5)));
    HttpResponse<String> response = lastResponse(entry, client, bench.get());
    assertEquals(StopReason.BUDGET_EXHAUSTED, JdkReports.of(response).reason());
    assertEquals(2, bench.server.requests().size());
  }

  @ParameterizedTest
  @EnumSource
  void deadlineBeforeAWait(Entry entry) throws Throwable {
    bench.server.defaultReply(Reply.status(503).header("Retry-After", "5").body("sorry"));
    RetryOptions soon = RetryOptions.builder().deadline(Duration.ofSeconds(4)).build();
    HttpResponse<String> response = lastResponse(entry, bench.client().with(soon), bench.get());
    RetryReport report = JdkReports.of(response);
    assertEquals(StopReason.DEADLINE, report.reason());
    assertEquals(Duration.ZERO, report.waited());
    assertEquals(1, bench.server.requests().size());
  }

  // ---- the last exception

  @ParameterizedTest
  @EnumSource
  void connectionLostOnAnUnsafeRequest(Entry entry) {
    bench.server.defaultReply(Reply.closeAfterRequest());
    IOException thrown = failure(entry, IOException.class, bench.client(), bench.post("order"));
    assertEquals("HTTP/1.1 header parser received no bytes", thrown.getMessage());
    RetryReport report = report(thrown);
    assertEquals(StopReason.NOT_REPLAYABLE, report.reason());
    assertTrue(report.serverMayHaveActed());
    assertEquals(1, bench.server.requests().size());
  }

  @ParameterizedTest
  @EnumSource
  void connectionLostOnEveryAttempt(Entry entry) {
    bench.server.defaultReply(Reply.resetAfterRequest());
    IOException thrown = failure(entry, IOException.class, bench.client(), bench.put("a"));
    RetryReport report = report(thrown);
    assertEquals(StopReason.ATTEMPTS_EXHAUSTED, report.reason());
    assertSame(thrown, report.last().orElseThrow().failure().orElseThrow());
    assertEquals(3, bench.server.requests().size());
  }

  @ParameterizedTest
  @EnumSource
  void connectionRefusedOnEveryAttemptOfAnUnsafeRequest(Entry entry) {
    try (RefusedPort nobody = RefusedPort.open()) {
      HttpRequest request =
          HttpRequest.newBuilder(nobody.uri("/"))
              .POST(HttpRequest.BodyPublishers.ofString("order"))
              .build();
      ConnectException thrown = failure(entry, ConnectException.class, bench.client(), request);
      RetryReport report = report(thrown);
      assertEquals(StopReason.ATTEMPTS_EXHAUSTED, report.reason());
      assertEquals(Disposition.UNSENT, report.last().orElseThrow().disposition());
      assertEquals(3, report.attempts());
      assertEquals(false, report.serverMayHaveActed());
    }
  }

  @ParameterizedTest
  @EnumSource
  void exceptionAfterAResponse(Entry entry) {
    bench.server.enqueue(Reply.status(503));
    bench.server.defaultReply(Reply.closeAfterRequest());
    IOException thrown = failure(entry, IOException.class, bench.client(), bench.put("a"));
    assertEquals(
        List.of("503", "IOException", "IOException"),
        report(thrown).attemptReports().stream().map(each -> each.outcome()).toList());
  }

  @ParameterizedTest
  @EnumSource
  void responseAfterAnException(Entry entry) throws Throwable {
    bench.server.enqueue(Reply.closeAfterRequest(), Reply.closeAfterRequest());
    bench.server.defaultReply(Reply.status(503).body("sorry"));
    HttpResponse<String> response = lastResponse(entry, bench.client(), bench.put("a"));
    assertEquals(
        List.of("IOException", "IOException", "503"),
        JdkReports.of(response).attemptReports().stream().map(each -> each.outcome()).toList());
  }

  /** Real time; longer and longer until it was not up before the server had the request. */
  @ParameterizedTest
  @EnumSource
  void theRequestsOwnTimeoutBoundsAnAttempt(Entry entry) {
    bench.server.defaultReply(Reply.stallAfterRequest());
    for (long millis = 50; ; millis *= 2) {
      String path = "/" + millis;
      HttpRequest request =
          HttpRequest.newBuilder(bench.server.uri(path))
              .POST(HttpRequest.BodyPublishers.ofString("order"))
              .timeout(Duration.ofMillis(millis))
              .build();
      HttpTimeoutException thrown =
          assertThrows(
              HttpTimeoutException.class,
              () -> entry.call(bench.client(), request, BodyHandlers.ofString()));
      if (bench.server.requests().stream().anyMatch(each -> each.target().equals(path))) {
        assertEquals(HttpTimeoutException.class, thrown.getClass());
        assertEquals("request timed out", thrown.getMessage());
        assertEquals(StopReason.NOT_REPLAYABLE, report(thrown).reason());
        return;
      }
    }
  }

  // ---- time

  @ParameterizedTest
  @EnumSource
  void deadlineWithinAnAttempt(Entry entry) {
    bench.server.defaultReply(Reply.stallAfterRequest());
    bench.server.whenRequest(request -> bench.time.advance(Duration.ofSeconds(30)));
    HttpTimeoutException thrown =
        failure(entry, HttpTimeoutException.class, bench.client(), bench.get());
    assertEquals(
        "request timed out: the total timeout of 30s is over (totalTimeout)", thrown.getMessage());
    assertEquals(StopReason.DEADLINE, report(thrown).reason());
    assertEquals(Duration.ofSeconds(30), report(thrown).elapsed());
    bench.awaitNothingScheduled();
  }

  @ParameterizedTest
  @EnumSource
  void attemptThatTimesOutIsRetried(Entry entry) throws Throwable {
    bench.server.enqueue(Reply.stallAfterRequest());
    AtomicInteger requests = new AtomicInteger();
    bench.server.whenRequest(request -> {
      if (requests.incrementAndGet() == 1) {
        bench.time.advance(Duration.ofSeconds(5));
      }
    });
    RetryPolicy policy =
        RetryPolicy.builder()
            .attemptTimeout(Duration.ofSeconds(5))
            .backoff(Backoff.fixed(Duration.ofSeconds(1)))
            .build();
    HttpResponse<String> response =
        entry.call(
            bench.client(bench.retry().policy(policy)), bench.get(), BodyHandlers.ofString());
    RetryReport report = JdkReports.of(response);
    assertEquals(200, response.statusCode());
    assertEquals(
        List.of("HttpTimeoutException", "200"),
        report.attemptReports().stream().map(each -> each.outcome()).toList());
    assertEquals(Duration.ofSeconds(6), report.elapsed());
    bench.awaitNothingScheduled();
  }

  @ParameterizedTest
  @EnumSource
  void unsafeAttemptThatTimesOutIsNot(Entry entry) {
    bench.server.defaultReply(Reply.stallAfterRequest());
    bench.server.whenRequest(request -> bench.time.advance(Duration.ofSeconds(5)));
    RetryPolicy policy = RetryPolicy.builder().attemptTimeout(Duration.ofSeconds(5)).build();
    HttpTimeoutException thrown =
        failure(
            entry,
            HttpTimeoutException.class,
            bench.client(bench.retry().policy(policy)),
            bench.post("order"));
    assertEquals(StopReason.NOT_REPLAYABLE, report(thrown).reason());
  }

  // ---- guards, executors, schedulers

  @ParameterizedTest
  @EnumSource
  void guardThatRefusesAfterAWait(Entry entry) {
    bench.server.enqueue(
        Reply.status(503).header("Retry-After", "2").header("X-Reason", "maintenance"));
    HttpRetry.Builder retry = bench.retry().guard(new AdmitsOne());
    AttemptRefusedException thrown =
        failure(entry, AttemptRefusedException.class, bench.client(retry), bench.get());
    assertEquals("full", thrown.getCause().getMessage());
    assertEquals(OptionalInt.of(503), thrown.status());
    assertEquals(Optional.of(Duration.ofSeconds(2)), thrown.serverDelay());
    assertEquals(
        List.of("maintenance"),
        thrown.headers().entrySet().stream()
            .filter(each -> each.getKey().equalsIgnoreCase("X-Reason"))
            .findFirst()
            .orElseThrow()
            .getValue());
    assertEquals(StopReason.GUARD_REFUSED, report(thrown).reason());
    assertEquals(1, bench.server.requests().size());
  }

  /** Refuses every attempt but the first, and does not say so before. */
  private static final class AdmitsOne implements Guard {
    private final AtomicInteger admitted = new AtomicInteger();

    @Override
    public long admitsInNanos(OperationInfo operation, long nowNanos) {
      return 0;
    }

    @Override
    public Permit acquire(OperationInfo operation, long nowNanos) {
      if (admitted.incrementAndGet() > 1) {
        throw new IllegalStateException("full");
      }
      return new Permit() {
        @Override
        public void succeeded(long elapsedNanos) {}

        @Override
        public void failed(Guard.Failure how, Throwable failure) {}

        @Override
        public void released() {}
      };
    }
  }

  @ParameterizedTest
  @EnumSource
  void schedulerThatTakesNoMore(Entry entry) {
    bench.server.defaultReply(Reply.status(503).header("Retry-After", "2"));
    RejectedExecutionException full = new RejectedExecutionException("full");
    RetryPolicy policy = RetryPolicy.builder().noTotalTimeout().build();
    HttpRetry.Builder retry =
        bench
            .retry()
            .policy(policy)
            .environment(bench.time.environment().withScheduler(refusing(full)));
    IOException thrown = failure(entry, IOException.class, bench.client(retry), bench.get());
    assertSame(full, thrown.getCause());
    assertEquals(StopReason.REJECTED, report(thrown).reason());
  }

  private static RetryScheduler refusing(RejectedExecutionException reason) {
    return new RetryScheduler() {
      @Override
      public boolean isVirtual() {
        return true;
      }

      @Override
      public Task schedule(long delayNanos, Runnable task) {
        throw reason;
      }

      @Override
      public boolean await(CountDownLatch wake, long nanos) {
        throw reason;
      }
    };
  }

  // ---- user code

  @ParameterizedTest
  @EnumSource
  void classifierThatThrows(Entry entry) {
    IllegalStateException mine = new IllegalStateException("mine");
    HttpRetry.Builder retry = bench.retry().classifier(throwing(mine));
    IllegalStateException thrown =
        failure(entry, IllegalStateException.class, bench.client(retry), bench.get());
    assertSame(mine, thrown);
    assertEquals(StopReason.USER_CODE_FAILED, report(thrown).reason());
    assertEquals(1, bench.server.requests().size());
  }

  private static HttpClassifier throwing(RuntimeException reason) {
    return new HttpClassifier() {
      @Override
      public Verdict onResponse(OperationView operation, ResponseView response, Signals signals) {
        throw reason;
      }

      @Override
      public Verdict onFailure(OperationView operation, TransportFailure failure) {
        throw reason;
      }
    };
  }

  @ParameterizedTest
  @EnumSource
  void clientThatRefusesTheRequest(Entry entry) {
    HttpRequest request = new ForeignRequest("CONNECT", bench.server.uri("/"));
    failure(entry, IllegalArgumentException.class, bench.client(), request);
    assertThrows(
        IllegalArgumentException.class,
        () -> bench.client().sendAsync(request, BodyHandlers.ofString()),
        "thrown, not put into the future");
  }

  // With JDK 17, send of the plain client hangs then; BadExecutorTest shows that ours has a
  // deadline.
  @ParameterizedTest
  @EnumSource(names = "SEND_ASYNC")
  void executorThatTakesNoMore(Entry entry) {
    HttpClient plain =
        Bench.plain()
            .executor(task -> {
              throw new RejectedExecutionException("full");
            })
            .build();
    HttpClient client = RetryingHttpClient.wrap(plain, bench.retry().build());
    Throwable thrown =
        assertThrows(
            Exception.class, () -> entry.call(client, bench.get(), BodyHandlers.ofString()));
    Throwable full = thrown;
    while (full instanceof IOException) {
      full = full.getCause(); // the client's send wraps it
    }
    assertInstanceOf(RejectedExecutionException.class, full);
    assertEquals(StopReason.REJECTED, report(thrown).reason());
    assertEquals(1, report(thrown).attempts());
  }
}
