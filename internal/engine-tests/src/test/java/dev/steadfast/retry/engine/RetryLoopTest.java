package dev.steadfast.retry.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.AttemptRefusedException;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.internal.CleanReport;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The loop and its attempts, step by step, as an adapter drives them. */
class RetryLoopTest {
  private static final String POLICY =
      "maxAttempts=3; backoff=exponential(100ms..20s); totalTimeout=30s; attemptTimeout=5s";

  private final LoopFixture it = new LoopFixture(POLICY);

  private static void begin(Attempt<String> attempt) {
    assertTrue(attempt.begin("request"));
  }

  private static void answer(Attempt<String> attempt, String response) {
    begin(attempt);
    attempt.complete(response, null);
  }

  private static void fail(Attempt<String> attempt, String message) {
    begin(attempt);
    attempt.complete(null, new IOException(message));
  }

  // The course of an operation.

  @Test
  void anAttemptThatEndsWithinStart_isFollowedByTheNext() {
    it.transport.onStart(each -> fail(each, "x")).onStart(each -> answer(each, "200"));
    it.start();
    assertFalse(it.over());
    it.advance("100ms");
    it.verify("200", "1 IOException, wait 100ms backoff, 2 ok, accepted");
    assertEquals(List.of(), it.transport.discarded());
  }

  @Test
  void anAttemptThatEndsLater_isFollowedByTheNext() {
    it.transport.onStart(RetryLoopTest::begin).onStart(RetryLoopTest::begin);
    it.start();
    it.advance("1s");
    it.transport.attempt().complete("503 a", null);
    assertEquals(List.of("503 a"), it.transport.discarded());
    it.advance("100ms");
    it.transport.attempt().complete("200 b", null);
    it.verify("200 b", "1 UNAVAILABLE, wait 100ms backoff, 2 ok, accepted");
    assertEquals(List.of("503 a"), it.transport.discarded());
    RetryReport report = it.transport.delivered().get(0);
    assertEquals(Duration.ofMillis(1100), report.elapsed());
    assertEquals(Duration.ofMillis(100), report.waited());
    assertEquals(OptionalInt.of(503), report.attemptReports().get(0).status());
    assertEquals("1 failed UnsuccessfulAttemptException, 2 succeeded", it.guard.answers());
  }

  @Test
  void theLastResponse_isTheCallers_notDiscarded() {
    for (int i = 0; i < 3; i++) {
      it.transport.onStart(each -> answer(each, "503 no. " + each.number()));
    }
    it.start();
    it.advance("1s");
    it.verify(
        "503 no. 3",
        "1 UNAVAILABLE, wait 100ms backoff, 2 UNAVAILABLE, wait 200ms backoff, 3 UNAVAILABLE,"
            + " attempts exhausted");
    assertEquals(List.of("503 no. 1", "503 no. 2"), it.transport.discarded());
    assertEquals(3, it.transport.delivered().get(0).attempts());
  }

  @Test
  void aCleanFirstAnswer_withoutListeners_getsTheSharedReport() {
    LoopFixture silent = new LoopFixture(POLICY);
    RetryPlan plan =
        RetryPlan.of(RetryPolicy.valueOf(POLICY), silent.budget, silent.time.environment());
    ScriptedTransport transport = new ScriptedTransport().onStart(each -> answer(each, "200"));
    List<String> outcome = new ArrayList<>();
    RetryLoop.of(plan, OperationInfo.of("origin", "label"), transport)
        .start(Long.MAX_VALUE, (response, thrown) -> outcome.add(response));
    assertEquals(List.of("200"), outcome);
    assertEquals(List.of(CleanReport.of(null)), transport.delivered());
  }

  @Test
  void aBoundOfTheCaller_holdsBesideThePolicys() {
    it.transport.onStart(RetryLoopTest::begin);
    it.start(LoopFixture.nanos("2s"));
    it.advance("1999ms");
    assertFalse(it.over());
    it.advance("1ms");
    it.verify("TimeoutException: deadline exceeded", "1 TimeoutException, deadline");
  }

  @Test
  void noTimeAtAll_isADeadlineBeforeTheFirstAttempt() {
    it.start(0);
    it.verify("TimeoutException: deadline exceeded", "deadline");
    assertFalse(it.log.report().serverMayHaveActed());
  }

  @Test
  void aSchedulerThatComesTooLate_isADeadlineDuringTheWait() {
    LoopFixture late = new LoopFixture("totalTimeout=1s; backoff=fixed(500ms)");
    late.transport.onStart(each -> fail(each, "x"));
    late.start();
    late.time.schedule(499_999_999, () -> late.beforeNextNow(() -> late.advance("2s")));
    late.advance("500ms");
    late.verify(
        "TimeoutException: deadline exceeded", "1 IOException, wait 500ms backoff, deadline");
    assertEquals(1, late.log.report().attempts());
  }

