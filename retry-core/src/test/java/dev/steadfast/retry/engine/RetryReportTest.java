package dev.steadfast.retry.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.AttemptRefusedException;
import dev.steadfast.retry.AttemptReport;
import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.Retrier;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.RetryReport.Effect;
import dev.steadfast.retry.RetryTrace;
import dev.steadfast.retry.ServerDelay;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.UnsuccessfulAttemptException;
import dev.steadfast.retry.internal.CleanReport;
import dev.steadfast.retry.internal.Digest;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a caller finds on a failure or a response, and what it says. */
class RetryReportTest {
  private static final OperationInfo INFO = OperationInfo.of("https://a.example:443", "GET /x");

  private static RetryReport report(StopReason reason) {
    return new OperationReport(
        reason,
        new OperationReport.Totals(2, 3_000_000_000L, 1_000_000_000L, ServerDelay.none(), ""),
        List.of(),
        new OperationReport.Flags(1, false, false, false, false, null),
        INFO);
  }

  private static <T extends Throwable> T traced(T failure, RetryReport report) {
    RetryTrace.put(failure, report);
    return failure;
  }

  /** One that was made in advance, as libraries do for speed, and is thrown for ever. */
  @Test
  void anExceptionThatAllOperationsShareDoesNotCollectTheirReports() {
    IllegalStateException shared = new IllegalStateException("made in advance");
    Callable<Object> failing =
        () -> {
          throw shared;
        };
    Supplier<CompletionStage<Object>> failingToo = () -> CompletableFuture.failedFuture(shared);
    Retrier once = Retrier.builder().policy(RetryPolicy.noRetry()).build();
    Retrier twice =
        Retrier.builder().policy(RetryPolicy.valueOf("maxAttempts=2; backoff=none")).build();
    for (int i = 0; i < 1000; i++) {
      assertThrows(IllegalStateException.class, () -> once.call(failing));
      assertThrows(ExecutionException.class, () -> once.callAsync(failingToo).get());
    }
    assertThrows(IllegalStateException.class, () -> twice.call(failing));

    assertEquals(2, RetryReport.of(shared).orElseThrow().attempts());
    assertEquals(32, shared.getSuppressed().length);
  }

  @Test
  void aResultThatIsRetried_isNotAccepted() throws Exception {
    List<String> texts = new ArrayList<>();
    RetryListener listener =
        new RetryListener() {
          @Override
          public void ended(OperationInfo operation, RetryReport report) {
            texts.add(report.toString().replaceAll(" in [0-9.]+[µumns]*s", ""));
          }
        };
    Iterator<String> results = List.of("busy", "done").iterator();
    Retrier retrier =
        Retrier.builder()
            .policy(RetryPolicy.valueOf("maxAttempts=2; backoff=none"))
            .retryResults("busy"::equals)
            .listener(listener)
            .build();

    assertEquals("done", retrier.call(results::next));
    assertEquals(List.of("2 attempts, accepted [#1 not accepted, #2 accepted]"), texts);
  }

  /** The server acted; what it did is unknown, unless the answer is a replay. */
  private static RetryReport report(
      StopReason reason, boolean acted, boolean lost, boolean replay) {
    return new OperationReport(
        reason,
        new OperationReport.Totals(2, 0, 0, ServerDelay.none(), ""),
        List.of(),
        new OperationReport.Flags(acted ? 1 : 0, lost, lost && !replay, replay, false, null),
        INFO);
  }

