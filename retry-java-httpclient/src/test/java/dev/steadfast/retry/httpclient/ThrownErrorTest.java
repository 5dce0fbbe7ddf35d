package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryBudget.Withdrawal;
import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.RetryScheduler;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.engine.Outcome;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.threads.TimerScheduler;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever code of the user's throws, an {@code Error} included: the operation ends. */
class ThrownErrorTest {
  @RegisterExtension private final Bench bench = new Bench();
  private final Ledger ledger = new Ledger();

  private HttpRetry.Builder retry() {
    return HttpRetry.builder().policy(policy().build()).budget(ledger).guard(ledger);
  }

  private static RetryPolicy.Builder policy() {
    return RetryPolicy.builder()
        .backoff(Backoff.fixed(Duration.ofMillis(1)))
        .totalTimeout(Duration.ofMinutes(1));
  }

  private static HttpClient client(HttpRetry.Builder retry) {
    return RetryingHttpClient.wrap(Bench.plain().build(), retry.build());
  }

  private static Error mine() {
    return new AssertionError("mine");
  }

  private static boolean isMine(Throwable thrown) {
    return Stream.iterate(thrown, Objects::nonNull, Throwable::getCause)
        .anyMatch(each -> "mine".equals(each.getMessage()));
  }

  private static <T> HttpResponse<T> inTime(
      Entry entry, HttpClient client, HttpRequest request, BodyHandler<T> handler)
      throws Throwable {
    Throwable[] thrown = new Throwable[1];
    HttpResponse<T> response =
        assertTimeoutPreemptively(
            Duration.ofSeconds(10),
            () -> {
              try {
                return entry.call(client, request, handler);
              } catch (Throwable failure) {
                thrown[0] = failure;
                return null;
              }
            });
    if (thrown[0] != null) {
      throw thrown[0];
    }
    return response;
  }

  private Throwable endsWithMine(Entry entry, HttpClient client, HttpRequest request) {
    Throwable thrown =
        assertThrows(
            Throwable.class, () -> inTime(entry, client, request, BodyHandlers.ofString()));
    assertTrue(isMine(thrown), () -> "ended with " + thrown);
    assertEquals("0 operations, 0 permits", ledger.settled());
    return thrown;
  }

  // ---- what takes the response

  static Stream<Arguments> entriesAndFaults() {
    return Stream.of(Entry.values())
        .flatMap(entry -> Stream.of(UserFault.values()).map(fault -> Arguments.of(entry, fault)));
  }

  @ParameterizedTest
  @MethodSource("entriesAndFaults")
  void whatTakesTheResponse(Entry entry, UserFault fault) {
    Throwable thrown =
        assertThrows(
            Throwable.class, () -> inTime(entry, client(retry()), bench.put("a"), fault.handler()));
    boolean hasNone = fault.name().endsWith("NULL");
    assertTrue(hasNone || isMine(thrown), () -> "ended with " + thrown);
    assertEquals("0 operations, 0 permits", ledger.settled());
    assertEquals(1, bench.server.requests().size());
    RetryReport report = RetryReport.of(thrown).orElseThrow();
    boolean none = fault == UserFault.GET_BODY_GIVES_NULL; // nobody has thrown anything
    assertEquals(none ? StopReason.NOT_RETRYABLE : StopReason.USER_CODE_FAILED, report.reason());
    assertEquals(Disposition.ANSWERED, report.last().orElseThrow().disposition());
  }

  @ParameterizedTest
  @EnumSource
  void aSubscriberThatThrowsWhenItIsToldThatTheBodyBroke(Entry entry) {
    bench.server.enqueue(Reply.truncatedBody(200, 100, "abc"));
    assertThrows(
        IOException.class,
        () ->
            inTime(
                entry,
                client(retry()),
                bench.put("a"),
                info ->
                    new PassingSubscriber<>(text()) {
                      @Override
                      public void onError(Throwable failure) {
                        super.onError(failure);
                        throw mine();
                      }
                    }));
    assertEquals(1, bench.server.requests().size(), "the subscriber has had the beginning");
    assertEquals("0 operations, 0 permits", ledger.settled());
  }