  @Test
  void aTimerThatFiresEarly_isSetAgain_becauseAHintIsAFloor() {
    // The scheduler believes that the time is up, the ticker does not.
    it.transport
        .onStart(each -> {
          begin(each);
          it.fireNextTimerEarlyBy("1ms");
          each.complete(null, new IOException("x"));
        })
        .onStart(each -> answer(each, "200"));
    it.start();
    it.advance("99ms");
    assertEquals("1 IOException, wait 100ms backoff", it.log.trace());
    it.advance("1ms");
    it.verify("200", "1 IOException, wait 100ms backoff, 2 ok, accepted");
  }

  @Test
  void anAttemptTimerThatFiresEarly_isSetAgain() {
    it.fireNextTimerEarlyBy("1s");
    it.transport.onStart(RetryLoopTest::begin).onStart(each -> answer(each, "200"));
    it.start();
    it.advance("4999ms");
    assertFalse(it.transport.attempt().stopped());
    it.advance("1ms");
    it.advance("100ms");
    it.verify("200", "1 TimeoutException, wait 100ms backoff, 2 ok, accepted");
  }

  // An attempt that cannot be made.

  @Test
  void aFailureBeforeTheAttemptLeftTheQueue_endsTheOperation() {
    it.transport.onStart(each -> each.complete(null, new IOException("executor rejected")));
    it.start();
    it.verify("IOException: executor rejected", "not retryable");
  }

  @Test
  void aTransportThatThrows_endsTheOperation() {
    it.transport.onStart(each -> {
      throw new IllegalStateException("permanent");
    });
    it.start();
    it.verify("IllegalStateException: permanent", "not retryable");
  }

  @Test
  void anAttemptThatWasCompleted_isNotCompletedAgain() {
    it.transport.onStart(each -> {
      answer(each, "200 first");
      each.complete("200 second", null);
      each.complete(null, new IOException("third"));
    });
    it.start();
    it.verify("200 first", "1 ok, accepted");
    assertEquals(List.of("200 second"), it.transport.discarded());
  }

  @Test
  void aLoopThatIsKept_keepsNoCallback() {
    it.transport.onStart(each -> answer(each, "200"));
    WeakReference<?> callback = startWithCallback(it.loop);
    long patience = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    while (callback.get() != null && System.nanoTime() < patience) {
      System.gc();
    }
    assertNull(callback.get());
  }

  private static WeakReference<?> startWithCallback(RetryLoop<String> loop) {
    List<String> told = new ArrayList<>();
    loop.start(Long.MAX_VALUE, (response, failure) -> told.add(response));
    assertEquals(List.of("200"), told);
    return new WeakReference<>(told);
  }

  // The client's own queue.

  @Test
  void theDeadlineHoldsInTheQueue() {
    it.transport.onStart(Attempt::queued);
    it.start();
    List<String> stopped = new ArrayList<>();
    it.transport.attempt().onCancel(() -> stopped.add("stopped"));
    it.advance("29s");
    assertFalse(it.over());
    it.advance("1s");
    it.verify("TimeoutException: deadline exceeded", "deadline");
    assertEquals(List.of("stopped"), stopped);
    assertFalse(it.transport.attempt().begin("too late"));
    assertTrue(it.transport.attempt().stopped());
  }

  @Test
  void theAttemptTimeoutBeginsWhenTheAttemptLeavesTheQueue() {
    it.transport.onStart(Attempt::queued);
    it.start();
    it.advance("20s");
    begin(it.transport.attempt());
    assertEquals(5_000_000_000L, it.transport.attempt().timeoutNanos());
    it.advance("4999ms");
    it.transport.attempt().complete("200", null);
    it.verify("200", "1 ok, accepted");
    assertEquals(Duration.ofSeconds(20), it.log.report().last().orElseThrow().startedAfter());
    assertEquals(Duration.ofMillis(4999), it.log.report().last().orElseThrow().took());
  }

  /** The executor of the queue keeps the thread that began the operation. */
  @Test
  void theDeadlineHoldsWhileTheQueueKeepsTheCaller() {
    it.transport.onStart(each -> {
      assertTrue(each.queued());
      elsewhere(() -> it.advance("30s"));
      assertTrue(it.over());
    });
    it.start();
    it.transport.verify();
    it.verify("TimeoutException: deadline exceeded", "deadline");
  }

  @Test
  void soDoesARetryThatFollowsMeanwhile() {
    it.transport
        .onStart(each -> {
          assertTrue(each.queued());
          elsewhere(() -> {
            begin(each);
            it.advance("5s");
            it.advance("100ms");
          });
          assertTrue(it.over());
        })
        .onStart(each -> answer(each, "200"));
    it.start();
    it.transport.verify();
    it.verify("200", "1 TimeoutException, wait 100ms backoff, 2 ok, accepted");
  }

