package dev.steadfast.retry.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.DelayReason;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.Guard;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.testkit.FakeTime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** An operation that is run more than once, in virtual time. */
class RepeatableLoopTest {
  private static final String POLICY =
      "maxAttempts=4; backoff=exponential(100ms..20s); totalTimeout=30s";

  private final FakeTime time = new FakeTime();
  private final LoggedAccount account = new LoggedAccount(100);
  private final List<String> events = new ArrayList<>();
  private final List<RetryReport> ended = new ArrayList<>();
  private final List<OperationInfo> guardEnds = new ArrayList<>();

  private RepeatableLoop<String> loop(RetryTransport<String> transport) {
    return loop(POLICY, transport);
  }

  private RepeatableLoop<String> loop(String policy, RetryTransport<String> transport) {
    RetryPlan plan =
        RetryPlan.of(RetryPolicy.valueOf(policy), origin -> account, time.environment())
            .withGuards(List.of(new Ending()))
            .withListeners(List.of(time.skipWaits(), new Told()));
    return RepeatableLoop.of(plan, OperationInfo.of("origin", "label"), transport);
  }

  private final class Ending implements Guard {
    @Override
    public long admitsInNanos(OperationInfo operation, long nowNanos) {
      return 0;
    }

    @Override
    public Permit acquire(OperationInfo operation, long nowNanos) {
      return Permit.none();
    }

    @Override
    public void operationEnded(OperationInfo operation) {
      guardEnds.add(operation);
    }
  }

  private final class Told implements RetryListener {
    @Override
    public void operationStarted(OperationInfo operation) {
      events.add("started");
    }

    @Override
    public void attemptStarted(OperationInfo operation, int attempt, Object request) {
      events.add("" + attempt);
    }

    @Override
    public void waiting(OperationInfo operation, Duration delay, DelayReason why) {
      events.add(delay.toMillis() + " ms");
    }

    @Override
    public void ended(OperationInfo operation, RetryReport report) {
      events.add("ended, " + report.reason());
      ended.add(report);
    }
  }

  /** Answers with one of these after the other. */
  private static ScriptedTransport answering(String... answers) {
    ScriptedTransport transport = new ScriptedTransport();
    for (String answer : answers) {
      transport.onStart(attempt -> {
        assertTrue(attempt.begin("request"));
        boolean fails = answer.startsWith("lost") || answer.startsWith("permanent");
        attempt.complete(fails ? null : answer, fails ? new IOException(answer) : null);
      });
    }
    return transport;
  }

  private static RetryReport last(ScriptedTransport transport) {
    return transport.delivered().get(transport.delivered().size() - 1);
  }

  @Test
  void aSecondRunGoesOn_andTheEndIsToldOnce() throws Throwable {
    ScriptedTransport first = answering("503", "200 a");
    RepeatableLoop<String> loop = loop(first);
    assertEquals("200 a", loop.run(Long.MAX_VALUE));
    assertEquals(2, last(first).attempts());
    assertEquals(List.of(), guardEnds);

    ScriptedTransport second = answering("503", "200 b");
    time.advance(Duration.ofSeconds(1));
    assertEquals("200 b", loop.runAgain(second, Long.MAX_VALUE));
    assertEquals(4, last(second).attempts());
    assertEquals(List.of(), ended);

    loop.close();
    assertEquals("started, 1, 100 ms, 2, 3, 200 ms, 4, ended, accepted", String.join(", ", events));
    assertSame(last(second), ended.get(0));
    assertEquals(Duration.ofMillis(1300), ended.get(0).elapsed());
    assertEquals(Duration.ofMillis(300), ended.get(0).waited());
    assertEquals(1, guardEnds.size());
  }

  @Test
  void eachRunMakesAnAttempt_andMaxAttemptsHoldForAll() throws Throwable {
    RepeatableLoop<String> loop = loop("maxAttempts=3", answering("503 a", "503 b", "503 c"));
    assertEquals("503 c", loop.run(Long.MAX_VALUE));
    ScriptedTransport second = answering("503 d");
    assertEquals("503 d", loop.runAgain(second, Long.MAX_VALUE));
    assertEquals(StopReason.ATTEMPTS_EXHAUSTED, last(second).reason());
    assertTrue(last(second).toString().contains("maxAttempts=3 ["), last(second).toString());
    ScriptedTransport third = answering("200");
    assertEquals("200", loop.runAgain(third, Long.MAX_VALUE));
    assertEquals(5, last(third).attempts());
    loop.close();
  }