  // ---- what gives the request body

  /** Where a publisher fails. */
  enum Publishing {
    SUBSCRIBE,
    REQUEST
  }

  private record Failing(Publishing where, BodyPublisher bytes) implements BodyPublisher {
    @Override
    public long contentLength() {
      return bytes.contentLength();
    }

    @Override
    public void subscribe(Flow.Subscriber<? super ByteBuffer> subscriber) {
      if (where == Publishing.SUBSCRIBE) {
        throw mine();
      }
      subscriber.onSubscribe(
          new Flow.Subscription() {
            @Override
            public void request(long n) {
              throw mine();
            }

            @Override
            public void cancel() {}
          });
    }
  }

  static Stream<Arguments> entriesAndPublishings() {
    return Stream.of(Entry.values())
        .flatMap(entry -> Stream.of(Publishing.values()).map(where -> Arguments.of(entry, where)));
  }

  @ParameterizedTest
  @MethodSource("entriesAndPublishings")
  void whatGivesTheRequestBody(Entry entry, Publishing where) {
    HttpRequest request =
        HttpRequest.newBuilder(bench.server.uri("/"))
            .PUT(new Failing(where, BodyPublishers.ofString("a")))
            .build();
    Throwable thrown = endsWithMine(entry, client(retry()), request);
    RetryReport report = RetryReport.of(thrown).orElseThrow();
    assertEquals(StopReason.USER_CODE_FAILED, report.reason());
    assertEquals(1, report.attempts());
  }

  // ---- rules, guards, budgets, listeners

  /** Where a guard throws. */
  enum Guarding {
    ASKED,
    ACQUIRED,
    ANSWERED
  }

  /** Where a budget throws. */
  enum Budgeting {
    FAILED,
    WITHDRAWN,
    ENDED
  }

  private record ThrowingBudget(Budgeting where) implements RetryBudget, RetryBudget.Account {
    private void throwIf(Budgeting here) {
      if (here == where) {
        throw mine();
      }
    }

    @Override
    public Account account(String origin) {
      return this;
    }

    @Override
    public void attemptFailed(FailureKind kind, Withdrawal last, long nowNanos) {
      throwIf(Budgeting.FAILED);
    }

    @Override
    public Withdrawal tryWithdraw(FailureKind kind, long nowNanos) {
      throwIf(Budgeting.WITHDRAWN);
      return Withdrawal.of(1);
    }

    @Override
    public void refund(Withdrawal withdrawal, long nowNanos) {}

    @Override
    public void operationEnded(Outcome outcome, Withdrawal last, long nowNanos) {
      throwIf(Budgeting.ENDED);
    }
  }

  static Stream<Arguments> entriesAndBudgetings() {
    return Stream.of(Entry.values())
        .flatMap(entry -> Stream.of(Budgeting.values()).map(where -> Arguments.of(entry, where)));
  }

  @ParameterizedTest
  @MethodSource("entriesAndBudgetings")
  void aBudgetThatThrows(Entry entry, Budgeting where) {
    bench.server.enqueue(Reply.status(503));
    endsWithMine(entry, client(retry().budget(new ThrowingBudget(where))), bench.put("a"));
  }

  // ---- the scheduler

  /** Throws at one call, and works at all others. */
  private static final class ThrowingScheduler implements RetryScheduler {
    private final RetryScheduler works = TimerScheduler.system();
    private final AtomicInteger calls = new AtomicInteger();
    private final int throwsAt;

    ThrowingScheduler(int throwsAt) {
      this.throwsAt = throwsAt;
    }

    @Override
    public boolean isVirtual() {
      return true;
    }