  /** A queue that runs its work on the calling thread does not nest the attempts. */
  @Test
  void anAnswerWithinTheQueue_isJudgedOnceItHasReturned() {
    it.transport.onStart(each -> {
      assertTrue(each.queued());
      answer(each, "200");
      assertFalse(it.over());
    });
    it.start();
    it.transport.verify();
    it.verify("200", "1 ok, accepted");
  }

  @Test
  void anAttemptThatIsOver_isNotQueued() {
    it.transport.onStart(each -> {
      ((AttemptRun<String>) each).cancel();
      it.transport.runContinuations();
      assertFalse(each.queued());
    });
    it.start();
    it.transport.runContinuations();
    it.transport.verify();
    it.verify("CancellationException: cancelled", "cancelled");
  }

  private static void elsewhere(Runnable task) {
    CompletableFuture.runAsync(task).join();
  }

  @Test
  void aTimerThatIsSetAgain_whileTheAttemptEnds_isTakenBack() {
    it.fireNextTimerEarlyBy("1s");
    it.transport.onStart(RetryLoopTest::begin);
    it.start();
    it.afterNextSchedule(() -> it.transport.attempt().complete("200", null));
    it.advance("4s");
    it.verify("200", "1 ok, accepted");
  }

  @Test
  void aQueueTimerThatIsRejected_endsTheOperation_notTheAttemptAlone() {
    it.transport.onStart(Attempt::queued);
    List<String> stopped = new ArrayList<>();
    it.rejectFromNowOn();
    it.start();
    it.transport.attempt().onCancel(() -> stopped.add("stopped"));
    it.verify(
        "RejectedExecutionException: the scheduler accepts no retry", "rejected by the scheduler");
    assertEquals(List.of("stopped"), stopped);
    assertFalse(it.transport.attempt().begin("too late"));
  }

  @Test
  void anAttemptTimerThatIsRejected_endsTheOperation() {
    it.transport.onStart(each -> {
      it.rejectFromNowOn();
      assertFalse(each.begin("request"));
    });
    it.start();
    it.verify(
        "RejectedExecutionException: the scheduler accepts no retry", "rejected by the scheduler");
    assertEquals("1 released", it.guard.answers());
  }

  @Test
  void anAttemptTimerThatFiredEarlyAndIsRejected_endsTheOperation() {
    List<String> stopped = new ArrayList<>();
    it.fireNextTimerEarlyBy("1s");
    it.transport.onStart(each -> {
      begin(each);
      each.onCancel(() -> stopped.add("stopped"));
    });
    it.start();
    it.rejectFromNowOn();
    it.advance("4s");
    it.verify(
        "RejectedExecutionException: the scheduler accepts no retry",
        "1 RejectedExecutionException, rejected by the scheduler");
    assertEquals(List.of("stopped"), stopped);
  }

  @Test
  void aWaitThatEndedEarlyAndIsRejected_endsTheOperation() {
    it.transport.onStart(each -> {
      begin(each);
      it.fireNextTimerEarlyBy("1ms");
      each.complete(null, new IOException("x"));
    });
    it.start();
    it.rejectFromNowOn();
    it.advance("99ms");
    it.verify(
        "RejectedExecutionException: the scheduler accepts no retry",
        "1 IOException, wait 100ms backoff, rejected by the scheduler");
  }

  // Attempt timeouts and late responses.

  @Test
  void anAttemptThatTimesOut_isStopped_andItsLateResponseDiscardedOnce() {
    List<String> stopped = new ArrayList<>();
    it.transport
        .onStart(each -> {
          begin(each);
          each.onCancel(() -> stopped.add("stopped"));
        })
        .onStart(each -> answer(each, "200"));
    it.start();
    Attempt<String> first = it.transport.attempt();
    it.advance("4999999us");
    assertEquals(List.of(), stopped);
    it.advance("1us");
    assertEquals(List.of("stopped"), stopped);
    assertTrue(first.stopped());
    first.complete("200 late", null);
    assertEquals(List.of("200 late"), it.transport.discarded());
    it.advance("100ms");
    it.verify("200", "1 TimeoutException, wait 100ms backoff, 2 ok, accepted");
    assertEquals(List.of("200 late"), it.transport.discarded());
    assertFalse(it.transport.attempt().stopped());
  }

  @Test
  void theTimeoutOfAnAttempt_isOfThatKind() {
    it.transport.onStart(RetryLoopTest::begin);
    it.start(LoopFixture.nanos("5s"));
    it.advance("5s");
    assertEquals(Optional.of(FailureKind.TIMEOUT), it.log.report().last().orElseThrow().kind());
  }

  @Test
  void aTransportThatBoundsItsAttempts_getsNoTimer() {
    it.transport.boundingAttempts().onStart(RetryLoopTest::begin);
    it.start();
    assertEquals(0, it.time.pending());
    assertEquals(5_000_000_000L, it.transport.attempt().timeoutNanos());
    it.transport.attempt().complete("200", null);
    it.verify("200", "1 ok, accepted");
  }