  @Test
  void theTimeIsThatOfAllRuns() throws Throwable {
    RepeatableLoop<String> loop = loop(answering("200"));
    loop.run(Long.MAX_VALUE);
    time.advance(Duration.ofSeconds(29));
    loop.runAgain(answering("200"), Long.MAX_VALUE);
    time.advance(Duration.ofSeconds(1));
    Throwable thrown =
        assertThrows(Throwable.class, () -> loop.runAgain(answering("200"), Long.MAX_VALUE));
    RetryReport report = RetryReport.of(thrown).orElseThrow();
    assertEquals(StopReason.DEADLINE, report.reason());
    assertEquals(2, report.attempts());
    loop.close();
    assertSame(report, ended.get(0));
  }

  @Test
  void theBoundOfARunIsItsOwn() throws Throwable {
    RepeatableLoop<String> loop = loop(answering("200"));
    loop.run(Duration.ofSeconds(1).toNanos());
    time.advance(Duration.ofSeconds(2));
    assertEquals("200", loop.runAgain(answering("200"), Long.MAX_VALUE));
    assertThrows(Throwable.class, () -> loop.runAgain(answering("200"), 0));
    loop.close();
    assertEquals(StopReason.DEADLINE, ended.get(0).reason());
  }

  /** Another operation of the call began earlier. */
  @Test
  void whatIsSpentBeforeTheBeginCounts() throws Throwable {
    RepeatableLoop<String> loop = loop(answering("200").spent(Duration.ofSeconds(29)));
    assertEquals("200", loop.run(Long.MAX_VALUE));
    time.advance(Duration.ofSeconds(1));
    assertThrows(Throwable.class, () -> loop.runAgain(new ScriptedTransport(), Long.MAX_VALUE));
    RepeatableLoop<String> late = loop(new ScriptedTransport().spent(Duration.ofSeconds(30)));
    assertThrows(Throwable.class, () -> late.run(Long.MAX_VALUE));
    loop.close();
    late.close();
    assertEquals(StopReason.DEADLINE, ended.get(0).reason());
    assertEquals(StopReason.DEADLINE, ended.get(1).reason());
    assertEquals(Duration.ZERO, ended.get(1).elapsed());
  }

  @Test
  void theBudgetHearsOfOneOperation() throws Throwable {
    RepeatableLoop<String> loop = loop(answering("permanent"));
    assertThrows(IOException.class, () -> loop.run(Long.MAX_VALUE));
    loop.runAgain(answering("200"), Long.MAX_VALUE);
    loop.runAgain(answering("200"), Long.MAX_VALUE);
    assertEquals("began", account.log());
    loop.close();
    assertEquals("began, ended SUCCEEDED -", account.log());
  }

  /** A budget of places would else lose the one that the retry of the first run holds. */
  @Test
  void aRetryThatWasPaidForIsSettledBeforeTheNextRun() throws Throwable {
    RepeatableLoop<String> loop = loop(answering("503", "200"));
    loop.run(Long.MAX_VALUE);
    loop.runAgain(answering("503", "200"), Long.MAX_VALUE);
    loop.close();
    assertEquals(
        "began, failed UNAVAILABLE -, withdrew UNAVAILABLE #1, ended UNKNOWN #1,"
            + " began, failed UNAVAILABLE -, withdrew UNAVAILABLE #2, ended SUCCEEDED #2",
        account.log());
  }