  @ParameterizedTest
  @CsvSource({
    "ACCEPTED,           true,  false, false, 200, SUCCEEDED",
    "ACCEPTED,           true,  false, true,  201, SUCCEEDED",
    "ACCEPTED,           true,  false, false, 303, SUCCEEDED",
    "ACCEPTED,           true,  false, false, 302, SUCCEEDED", // to a GET
    "ACCEPTED,           true,  true,  false, 302, UNKNOWN",
    "ACCEPTED,           true,  false, false, 307, FAILED",
    "ACCEPTED,           true,  true,  false, 307, UNKNOWN",
    "ACCEPTED,           false, false, false, 307, NEVER_SENT", // by a cache
    "ACCEPTED,           true,  false, false, 404, SUCCEEDED", // by a rule of the user's
    "ACCEPTED,           false, false, false, 200, NEVER_SENT", // by a cache
    "NOT_RETRYABLE,      true,  false, false, 404, FAILED",
    "NOT_RETRYABLE,      true,  true,  false, 404, ASKED",
    "NOT_RETRYABLE,      true,  true,  true,  404, FAILED",
    "NOT_RETRYABLE,      true,  true,  false, 412, ASKED",
    "NOT_RETRYABLE,      false, false, false, 401, FAILED",
    "NOT_RETRYABLE,      true,  false, false, 409, FAILED",
    "ATTEMPTS_EXHAUSTED, true,  true,  false, 409, ASKED", // somebody works on it
    "ATTEMPTS_EXHAUSTED, false, false, false, 429, FAILED",
    "ATTEMPTS_EXHAUSTED, true,  true,  false, 408, UNKNOWN",
    "NOT_RETRYABLE,      true,  true,  false, 499, UNKNOWN",
    "ATTEMPTS_EXHAUSTED, true,  true,  false, 503, UNKNOWN",
    "GUARD_REFUSED,      false, false, false, 503, NEVER_SENT",
    "NOT_RETRYABLE,      true,  true,  false, 200, UNKNOWN", // by a rule of the user's
  })
  void effect_isWhatTheAnswerAndTheLostOnesProve(
      StopReason reason, boolean acted, boolean lost, boolean replay, int status, String expected) {
    RetryReport report = report(reason, acted, lost, replay);
    boolean asked = expected.equals("ASKED");
    Effect effect = asked ? Effect.UNKNOWN : Effect.valueOf(expected);
    assertEquals(effect, report.effect(status));
    List<Integer> statuses = new ArrayList<>();
    Effect told =
        report.effect(
            status,
            each -> {
              statuses.add(each);
              return Effect.SUCCEEDED;
            });
    assertEquals(asked ? Effect.SUCCEEDED : effect, told);
    assertEquals(asked ? List.of(status) : List.of(), statuses);
  }

  @Test
  void of_findsTheReportOnTheFailure() {
    RetryReport report = report(StopReason.DEADLINE);
    IOException failure = traced(new IOException("x"), report);
    assertSame(report, RetryReport.of(failure).orElseThrow());
    assertEquals("x", failure.getMessage());
  }

  @Test
  void of_findsTheReportAmongOtherSuppressedExceptions() {
    RetryReport report = report(StopReason.DEADLINE);
    IOException failure = new IOException("x");
    failure.addSuppressed(new IOException("closing failed"));
    traced(failure, report);
    failure.addSuppressed(new IOException("closing failed too"));
    assertSame(report, RetryReport.of(failure).orElseThrow());
  }

  @Test
  void of_findsTheReportOnACause() {
    RetryReport report = report(StopReason.DEADLINE);
    IOException failure = traced(new IOException("x"), report);
    Throwable wrapped = new ExecutionException(new CompletionException(failure));
    assertSame(report, RetryReport.of(wrapped).orElseThrow());
  }

  @Test
  void of_givesTheOutermostOperation() {
    RetryReport inner = report(StopReason.ATTEMPTS_EXHAUSTED);
    RetryReport outer = report(StopReason.NOT_RETRYABLE);
    IOException failure = traced(traced(new IOException("x"), inner), outer);
    assertSame(outer, RetryReport.of(failure).orElseThrow());

    RetryReport outermost = report(StopReason.BUDGET_EXHAUSTED);
    assertSame(
        outermost, RetryReport.of(traced(new IOException(failure), outermost)).orElseThrow());
  }

  @Test
  void of_endsOnCyclicCauses() {
    IOException one = new IOException("one");
    IOException two = new IOException("two", one);
    one.initCause(two);
    assertEquals(Optional.empty(), RetryReport.of(one));
    RetryReport report = report(StopReason.DEADLINE);
    traced(two, report);
    assertSame(report, RetryReport.of(one).orElseThrow());
    assertSame(report, RetryReport.of(two).orElseThrow());
  }

  @Test
  void of_isEmptyWithoutATrace() {
    assertEquals(Optional.empty(), RetryReport.of(new IOException("x", new IOException("y"))));
    IOException withOthers = new IOException("x");
    withOthers.addSuppressed(traced(new IOException("y"), report(StopReason.DEADLINE)));
    // What another exception suppressed is not this operation's.
    assertEquals(Optional.empty(), RetryReport.of(withOthers));
  }