  // Cancellation.

  @Test
  void cancelBeforeTheStart_isNotForgotten() {
    it.loop.cancel();
    it.start();
    assertFalse(it.over()); // never on the canceller's stack
    it.transport.runContinuations();
    it.verify("CancellationException: cancelled", "cancelled");
  }

  @Test
  void cancelInTheQueue_sendsNothing() {
    it.transport.onStart(Attempt::queued);
    it.start();
    it.loop.cancel();
    assertFalse(it.over()); // never on the canceller's stack
    it.transport.runContinuations();
    assertFalse(it.transport.attempt().begin("request"));
    it.verify("CancellationException: cancelled", "cancelled");
    assertEquals("", it.guard.answers());
  }

  @Test
  void cancelWithinAnAttempt_stopsIt_andDiscardsALateResponse() {
    List<String> stopped = new ArrayList<>();
    it.transport.onStart(each -> {
      begin(each);
      each.onCancel(() -> stopped.add("stopped"));
    });
    it.start();
    it.loop.cancel();
    it.loop.cancel();
    assertEquals(List.of("stopped"), stopped);
    it.transport.runContinuations();
    it.transport.attempt().complete("200 late", null);
    it.verify("CancellationException: cancelled", "1 CancellationException, cancelled");
    assertEquals(List.of("200 late"), it.transport.discarded());
    assertEquals("1 released", it.guard.answers());
    assertTrue(it.log.report().serverMayHaveActed());
  }

  @Test
  void anAttemptThatCannotBeStopped_isGivenUpAllTheSame() {
    it.transport
        .onStart(each -> {
          begin(each);
          each.onCancel(() -> {
            throw new UnsupportedOperationException("no way");
          });
        })
        .onStart(RetryLoopTest::begin);
    it.start();
    it.advance("5s");
    it.advance("100ms");
    it.transport.attempt().onCancel(() -> {});
    it.loop.cancel();
    it.transport.runContinuations();
    it.transport
        .attempt()
        .onCancel(() -> {
          throw new AssertionError("no way");
        });
    it.verify(
        "CancellationException: cancelled",
        "1 TimeoutException, wait 100ms backoff, 2 CancellationException, cancelled");
  }

  @Test
  void cancelWithinStart_beforeTheCancellerIsKnown() {
    List<String> stopped = new ArrayList<>();
    it.transport.onStart(each -> {
      begin(each);
      it.loop.cancel();
      each.onCancel(() -> stopped.add("stopped"));
    });
    it.start();
    assertEquals(List.of("stopped"), stopped);
    it.transport.runContinuations();
    it.verify("CancellationException: cancelled", "1 CancellationException, cancelled");
  }

  @Test
  void cancelWhileTheGuardsArePassed() {
    it.transport.onStart(each -> {
      it.beforeNextNow(it.loop::cancel); // begin() is busy when it reads the time
      assertFalse(each.begin("request"));
    });
    it.start();
    it.transport.runContinuations();
    it.verify("CancellationException: cancelled", "1 CancellationException, cancelled");
    assertEquals("1 released", it.guard.answers());
  }

  @Test
  void cancelDuringTheWait_givesTheTokenBack() {
    it.transport.onStart(each -> fail(each, "x"));
    it.start();
    it.advance("99ms");
    it.loop.cancel();
    assertFalse(it.over());
    assertEquals(0, it.time.pending());
    it.transport.runContinuations();
    it.advance("1s");
    it.verify("CancellationException: cancelled", "1 IOException, wait 100ms backoff, cancelled");
  }

  @Test
  void cancelRightBeforeAnAttempt_stopsIt() {
    it.transport.onStart(each -> assertFalse(each.begin("request")));
    // The loop has begun, and looks whether there is time for an attempt.
    it.beforeNextNow(() -> it.beforeNextNow(it.loop::cancel));
    it.start();
    it.transport.runContinuations();
    it.verify("CancellationException: cancelled", "cancelled");
    assertEquals("", it.guard.answers());
  }

  @Test
  void cancelRightBeforeTheWait_endsIt() {
    it.transport.onStart(each -> answer(each, "503 a")).whenDiscarding(it.loop::cancel);
    it.start();
    assertEquals(0, it.time.pending());
    it.transport.runContinuations();
    it.verify("CancellationException: cancelled", "1 UNAVAILABLE, wait 100ms backoff, cancelled");
  }

  @Test
  void cancelWhileTheWaitIsScheduled_endsIt() {
    it.transport.onStart(each -> {
      begin(each);
      it.afterNextSchedule(it.loop::cancel);
      each.complete(null, new IOException("x"));
    });
    it.start();
    assertEquals(0, it.time.pending());
    it.transport.runContinuations();
    it.verify("CancellationException: cancelled", "1 IOException, wait 100ms backoff, cancelled");
  }