  @Test
  void aPlaceOfAConcurrentBudgetIsFreeAtTheEnd() throws Throwable {
    RetryBudget budget = RetryBudget.concurrent(0, 1);
    RetryPlan plan =
        RetryPlan.of(RetryPolicy.valueOf(POLICY), budget, time.environment())
            .withListeners(List.of(time.skipWaits()));
    for (int call = 0; call < 3; call++) {
      RepeatableLoop<String> loop =
          RepeatableLoop.of(plan, OperationInfo.of("origin", "label"), answering("503", "200"));
      loop.run(Long.MAX_VALUE);
      assertEquals("200", loop.runAgain(answering("503", "200"), Long.MAX_VALUE));
      loop.close();
    }
    assertEquals(1, budget.account("origin").available(time.nanos()).orElseThrow());
  }

  @Test
  void aCancellationEndsWhatFollows() throws Throwable {
    RepeatableLoop<String> loop = loop(answering("200"));
    loop.run(Long.MAX_VALUE);
    loop.cancel();
    ScriptedTransport second = new ScriptedTransport();
    Throwable thrown = assertThrows(Throwable.class, () -> loop.runAgain(second, Long.MAX_VALUE));
    assertEquals(StopReason.CANCELLED, RetryReport.of(thrown).orElseThrow().reason());
    loop.close();
    assertEquals("started, 1, ended, cancelled", String.join(", ", events));
  }

  @Test
  void anEarlierRunThatMayHaveActedIsNotForgotten() throws Throwable {
    RepeatableLoop<String> loop = loop("maxAttempts=1", answering("lost"));
    assertThrows(IOException.class, () -> loop.run(Long.MAX_VALUE));
    ScriptedTransport second = answering("200");
    loop.runAgain(second, Long.MAX_VALUE);
    loop.close();
    assertEquals(2, last(second).attempts());
    assertTrue(last(second).earlierAttemptMayHaveActed());
  }

  @Test
  void aStaleConnectionIsFreeOnceInEachRun() throws Throwable {
    RepeatableLoop<String> loop = loop("maxAttempts=1", new Stale(answering("lost stale", "200")));
    assertEquals("200", loop.run(Long.MAX_VALUE));
    assertEquals("200", loop.runAgain(new Stale(answering("lost stale", "200")), Long.MAX_VALUE));
    loop.close();
    assertEquals(4, ended.get(0).attempts());
  }

  @Test
  void withoutARunThereIsNoEnd() {
    loop(answering()).close();
    assertEquals(List.of(), events);
    assertEquals("", account.log());
  }

  @Test
  void aBudgetThatThrowsAtTheEndIsLogged_andTheRestIsTold() throws Throwable {
    RetryBudget.Account broken =
        new RetryBudget.Account() {
          @Override
          public RetryBudget.Withdrawal tryWithdraw(FailureKind kind, long nowNanos) {
            return RetryBudget.Withdrawal.refused();
          }

          @Override
          public void refund(RetryBudget.Withdrawal withdrawal, long nowNanos) {}

          @Override
          public void operationEnded(
              RetryBudget.Outcome outcome, RetryBudget.@Nullable Withdrawal last, long nowNanos) {
            throw new IllegalStateException("broken budget");
          }
        };
    RetryPlan plan =
        RetryPlan.of(RetryPolicy.valueOf(POLICY), origin -> broken, time.environment())
            .withListeners(List.of(new Told()));
    RepeatableLoop<String> loop =
        RepeatableLoop.of(plan, OperationInfo.of("origin", "label"), answering("200"));
    loop.run(Long.MAX_VALUE);
    loop.close();
    assertEquals("started, 1, ended, accepted", String.join(", ", events));
  }

  /** Finds its connection dead where something is lost. */
  private static final class Stale implements RetryTransport<String> {
    private final ScriptedTransport as;

    Stale(ScriptedTransport as) {
      this.as = as;
    }

    @Override
    public void start(Attempt<String> attempt) {
      as.start(attempt);
    }

    @Override
    public Outcome outcome(String response) {
      return as.outcome(response);
    }

    @Override
    public Outcome outcome(Throwable failure) {
      return new Outcome(
          Verdict.retryable(FailureKind.STALE_CONNECTION), as.outcome(failure).evidence());
    }

    @Override
    public Evidence evidence() {
      return as.evidence();
    }

    @Override
    public Throwable failure(End end, @Nullable Throwable cause) {
      return as.failure(end, cause);
    }
  }
}