  @Test
  @SuppressWarnings({"NullAway", "DataFlowIssue"}) // what a caller without null checks may do
  void of_rejectsNull() {
    assertThrows(NullPointerException.class, () -> RetryReport.of(null));
  }

  @Test
  void clean_isOneAcceptedAttemptWithoutTimes() {
    RetryReport clean = CleanReport.of(null);
    assertEquals(StopReason.ACCEPTED, clean.reason());
    assertEquals(1, clean.attempts());
    assertEquals(List.of(), clean.attemptReports());
    assertEquals(Optional.empty(), clean.last());
    assertEquals(Duration.ZERO, clean.elapsed());
    assertEquals(Duration.ZERO, clean.waited());
    assertEquals(Optional.empty(), clean.serverDelay());
    assertEquals(Optional.empty(), clean.idempotencyKey());
    assertFalse(clean.earlierAttemptMayHaveActed());
    assertFalse(clean.replayed());
    assertEquals("1 attempt, accepted", clean.toString());
  }

  @Test
  void tellsWhatHappened() {
    AttemptReport first =
        new AttemptRecord(
            1,
            new AttemptRecord.Timing(0, 250_000_000, 0),
            new AttemptRecord.Result(
                new IOException("x"),
                FailureKind.OTHER,
                null,
                null,
                evidence(Disposition.UNKNOWN, -1, 1)));
    AttemptReport second =
        new AttemptRecord(
            2,
            new AttemptRecord.Timing(1_250_000_000, 5_000, 1_000_000_000),
            new AttemptRecord.Result(
                null,
                FailureKind.UNAVAILABLE,
                null,
                null,
                evidence(Disposition.ANSWERED, 503, -1)));
    List<AttemptReport> attempts = new ArrayList<>(List.of(first, second));
    ServerDelay serverDelay = ServerDelay.atLeast(Duration.ofSeconds(90));
    RetryReport report =
        new OperationReport(
            StopReason.SERVER_DELAY_TOO_LONG,
            new OperationReport.Totals(
                2, 1_250_005_000L, 1_000_000_000L, serverDelay, "90s asked, at most 60s"),
            attempts,
            new OperationReport.Flags(1, true, false, true, false, null),
            INFO.withKey("secret"));
    attempts.clear();

    assertEquals(2, report.attempts());
    assertEquals(Duration.ofNanos(1_250_005_000L), report.elapsed());
    assertEquals(Duration.ofSeconds(1), report.waited());
    assertEquals(Optional.of(Duration.ofSeconds(90)), report.serverDelay());
    assertTrue(report.serverMayHaveActed());
    assertTrue(report.earlierAttemptMayHaveActed());
    assertTrue(report.replayed());
    assertEquals(Optional.of("secret"), report.idempotencyKey());
    assertEquals(List.of(first, second), report.attemptReports());
    assertSame(second, report.last().orElseThrow());
    assertEquals(
        "2 attempts in 1.25s, the server's delay is above the ceiling: 90s asked, at most 60s"
            + " [#1 IOException \"x\" in 250ms, #2 503 in 5us]",
        report.toString());

    assertEquals(1, first.number());
    assertEquals(Duration.ZERO, first.startedAfter());
    assertEquals(Duration.ofMillis(250), first.took());
    assertEquals(Duration.ZERO, first.waitedBefore());
    assertEquals(OptionalInt.empty(), first.status());
    assertEquals("x", first.failure().orElseThrow().getMessage());
    assertEquals(Optional.of(FailureKind.OTHER), first.kind());
    assertEquals(Disposition.UNKNOWN, first.disposition());
    assertEquals(OptionalInt.of(1), first.deliveries());

    assertEquals(Duration.ofMillis(1250), second.startedAfter());
    assertEquals(Duration.ofSeconds(1), second.waitedBefore());
    assertEquals(OptionalInt.of(503), second.status());
    assertEquals(Optional.empty(), second.failure());
    assertEquals(OptionalInt.empty(), second.deliveries());
  }