  @Test
  void cancelAfterTheEnd_changesNothing() {
    it.transport.onStart(each -> answer(each, "200"));
    it.start();
    it.loop.cancel();
    it.transport.runContinuations();
    it.verify("200", "1 ok, accepted");
  }

  @Test
  void anInterruptOfWhoeverWaits_isItsOwnReason() {
    it.transport.onStart(RetryLoopTest::begin);
    it.start();
    it.loop.interrupt();
    it.transport.runContinuations();
    it.verify(
        "InterruptedException: interrupted while waiting for a retry",
        "1 InterruptedException, interrupted");
  }

  @Test
  void aSchedulerThatRejectsTheWait_endsTheOperation_andTheTokenGoesBack() {
    it.transport.onStart(each -> {
      begin(each);
      it.rejectFromNowOn();
      each.complete(null, new IOException("x"));
    });
    it.start();
    it.verify(
        "RejectedExecutionException: the scheduler accepts no retry",
        "1 IOException, wait 100ms backoff, rejected by the scheduler");
    assertEquals("closed", it.thrown().getCause().getMessage());
  }

  @Test
  void aSchedulerThatRejectsTheWait_whileItIsCancelled_endsTheOperationOnce() {
    it.transport.onStart(each -> {
      begin(each);
      it.rejectFromNowOn(it.loop::cancel);
      each.complete(null, new IOException("x"));
    });
    it.start();
    it.transport.runContinuations();
    it.verify("CancellationException: cancelled", "1 IOException, wait 100ms backoff, cancelled");
  }

  // Heads.

  @Test
  void aHeadThatIsAccepted_isDelivered_whenTheBodyIsThere() {
    it.transport.onStart(each -> {
      begin(each);
      assertTrue(each.head("200 head"));
    });
    it.start();
    assertEquals("1 succeeded", it.guard.answers());
    assertFalse(it.over());
    it.advance("20s"); // the attempt's own timeout ended with the head
    it.transport.attempt().complete("200 whole", null);
    it.verify("200 whole", "1 ok, accepted");
  }

  @Test
  void aHeadThatIsToBeRetried_isDecidedOnce() {
    it.transport
        .onStart(each -> {
          begin(each);
          assertFalse(each.head("503 head"));
          each.complete("503 drained", null);
        })
        .onStart(each -> answer(each, "200"));
    it.start();
    it.advance("100ms");
    it.verify("200", "1 UNAVAILABLE, wait 100ms backoff, 2 ok, accepted");
  }

  @Test
  void aHeadThatEndsTheOperation_isDelivered() {
    it.transport.onStart(each -> {
      begin(each);
      assertTrue(each.head("503 doNotRetry"));
      each.complete("503 doNotRetry, whole", null);
    });
    it.start();
    it.verify("503 doNotRetry, whole", "1 UNAVAILABLE, told not to retry");
    assertEquals(List.of(), it.transport.discarded());
  }

  @Test
  void aBodyThatBreaks_isAFailureOfTheAttempt() {
    it.transport
        .onStart(each -> {
          begin(each);
          assertTrue(each.head("200 head"));
          each.complete(null, new IOException("broken body"));
        })
        .onStart(each -> answer(each, "200"));
    it.start();
    it.advance("100ms");
    it.verify("200", "1 IOException, wait 100ms backoff, 2 ok, accepted");
    assertEquals("1 succeeded, 2 succeeded", it.guard.answers());
  }

  @Test
  void aDiscardedBodyThatBreaks_changesNothing() {
    it.transport
        .onStart(each -> {
          begin(each);
          assertFalse(each.head("503 head"));
          each.complete(null, new IOException("broken body"));
        })
        .onStart(each -> answer(each, "200"));
    it.start();
    it.advance("100ms");
    it.verify("200", "1 UNAVAILABLE, wait 100ms backoff, 2 ok, accepted");
  }

  @Test
  void theDeadlineHoldsForTheBody() {
    it.transport.onStart(each -> {
      begin(each);
      assertTrue(each.head("200 head"));
    });
    it.start();
    it.advance("30s");
    it.transport.attempt().complete("200 late", null);
    it.verify("TimeoutException: deadline exceeded", "1 TimeoutException, deadline");
    assertEquals(List.of("200 late"), it.transport.discarded());
    assertEquals("1 succeeded", it.guard.answers());
  }

  @Test
  void theTimerOfTheDeadline_goesOnBeyondTheHead() {
    LoopFixture deadline = new LoopFixture("totalTimeout=30s");
    deadline.transport.onStart(RetryLoopTest::begin);
    deadline.start();
    List<String> scheduled = new ArrayList<>();
    deadline.afterNextSchedule(() -> scheduled.add("again"));
    assertTrue(deadline.transport.attempt().head("200 head"));
    assertEquals(List.of(), scheduled);
    deadline.advance("29s");
    assertFalse(deadline.over());
    deadline.advance("1s");
    deadline.verify("TimeoutException: deadline exceeded", "1 TimeoutException, deadline");
  }