    @Override
    public Task schedule(long delayNanos, Runnable task) {
      if (calls.incrementAndGet() == throwsAt) {
        throw mine();
      }
      return works.schedule(delayNanos, task);
    }

    @Override
    public boolean await(CountDownLatch wake, long nanos) throws InterruptedException {
      if (calls.incrementAndGet() == throwsAt) {
        throw mine();
      }
      return works.await(wake, nanos);
    }
  }

  static Stream<Arguments> entriesAndCalls() {
    return Stream.of(Entry.values())
        .flatMap(
            entry -> Stream.of(1, 2, 3, 4, 5, 6).map(throwsAt -> Arguments.of(entry, throwsAt)));
  }

  /** The first calls are timers of attempts, discarded bodies and waits, in the adapter's order. */
  @ParameterizedTest
  @MethodSource("entriesAndCalls")
  void aSchedulerThatThrows(Entry entry, int throwsAt) throws Throwable {
    bench.server.enqueue(Reply.status(503).body("sorry"));
    RetryEnvironment environment =
        RetryEnvironment.system().withScheduler(new ThrowingScheduler(throwsAt));
    try {
      HttpClient client = client(retry().environment(environment));
      assertEquals(
          200, inTime(entry, client, bench.put("a"), BodyHandlers.ofString()).statusCode());
    } catch (AssertionError timedOut) {
      assertTrue(isMine(timedOut), timedOut::getMessage);
    } catch (Exception thrown) {
      assertTrue(isMine(thrown), () -> "ended with " + thrown);
    }
    assertEquals("0 operations, 0 permits", ledger.settled());
  }

  // ---- a body stage that shows no future

  /** As far as a {@code CompletionStage} must go: it need not show a {@code CompletableFuture}. */
  private static final class Reserved<T> extends CompletableFuture<T> {
    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
      return new Reserved<>();
    }

    @Override
    public CompletableFuture<T> toCompletableFuture() {
      throw new UnsupportedOperationException();
    }
  }

  private static BodySubscriber<String> text() {
    return BodySubscribers.ofString(StandardCharsets.UTF_8);
  }

  /** Collects text in memory, and shows the body as a reserved stage. */
  private static final class ReservedText extends PassingSubscriber<String> {
    private final Throwable failure;

    ReservedText(Throwable failure) {
      super(text());
      this.failure = failure;
    }

    @Override
    public CompletionStage<String> getBody() {
      Reserved<String> body = new Reserved<>();
      super.getBody()
          .whenComplete((value, thrown) -> {
            Throwable end = failure == null ? thrown : failure;
            if (end == null) {
              body.complete(value);
            } else {
              body.completeExceptionally(end);
            }
          });
      return body;
    }
  }

  @ParameterizedTest
  @EnumSource
  void aReservedBodyStageGivesItsBody(Entry entry) throws Throwable {
    HttpResponse<String> response =
        inTime(entry, client(retry()), bench.put("a"), info -> new ReservedText(null));
    assertEquals("ok", response.body());
  }

  @ParameterizedTest
  @EnumSource
  void aReservedBodyStageGivesItsFailure(Entry entry) {
    Throwable thrown =
        assertThrows(
            Throwable.class,
            () -> inTime(entry, client(retry()), bench.put("a"), info -> new ReservedText(mine())));
    assertTrue(isMine(thrown), () -> "ended with " + thrown);
    assertEquals("0 operations, 0 permits", ledger.settled());
  }

  @ParameterizedTest
  @EnumSource
  void aBrokenBodyUnderAReservedStageEndsTheOperation(Entry entry) {
    bench.server.enqueue(Reply.truncatedBody(200, 100, "abc"));
    assertThrows(
        IOException.class,
        () -> inTime(entry, client(retry()), bench.put("a"), info -> new ReservedText(null)));
    assertEquals(1, bench.server.requests().size(), "the subscriber has had the beginning");
    assertEquals("0 operations, 0 permits", ledger.settled());
  }
}