  @Test
  void theTraceHasNoStack_andSurvivesSerialization() throws Exception {
    RetryReport report = report(StopReason.BUDGET_EXHAUSTED);
    IOException failure = traced(new IOException("x"), report);
    RetryTrace trace = (RetryTrace) failure.getSuppressed()[0];
    assertEquals(0, trace.getStackTrace().length);
    assertEquals("2 attempts in 3s, retry budget exhausted", trace.getMessage());
    assertSame(report, trace.report().orElseThrow());

    IOException copy = (IOException) copied(failure);
    RetryTrace copiedTrace = (RetryTrace) copy.getSuppressed()[0];
    assertEquals(trace.getMessage(), copiedTrace.getMessage());
    assertEquals(Optional.empty(), copiedTrace.report()); // the report does not travel
    assertEquals(Optional.empty(), RetryReport.of(copy), "nobody says that all went well");
  }

  @Test
  void aRefusalTellsWhatTheLastAnswerSaid_butNotOverTheWire() throws Exception {
    Map<String, List<String>> headers = Map.of("Retry-After", List.of("9"));
    AttemptRefusedException refused =
        new AttemptRefusedException(
            503,
            headers,
            ServerDelay.atLeast(Duration.ofSeconds(9)),
            new IllegalStateException("breaker is open"));
    assertEquals("attempt refused: breaker is open", refused.getMessage());
    assertEquals(OptionalInt.of(503), refused.status());
    assertEquals(headers, refused.headers());
    assertEquals(Optional.of(Duration.ofSeconds(9)), refused.serverDelay());

    AttemptRefusedException copy = (AttemptRefusedException) copied(refused);
    assertEquals(refused.getMessage(), copy.getMessage());
    assertEquals(OptionalInt.empty(), copy.status());
    assertEquals(Map.of(), copy.headers());
    assertEquals(Optional.empty(), copy.serverDelay());

    AttemptRefusedException first = new AttemptRefusedException(null);
    assertEquals("attempt refused", first.getMessage());
    assertEquals(OptionalInt.empty(), first.status());
  }

  @Test
  void anUnsuccessfulAttempt_hasAKindAndNoStack() {
    UnsuccessfulAttemptException failure =
        new UnsuccessfulAttemptException(FailureKind.UNAVAILABLE);
    assertEquals(FailureKind.UNAVAILABLE, failure.kind());
    assertEquals("unsuccessful attempt: UNAVAILABLE", failure.getMessage());
    assertEquals(0, failure.getStackTrace().length);
  }

  private static Object copied(Object original) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(original);
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      return in.readObject();
    }
  }

  @Test
  void anOperationIsShownWithoutItsKey() {
    OperationInfo info = INFO.withName("create order").withKey("order-12345-payment");
    assertEquals(
        "create order: GET /x key#" + Digest.brief("order-12345-payment"), info.toString());
    assertFalse(info.toString().contains("12345"));
    assertEquals(8, Digest.brief("x").length());
    assertEquals("2d711642", Digest.brief("x")); // printf x | sha256sum
    assertEquals("GET /x", INFO.toString());
    assertEquals("https://a.example:443", info.origin());
    assertEquals("GET /x", info.label());
    assertEquals(Optional.of("create order"), info.name());
    assertEquals(Optional.of("order-12345-payment"), info.idempotencyKey());
    assertEquals(Optional.empty(), INFO.name());
    assertEquals(Optional.empty(), INFO.idempotencyKey());
  }

  @Test
  void gaveUp_isTrueForFailuresThatWereToBeRetried() {
    List<StopReason> gaveUp =
        List.of(StopReason.values()).stream().filter(StopReason::gaveUp).toList();
    assertEquals(
        List.of(
            StopReason.ATTEMPTS_EXHAUSTED,
            StopReason.DO_NOT_RETRY,
            StopReason.SERVER_DELAY_TOO_LONG,
            StopReason.DEADLINE,
            StopReason.GUARD_REFUSED,
            StopReason.BUDGET_EXHAUSTED,
            StopReason.REJECTED),
        gaveUp);
  }

  @Test
  void theServerMayHaveActed_unlessTheOppositeIsProven() {
    assertFalse(Disposition.UNSENT.mayHaveActed());
    assertFalse(Disposition.REFUSED.mayHaveActed());
    assertTrue(Disposition.UNKNOWN.mayHaveActed());
    assertTrue(Disposition.ANSWERED.mayHaveActed());
  }

  private static Evidence evidence(Disposition last, int status, int deliveries) {
    return Evidence.of(last, Evidence.Safety.IDEMPOTENT, status, deliveries);
  }
}