  @Test
  void theTimerOfAnAttempt_endsWithTheHead_whereThereIsNoDeadline() {
    LoopFixture endless = new LoopFixture("attemptTimeout=5s; totalTimeout=none");
    endless.transport.onStart(RetryLoopTest::begin);
    endless.start();
    assertEquals(1, endless.time.pending());
    assertTrue(endless.transport.attempt().head("200 head"));
    assertEquals(0, endless.time.pending());
    endless.advance("60s");
    endless.transport.attempt().complete("200 whole", null);
    endless.verify("200 whole", "1 ok, accepted");
  }

  @Test
  void theDeadlineHoldsForABodyThatIsDiscarded_andTheTokenGoesBack() {
    it.transport.onStart(each -> {
      begin(each);
      assertFalse(each.head("503 head"));
    });
    it.start();
    it.advance("30s");
    it.verify("TimeoutException: deadline exceeded", "1 UNAVAILABLE, wait 100ms backoff, deadline");
  }

  @Test
  void cancelWithinTheBody() {
    it.transport.onStart(each -> {
      begin(each);
      assertTrue(each.head("200 head"));
    });
    it.start();
    it.loop.cancel();
    it.transport.runContinuations();
    it.verify("CancellationException: cancelled", "1 CancellationException, cancelled");
    assertEquals("1 succeeded", it.guard.answers());
  }

  @Test
  void cancelWhileTheHeadIsJudged() {
    it.transport.onStart(each -> {
      begin(each);
      it.beforeNextNow(it.loop::cancel);
      assertFalse(each.head("200 head"));
    });
    it.start();
    it.transport.runContinuations();
    it.transport.attempt().complete("200 late", null);
    it.verify("CancellationException: cancelled", "1 CancellationException, cancelled");
    assertEquals(List.of("200 late"), it.transport.discarded());
  }

  @Test
  void aFailureWhileTheHeadIsJudged_isTheOutcome() {
    it.transport.onStart(RetryLoopTest::begin).onStart(each -> answer(each, "200"));
    it.start();
    Attempt<String> first = it.transport.attempt();
    it.beforeNextNow(() -> first.complete(null, new IOException("reset")));
    assertFalse(first.head("200 head"));
    it.advance("100ms");
    it.verify("200", "1 IOException, wait 100ms backoff, 2 ok, accepted");
  }

  @Test
  void aResponseWhileTheHeadIsJudged_isTheOutcome() {
    it.transport.onStart(RetryLoopTest::begin);
    it.start();
    Attempt<String> first = it.transport.attempt();
    it.beforeNextNow(() -> first.complete("200 whole", null));
    assertFalse(first.head("200 head"));
    it.verify("200 whole", "1 ok, accepted");
  }

  @Test
  void aFailureAndACancellationWhileTheHeadIsJudged_areOneOutcome() {
    it.transport.onStart(RetryLoopTest::begin);
    it.start();
    Attempt<String> first = it.transport.attempt();
    it.beforeNextNow(() -> {
      first.complete(null, new IOException("reset"));
      it.loop.cancel();
    });
    assertFalse(first.head("200 head"));
    it.transport.runContinuations();
    it.verify("CancellationException: cancelled", "1 CancellationException, cancelled");
  }

  @Test
  void aHeadAfterTheEnd_isNotForTheCaller() {
    it.transport.onStart(RetryLoopTest::begin).onStart(each -> answer(each, "200"));
    it.start();
    Attempt<String> first = it.transport.attempt();
    it.advance("5s");
    assertFalse(first.head("200 late"));
    it.advance("100ms");
    it.verify("200", "1 TimeoutException, wait 100ms backoff, 2 ok, accepted");
  }

  // The timer of the attempt has fired and goes on only after the head was judged.
  @ParameterizedTest
  @ValueSource(strings = {"200 head", "503 head", "503 doNotRetry"})
  void anAttemptTimerThatComesSecond_changesNothing(String head) {
    it.transport.onStart(RetryLoopTest::begin).onStart(each -> answer(each, "200 again"));
    it.start();
    Attempt<String> first = it.transport.attempt();
    it.time.schedule(4_999_999_999L, () -> it.beforeNextNow(() -> first.head(head)));
    it.advance("5s");
    assertFalse(first.stopped());
    first.complete(head + " whole", null);
    it.advance("100ms");
    switch (head) {
      case "200 head" -> it.verify("200 head whole", "1 ok, accepted");
      case "503 doNotRetry" ->
          it.verify("503 doNotRetry whole", "1 UNAVAILABLE, told not to retry");
      default -> it.verify("200 again", "1 UNAVAILABLE, wait 100ms backoff, 2 ok, accepted");
    }
  }

  @Test
  void aTimerThatFiresWhileTheAttemptBegins_endsIt() {
    List<Boolean> began = new ArrayList<>();
    it.transport
        .onStart(each -> {
          it.afterNextSchedule(() -> it.advance("5s"));
          began.add(each.begin("request"));
        })
        .onStart(each -> answer(each, "200"));
    it.start();
    assertEquals(List.of(false), began);
    it.advance("100ms");
    it.verify("200", "1 TimeoutException, wait 100ms backoff, 2 ok, accepted");
  }

  @Test
  void aDeadlineThatFiresWhileTheHeadIsJudged_endsIt() {
    it.transport.onStart(RetryLoopTest::begin);
    it.start();
    it.advance("4s");
    it.beforeNextNow(() -> it.advance("26s"));
    assertFalse(it.transport.attempt().head("200 head"));
    it.transport.attempt().complete("200 late", null);
    it.verify("TimeoutException: deadline exceeded", "1 TimeoutException, deadline");
    assertEquals(List.of("200 late"), it.transport.discarded());
  }

  // User code.

  @Test
  void aRuleThatThrowsAtTheHead_endsTheOperation() {
    it.transport.onStart(each -> {
      begin(each);
      assertFalse(each.head("200 broken rule"));
      each.complete("200 whole", null);
    });
    it.start();
    it.verify("IllegalArgumentException: rule", "1 IllegalArgumentException, user code failed");
    assertEquals(List.of("200 whole"), it.transport.discarded());
    assertEquals("1 released", it.guard.answers());
  }

  @Test
  void aRuleThatThrows_endsTheOperation_andTheResponseIsDiscarded() {
    it.transport.onStart(each -> answer(each, "200 broken rule"));
    it.start();
    it.verify("IllegalArgumentException: rule", "1 IllegalArgumentException, user code failed");
    assertEquals(List.of("200 broken rule"), it.transport.discarded());
    assertEquals("1 released", it.guard.answers());
  }

  @Test
  void aFunctionOfTheUsersThatThrowsWithinTheAttempt_endsTheOperation() {
    it.transport.onStart(each -> {
      begin(each);
      each.userCodeFailed(new IllegalArgumentException("handler"));
      each.complete(null, new IOException("wrapped"));
    });
    it.start();
    it.verify("IllegalArgumentException: handler", "1 IllegalArgumentException, user code failed");
  }

  @Test
  void aFunctionOfTheUsersThatThrowsBecauseTheAttemptWasStopped_doesNotEndTheOperation()
      throws Throwable {
    it.transport.onStart(each -> {
      begin(each);
      it.advance("5s");
      each.userCodeFailed(new IllegalStateException("its stream was closed"));
      each.complete(null, new IOException("wrapped"));
    });
    it.transport.onStart(each -> answer(each, "200"));
    assertEquals("200", it.loop.run(Long.MAX_VALUE));
    it.verifyTrace("1 TimeoutException, wait 100ms backoff, 2 ok, accepted");
  }

  @Test
  void aTimerForTheBodyThatIsRejected_endsTheOperation() {
    List<String> stopped = new ArrayList<>();
    it.transport.onStart(each -> {
      begin(each);
      each.onCancel(() -> stopped.add("stopped"));
      it.rejectFromNowOn();
      assertTrue(each.head("200 head"));
    });
    it.start();
    it.advance("5s"); // the timer of the attempt comes, and is to be set for the deadline
    it.transport.attempt().complete("200 whole", null);
    it.verify(
        "RejectedExecutionException: the scheduler accepts no retry",
        "1 RejectedExecutionException, rejected by the scheduler");
    assertEquals(List.of("stopped"), stopped);
    assertEquals(List.of("200 whole"), it.transport.discarded());
  }

  // Guards.

  @Test
  void aRefusalAfterTheWait_tellsWhatTheLastAnswerSaid() {
    it.guard.refusingAttempt(2);
    it.transport
        .onStart(each -> answer(each, "503 a"))
        .onStart(each -> assertFalse(each.begin("b")));
    it.start();
    it.advance("100ms");
    it.verify(
        "AttemptRefusedException: attempt refused: guard refused no. 2",
        "1 UNAVAILABLE, wait 100ms backoff, refused by a guard");
    AttemptRefusedException refused = assertInstanceOf(AttemptRefusedException.class, it.thrown());
    assertEquals(OptionalInt.of(503), refused.status());
    assertEquals(Map.of("Response", List.of("503 a")), refused.headers());
    assertInstanceOf(IllegalStateException.class, refused.getCause());
  }

  /** An attempt that got no answer comes between: the answer before it is still the last one. */
  @Test
  void aRefusal_tellsOfTheLastAnswer_notOfTheLastAttempt() {
    it.guard.refusingAttempt(3);
    it.transport
        .onStart(each -> answer(each, "503 a"))
        .onStart(each -> fail(each, "x"))
        .onStart(each -> assertFalse(each.begin("c")));
    it.start();
    it.advance("100ms");
    it.advance("200ms");
    AttemptRefusedException refused = assertInstanceOf(AttemptRefusedException.class, it.thrown());
    assertEquals(OptionalInt.of(503), refused.status());
    assertEquals(Map.of("Response", List.of("503 a")), refused.headers());
  }

  @Test
  void anAnswer_isAFailureOfTheServersHealth_onlyFrom500On() {
    it.transport.onStart(each -> answer(each, "500 a")).onStart(each -> answer(each, "499 b"));
    it.start();
    it.advance("100ms");
    assertEquals("1 failed UnsuccessfulAttemptException, 2 succeeded", it.guard.answers());
  }

  // On the calling thread.

  @Test
  void run_goesTheSameWay() throws Throwable {
    it.transport
        .boundingAttempts()
        .onStart(each -> answer(each, "503 a"))
        .onStart(each -> fail(each, "x"))
        .onStart(each -> answer(each, "200"));
    assertEquals("200", it.loop.run(Long.MAX_VALUE));
    it.verifyTrace(
        "1 UNAVAILABLE, wait 100ms backoff, 2 IOException, wait 200ms backoff, 3 ok, accepted");
    assertEquals(List.of("503 a"), it.transport.discarded());
    assertEquals(300_000_000, it.time.nanos());
  }

  @Test
  void run_timersStopAnAttempt_thatTheCallingThreadIsIn() throws Throwable {
    List<String> stopped = new ArrayList<>();
    it.transport
        .onStart(each -> {
          begin(each);
          each.onCancel(() -> stopped.add("stopped"));
          it.advance("9s");
          each.complete(null, new IOException("socket closed"));
        })
        .onStart(each -> answer(each, "200"));
    assertEquals("200", it.loop.run(Long.MAX_VALUE));
    it.verifyTrace("1 TimeoutException, wait 100ms backoff, 2 ok, accepted");
    assertEquals(List.of("stopped"), stopped);
  }

  @Test
  void run_cancelEndsTheWait() {
    it.transport.onStart(each -> {
      it.time.schedule(50_000_000, it.loop::cancel);
      fail(each, "x");
    });
    Throwable thrown = assertThrows(Throwable.class, () -> it.loop.run(Long.MAX_VALUE));
    assertEquals("cancelled", thrown.getMessage());
    it.verifyTrace("1 IOException, wait 100ms backoff, cancelled");
    assertEquals(50_000_000, it.time.nanos());
  }

  @Test
  void run_cancelRightBeforeTheWait_endsIt() {
    it.transport
        .boundingAttempts()
        .onStart(each -> answer(each, "503 a"))
        .whenDiscarding(it.loop::cancel);
    Throwable thrown = assertThrows(Throwable.class, () -> it.loop.run(Long.MAX_VALUE));
    assertEquals("cancelled", thrown.getMessage());
    it.verifyTrace("1 UNAVAILABLE, wait 100ms backoff, cancelled");
    assertEquals(0, it.time.nanos());
  }

  @Test
  void run_aWaitThatEndsEarly_goesOn_becauseAHintIsAFloor() throws Throwable {
    it.transport
        .boundingAttempts()
        .onStart(each -> {
          begin(each);
          it.fireNextTimerEarlyBy("1ms");
          each.complete(null, new IOException("x"));
        })
        .onStart(each -> answer(each, "200"));
    assertEquals("200", it.loop.run(Long.MAX_VALUE));
    it.verifyTrace("1 IOException, wait 100ms backoff, 2 ok, accepted");
    assertEquals(100_000_000, it.time.nanos());
  }

  @Test
  void run_anInterruptThatTheWaitDoesNotNotice_endsTheOperation() {
    it.transport
        .boundingAttempts()
        .onStart(each -> {
          it.time.schedule(50_000_000, Thread.currentThread()::interrupt);
          fail(each, "x");
        });
    assertThrows(InterruptedException.class, () -> it.loop.run(Long.MAX_VALUE));
    assertFalse(Thread.interrupted());
    it.verifyTrace("1 IOException, wait 100ms backoff, interrupted");
  }

  @Test
  void run_aSchedulerThatRejects_endsTheOperation() {
    it.transport
        .boundingAttempts()
        .onStart(each -> {
          it.rejectFromNowOn();
          fail(each, "x");
        });
    Throwable thrown = assertThrows(Throwable.class, () -> it.loop.run(Long.MAX_VALUE));
    assertEquals("the scheduler accepts no retry", thrown.getMessage());
    it.verifyTrace("1 IOException, wait 100ms backoff, rejected by the scheduler");
  }
}
