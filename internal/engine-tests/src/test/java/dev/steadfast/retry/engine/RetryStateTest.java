package dev.steadfast.retry.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.DelayReason;
import dev.steadfast.retry.Draws;
import dev.steadfast.retry.Guard;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.StopReason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What follows an attempt: a row per step of the order of decision, and who wins where two hold.
 */
class RetryStateTest {
  // An operation may begin at any value of the ticker, also where its deadline wraps around.
  private static final long[] STARTS = {
    0, -1, 1_000_000_000, Long.MAX_VALUE, Long.MAX_VALUE - 1_000_000_000, Long.MIN_VALUE
  };

  /** The policy of the table where a row does not say otherwise. */
  private static RetryPolicy policy(String text) {
    String given = text == null ? "" : text;
    String backoff = given.contains("backoff=") ? "" : "; backoff=exponential(100ms..20s)";
    return RetryPolicy.valueOf(given + backoff.substring(given.isBlank() ? 1 : 0));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        // 1 accepted
        "- | - | accept                 | stop accepted",
        "- | - | cached                 | stop accepted",
        "- | - | fail fail accept       | retry 100ms backoff, retry 200ms backoff, stop accepted",
        "maxAttempts=1 | - | accept     | stop accepted",
        "- | - | 90s:accept             | stop accepted",
        // 2 final; 3 of a kind that is worth one retry and came before
        "- | - | permanent              | stop not retryable",
        "- | - | fail permanent         | retry 100ms backoff, stop not retryable",
        "- | - | 90s:permanent          | stop not retryable",
        "- | - | too_early+once too_early+once | retry 100ms backoff, stop not retryable",
        "- | - | too_early+once accept  | retry 100ms backoff, stop accepted",
        "- | - | too_early+once fail too_early+once"
            + " | retry 100ms backoff, retry 200ms backoff, stop not retryable",
        "- | - | too_early+once conflict+once accept"
            + " | retry 100ms backoff, retry 200ms backoff, stop accepted",
        "- | - | too_early too_early+once | retry 100ms backoff, stop not retryable",
        "- | - | too_early+once too_early accept"
            + " | retry 100ms backoff, retry 200ms backoff, stop accepted",
        // 2 final, or possibly processed and not safe to repeat as it went over the wire
        "- | - | fail+unsafe            | stop not replayable",
        "- | - | fail+unsafe+unsent     | retry 100ms backoff",
        "- | - | fail+unsafe+refused    | retry 100ms backoff",
        "- | - | fail+unsafe+claimed    | retry 100ms backoff",
        "- | - | fail+keyed             | retry 100ms backoff",
        "- | - | permanent+unsafe       | stop not retryable",
        "- | - | fail+unsafe+doNotRetry       | stop not replayable",
        "maxAttempts=1 | - | fail+unsafe | stop not replayable",
        "- | - | fail+unsafe+spent      | stop not replayable",
        "- | - | fail+spent             | stop body not repeatable",
        "- | - | fail+unsent+spent      | stop body not repeatable",
        "- | - | permanent+spent        | stop not retryable",
        "- | - | accept+unsafe+spent    | stop accepted",
        // 3 no attempts left
        "- | - | fail fail fail"
            + " | retry 100ms backoff, retry 200ms backoff, stop attempts exhausted",
        "maxAttempts=1 | - | fail       | stop attempts exhausted",
        "maxAttempts=2 | - | fail fail  | retry 100ms backoff, stop attempts exhausted",
        // 4 told not to retry
        "- | - | fail+doNotRetry              | stop do not retry",
        "- | - | fail fail+doNotRetry         | retry 100ms backoff, stop do not retry",
        // 5 the server delay is above the ceiling
        "- | - | fail+serverDelay=61s          | stop server delay too long",
        "- | - | fail+exactly=61s       | stop server delay too long",
        "- | - | fail+serverDelay=60001ms      | stop server delay too long",
        "maxServerDelay=2s | - | fail+serverDelay=2s | retry 2s server delay",
        "maxServerDelay=2s | - | fail+serverDelay=2001ms | stop server delay too long",
        "maxServerDelay=0s | - | fail+serverDelay=0s | retry 100ms backoff",
        "maxServerDelay=0s | - | fail+serverDelay=1ns | stop server delay too long",
        "maxServerDelay=2s; aboveCeiling=clamp | - | fail+serverDelay=3h | retry 2s server delay",
        "maxServerDelay=2s; aboveCeiling=clamp | - | fail+exactly=3h | retry 2s server pushback",
        "maxServerDelay=0s; aboveCeiling=clamp | - | fail+serverDelay=3h | retry 100ms backoff",
        // 6 delay = max(backoff, server delay + upward spread)
        "- | - | fail+serverDelay=2s           | retry 2s server delay",
        "- | - | fail+serverDelay=0s           | retry 100ms backoff",
        "- | - | fail+serverDelay=99ms         | retry 100ms backoff",
        "- | - | fail+serverDelay=100ms        | retry 100ms server delay",
        "- | - | fail+serverDelay=101ms        | retry 101ms server delay",
        "- | - | fail+serverDelay=2s fail      | retry 2s server delay, retry 200ms backoff",
        "- | - | fail+exactly=5ms       | retry 5ms server pushback",
        "- | - | fail+exactly=0s        | retry 0s server pushback",
        "maxAttempts=9 | - | fail fail fail+exactly=5ms fail fail"
            + " | retry 100ms backoff, retry 200ms backoff, retry 5ms server pushback,"
            + " retry 100ms backoff, retry 200ms backoff",
        "backoff=none | - | fail fail   | retry 0s backoff, retry 0s backoff",
        // 6 a kind of failure may have a backoff of its own
        "backoff.throttled=exponential(1s..20s) | - | throttled fail"
            + " | retry 1s backoff, retry 200ms backoff",
        "maxAttempts=9; backoff.throttled=fixed(3s) | - | fail throttled fail throttled"
            + " | retry 100ms backoff, retry 3s backoff, retry 400ms backoff, retry 3s backoff",
        "backoff.throttled=fixed(3s) | - | throttled+serverDelay=2s | retry 3s backoff",
        "backoff.throttled=fixed(3s) | - | throttled+serverDelay=4s | retry 4s server delay",
        "backoff.throttled=fixed(3s) | - | throttled+exactly=5ms | retry 5ms server pushback",
        "backoff.throttled=fixed(30s) | - | throttled | stop deadline",
        "backoff.throttled=none | - | throttled unavailable | retry 0s backoff, retry 200ms backoff",
        "backoff.stale-connection=fixed(3s) | - | stale | retry 0s stale connection",
        "maxAttempts=9; backoff=decorrelated(100ms..2s); backoff.throttled=fixed(5s) | highest"
            + " | fail throttled fail | retry 300ms backoff, retry 5s backoff, retry 2s backoff",
        // 6 spread: upward, by at most the share of the server delay, and at most 10 s
        "- | highest | fail+serverDelay=2s     | retry 4s server delay",
        "serverDelaySpread=0.5 | highest | fail+serverDelay=2s | retry 3s server delay",
        "serverDelaySpread=0 | highest | fail+serverDelay=2s | retry 2s server delay",
        "serverDelaySpread=10; totalTimeout=none | highest | fail+serverDelay=2s | retry 12s server delay",
        "totalTimeout=none | highest | fail+serverDelay=10s | retry 20s server delay",
        "totalTimeout=none | highest | fail+serverDelay=40s | retry 50s server delay",
        "serverDelaySpread=10 | highest | fail+exactly=2s | retry 2s server pushback",
        "maxServerDelay=2s; aboveCeiling=clamp | highest | fail+serverDelay=3h | retry 4s server delay",
        "backoff=fixed(3s) | highest | fail+serverDelay=2s | retry 4s server delay",
        "backoff=fixed(3s) | lowest | fail+serverDelay=2s | retry 3s backoff",
        // 6 spread: within the room before the deadline
        "totalTimeout=3s | highest | fail+serverDelay=2s | retry 2999ms server delay",
        "totalTimeout=2001ms | highest | fail+serverDelay=2s | retry 2s server delay",
        "totalTimeout=5s | highest | 1500ms:fail+serverDelay=2s | retry 3499ms server delay",
        "totalTimeout=5s; minimumAttempt=1s | highest | fail+serverDelay=3s | retry 4s server delay",
        // 7 the delay and a minimal attempt would pass the deadline
        "totalTimeout=2s | - | fail+serverDelay=2s | stop deadline",
        "totalTimeout=101ms | - | fail  | retry 100ms backoff",
        "totalTimeout=100999us | - | fail | stop deadline",
        "totalTimeout=1s | - | 899ms:fail | retry 100ms backoff",
        "totalTimeout=1s | - | 900ms:fail | stop deadline",
        "totalTimeout=1s; minimumAttempt=500ms | - | 400ms:fail | retry 100ms backoff",
        "totalTimeout=1s; minimumAttempt=500ms | - | 401ms:fail | stop deadline",
        "- | - | 31s:fail               | stop deadline",
        "totalTimeout=none | - | 9h:fail fail | retry 100ms backoff, retry 200ms backoff",
        "maxAttempts=9; totalTimeout=1s | - | fail fail fail fail"
            + " | retry 100ms backoff, retry 200ms backoff, retry 400ms backoff, stop deadline",
        "totalTimeout=1s | - | fail+exactly=1s | stop deadline",
        // 8 guards are asked, not acquired
        "- | refusing | fail            | stop guard refused",
        "- | refusing | accept          | stop accepted",
        // 9 withdraw from the budget
        "- | tokens=0 | fail            | stop budget exhausted",
        "- | tokens=1 | fail fail       | retry 100ms backoff, stop budget exhausted",
        "- | tokens=0 | accept          | stop accepted",
        // an announced end of the connection costs nothing once
        "- | tokens=0 | goaway accept   | retry 100ms backoff, stop accepted",
        "- | tokens=0 | goaway goaway   | retry 100ms backoff, stop budget exhausted",
        "- | tokens=1 | goaway goaway accept"
            + " | retry 100ms backoff, retry 200ms backoff, stop accepted",
        "- | tokens=0 | goaway+keyed    | stop budget exhausted",
        "- | -        | goaway+unsafe   | stop not replayable",
        "maxAttempts=1 | - | goaway     | stop attempts exhausted",
        // a stale connection: at once, one time, beside maxAttempts, charged
        "- | - | stale                  | retry 0s stale connection",
        "maxAttempts=1 | - | stale fail | retry 0s stale connection, stop attempts exhausted",
        "maxAttempts=1 | - | stale stale | retry 0s stale connection, stop attempts exhausted",
        "- | - | stale fail fail fail"
            + " | retry 0s stale connection, retry 100ms backoff, retry 200ms backoff,"
            + " stop attempts exhausted",
        "- | - | stale stale stale stale"
            + " | retry 0s stale connection, retry 100ms backoff, retry 200ms backoff,"
            + " stop attempts exhausted",
        "- | - | fail stale fail fail"
            + " | retry 100ms backoff, retry 0s stale connection, retry 200ms backoff,"
            + " stop attempts exhausted",
        // but a stale connection counts as an attempt where no method or proof makes it safe
        "maxAttempts=1 | - | stale+keyed | stop attempts exhausted",
        "maxAttempts=1 | - | stale+unsafe+unsent fail"
            + " | retry 0s stale connection, stop attempts exhausted",
        "maxAttempts=2 | - | stale+keyed fail"
            + " | retry 0s stale connection, stop attempts exhausted",
        "maxAttempts=2 | - | stale fail fail"
            + " | retry 0s stale connection, retry 100ms backoff, stop attempts exhausted",
        "- | - | stale+unsafe           | stop not replayable",
        "- | tokens=0 | stale           | retry 0s stale connection",
        "- | tokens=0 | stale+keyed     | stop budget exhausted",
        "- | tokens=0 | stale stale     | retry 0s stale connection, stop budget exhausted",
        "- | refusing | stale           | stop guard refused",
        "- | - | stale+doNotRetry             | stop do not retry",
        "- | - | 31s:stale              | stop deadline",
        "totalTimeout=1s | - | 999ms:stale | retry 0s stale connection",
        // decorrelated jitter goes by the delay before
        "maxAttempts=9; backoff=decorrelated(100ms..2s) | highest | fail fail fail fail"
            + " | retry 300ms backoff, retry 900ms backoff, retry 2s backoff, retry 2s backoff",
        "maxAttempts=9; backoff=decorrelated(100ms..2s) | highest | fail fail fail+exactly=5ms fail"
            + " | retry 300ms backoff, retry 900ms backoff, retry 5ms server pushback,"
            + " retry 300ms backoff",
        "maxAttempts=9; backoff=decorrelated(100ms..2s) | highest | fail stale fail"
            + " | retry 300ms backoff, retry 0s stale connection, retry 900ms backoff",
      })
  void decides(String policy, String given, String attempts, String trace) {
    for (long start : STARTS) {
      Course course = new Course(state(policy(policy), given), start, Long.MAX_VALUE);
      assertEquals(trace, course.attempts(attempts).trace(), "from " + start);
    }
  }

  private static final OperationInfo OPERATION = OperationInfo.of("origin", "GET origin/");

  private static RetryState state(RetryPolicy policy, String given) {
    String word = given == null ? "" : given;
    int tokens = word.startsWith("tokens=") ? Integer.parseInt(word.substring(7)) : 1000;
    LongSupplier random = word.equals("highest") ? Draws.highest() : Draws.lowest();
    AskedGuard guard = new AskedGuard(word.equals("refusing"));
    return Course.state(
        Course.plan(policy, random),
        new LoggedAccount(tokens),
        nowNanos -> GuardPermits.none().opening(List.of(guard), OPERATION, nowNanos));
  }

  /** A guard that refuses always or never, and counts how often it is asked. */
  private static final class AskedGuard implements Guard {
    private final boolean refuses;
    private final AtomicInteger asked = new AtomicInteger();

    AskedGuard(boolean refuses) {
      this.refuses = refuses;
    }

    @Override
    public long admitsInNanos(OperationInfo operation, long nowNanos) {
      assertSame(OPERATION, operation);
      asked.incrementAndGet();
      return refuses ? NEVER : 0;
    }

    @Override
    public Permit acquire(OperationInfo operation, long nowNanos) {
      throw new AssertionError("a decision acquires nothing");
    }
  }

  // Every set of conditions: the first in the order of decision is the reason, whatever else holds,
  // and what stands behind it is not asked.
  @ParameterizedTest
  @MethodSource("allConditions")
  void theFirstInTheOrderWins(Conditions given) {
    LoggedAccount account = new LoggedAccount(given.budgetEmpty() ? 0 : 5);
    AskedGuard guard = new AskedGuard(given.guardRefuses());
    RetryState state =
        Course.state(Course.plan(given.policy(), () -> 0), account, given.admission(guard));
    state.begin(0, Long.MAX_VALUE);
    state.startAttempt();
    if (given.seenBefore()) {
      // An earlier failure of the same kind that got its retry, before the conditions arose.
      RetryState before = state;
      assertEquals(null, stop(before.next(Course.outcome("conflict"), 0)));
      state.startAttempt();
    }
    int askedBefore = guard.asked.get();
    int paidBefore = account.withdrawals();

    StopReason reason = stop(state.next(given.outcome(), given.nowNanos()));

    assertEquals(given.expected(), reason);
    boolean asksGuards =
        reason == null
            || reason == StopReason.GUARD_REFUSED
            || reason == StopReason.BUDGET_EXHAUSTED;
    assertEquals(asksGuards ? 1 : 0, guard.asked.get() - askedBefore, "guards asked");
    assertEquals(reason == null ? 1 : 0, account.withdrawals() - paidBefore, "retries paid for");
    assertEquals(reason != null, state.stopped());
  }

  private static StopReason stop(RetryDecision decision) {
    return decision instanceof RetryDecision.Stop stop ? stop.reason() : null;
  }

  static Stream<Arguments> allConditions() {
    List<Arguments> all = new ArrayList<>();
    for (String verdict : List.of("accept", "cached", "permanent", "conflict")) {
      for (int bits = 0; bits < 512; bits++) {
        // What needs a retry before it cannot be had together with the limits that forbid one.
        Conditions conditions = new Conditions(verdict, bits);
        if (conditions.possible()) {
          all.add(Arguments.of(conditions));
        }
      }
    }
    return all.stream();
  }

  /** What holds when an attempt has ended; one bit each. */
  record Conditions(String kind, int bits) {
    boolean seenBefore() {
      return (bits & 1) != 0;
    }

    boolean attemptsUsedUp() {
      return (bits & 2) != 0;
    }

    boolean doNotRetry() {
      return (bits & 4) != 0;
    }

    boolean serverDelayTooLong() {
      return (bits & 8) != 0;
    }

    boolean deadlineNear() {
      return (bits & 16) != 0;
    }

    boolean guardRefuses() {
      return (bits & 32) != 0;
    }

    boolean budgetEmpty() {
      return (bits & 64) != 0;
    }

    boolean unsafe() {
      return (bits & 128) != 0;
    }

    boolean bodySpent() {
      return (bits & 256) != 0;
    }

    boolean possible() {
      return !seenBefore() || (!guardRefuses() && !budgetEmpty());
    }

    RetryPolicy policy() {
      int earlier = seenBefore() ? 2 : 1;
      return RetryPolicy.builder()
          .maxAttempts(attemptsUsedUp() ? earlier : 9)
          .backoff(Backoff.fixed(Duration.ofSeconds(1)))
          .maxServerDelay(Duration.ofSeconds(serverDelayTooLong() ? 2 : 20))
          .build();
    }

    Admission admission(Guard guard) {
      return nowNanos -> GuardPermits.none().opening(List.of(guard), OPERATION, nowNanos);
    }

    Outcome outcome() {
      String evidence = (unsafe() ? "+unsafe" : "") + (bodySpent() ? "+spent" : "");
      if (!kind.equals("conflict")) {
        return Course.outcome(kind + evidence);
      }
      String more = (doNotRetry() ? "+doNotRetry" : "") + (seenBefore() ? "+once" : "");
      return Course.outcome(kind + "+serverDelay=3s" + more + evidence);
    }

    long nowNanos() {
      return Course.nanos(deadlineNear() ? "28s" : "5s");
    }

    StopReason expected() {
      if (!kind.equals("conflict")) {
        return kind.equals("permanent") ? StopReason.NOT_RETRYABLE : StopReason.ACCEPTED;
      }
      if (unsafe()) {
        return StopReason.NOT_REPLAYABLE;
      }
      if (bodySpent()) {
        return StopReason.BODY_NOT_REPEATABLE;
      }
      if (seenBefore()) {
        return StopReason.NOT_RETRYABLE;
      }
      if (attemptsUsedUp()) {
        return StopReason.ATTEMPTS_EXHAUSTED;
      }
      if (doNotRetry()) {
        return StopReason.DO_NOT_RETRY;
      }
      if (serverDelayTooLong()) {
        return StopReason.SERVER_DELAY_TOO_LONG;
      }
      if (deadlineNear()) {
        return StopReason.DEADLINE;
      }
      if (guardRefuses()) {
        return StopReason.GUARD_REFUSED;
      }
      return budgetEmpty() ? StopReason.BUDGET_EXHAUSTED : null;
    }
  }

  @Test
  void aRefusalOfAnyGuardCounts() {
    AskedGuard admits = new AskedGuard(false);
    AskedGuard refuses = new AskedGuard(true);
    AskedGuard notAsked = new AskedGuard(true);
    RetryState state =
        Course.state(
            Course.plan(policy(""), Draws.lowest()),
            new LoggedAccount(1),
            nowNanos ->
                GuardPermits.none()
                    .opening(List.of(admits, refuses, notAsked), OPERATION, nowNanos));
    assertEquals("stop guard refused", new Course(state, 0, 1L << 40).attempts("fail").trace());
    assertEquals("1 1 0", admits.asked + " " + refuses.asked + " " + notAsked.asked);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "accept                | began, ended SUCCEEDED -",
        "cached                | began, ended UNKNOWN -",
        "permanent             | began, ended FAILED -",
        "fail+doNotRetry             | began, failed OTHER -, ended FAILED -",
        "fail accept           | began, failed OTHER -, withdrew OTHER #1, ended SUCCEEDED #1",
        "throttled unavailable fail | began, failed THROTTLED -, withdrew THROTTLED #1,"
            + " failed UNAVAILABLE #1, withdrew UNAVAILABLE #2, failed OTHER #2, ended FAILED -",
        "stale accept          | began, failed STALE_CONNECTION -, ended SUCCEEDED -",
        "stale+keyed accept    | began, failed STALE_CONNECTION -, withdrew STALE_CONNECTION #1,"
            + " ended SUCCEEDED #1",
        "refused_stream accept | began, failed REFUSED_STREAM -, ended SUCCEEDED -",
        "refused_stream refused_stream accept | began, failed REFUSED_STREAM -,"
            + " failed REFUSED_STREAM -, withdrew REFUSED_STREAM #1, ended SUCCEEDED #1",
        "fail fail+serverDelay=61s    | began, failed OTHER -, withdrew OTHER #1, failed OTHER #1,"
            + " ended FAILED -",
        "conflict+once conflict+once | began, failed CONFLICT -, withdrew CONFLICT #1,"
            + " failed CONFLICT #1, ended FAILED -",
      })
  void tellsTheBudget(String attempts, String log) {
    LoggedAccount account = new LoggedAccount(9);
    Course.of(policy(""), account, Draws.lowest()).attempts(attempts);
    assertEquals(log, account.log());
  }

  @Test
  void anEmptyBudgetIsAskedOnce_andTheOperationFails() {
    LoggedAccount account = new LoggedAccount(0);
    Course.of(policy(""), account, Draws.lowest()).attempts("fail");
    assertEquals("began, failed OTHER -, refused OTHER, ended FAILED -", account.log());
  }

  @Test
  void abandon_givesBackWhatANotStartedRetryHadTaken() {
    LoggedAccount account = new LoggedAccount(1);
    Course course = Course.of(policy(""), account, Draws.lowest()).attempts("fail");
    assertEquals(0, account.tokens());
    RetryDecision.Stop stop = course.state().abandon(StopReason.CANCELLED, 1);
    assertEquals(StopReason.CANCELLED, stop.reason());
    assertEquals(1, account.tokens());
    assertEquals(
        "began, failed OTHER -, withdrew OTHER #1, refunded #1, ended UNKNOWN -", account.log());
    assertTrue(course.state().stopped());
  }

  @Test
  void abandon_keepsWhatAStartedRetryHadTaken() {
    LoggedAccount account = new LoggedAccount(1);
    Course course = Course.of(policy(""), account, Draws.lowest()).attempts("fail");
    course.state().startAttempt();
    course.state().abandon(StopReason.INTERRUPTED, 1);
    assertEquals("began, failed OTHER -, withdrew OTHER #1, ended UNKNOWN #1", account.log());
  }

  @Test
  void abandon_beforeTheFirstAttempt_hasNothingToGiveBack() {
    LoggedAccount account = new LoggedAccount(1);
    RetryState state = RetryState.of(policy(""), account, Draws.lowest());
    state.begin(0, Long.MAX_VALUE);
    state.abandon(StopReason.CANCELLED, 1);
    assertEquals("began, ended UNKNOWN -", account.log());
  }

  @ParameterizedTest
  @CsvSource({
    "DEADLINE, FAILED",
    "CANCELLED, UNKNOWN",
    "INTERRUPTED, UNKNOWN",
    "REJECTED, UNKNOWN",
    "GUARD_REFUSED, UNKNOWN",
    "USER_CODE_FAILED, UNKNOWN"
  })
  void abandon_countsAsFailedOnlyWhenTheTimeRanOut(StopReason reason, String outcome) {
    LoggedAccount account = new LoggedAccount(1);
    RetryState state = RetryState.of(policy(""), account, Draws.lowest());
    state.begin(0, Long.MAX_VALUE);
    assertEquals(reason, state.abandon(reason, 1).reason());
    assertEquals("began, ended " + outcome + " -", account.log());
  }

  @Test
  void aCallAfterTheEnd_explainsItselfAndChangesNothing() {
    LoggedAccount account = new LoggedAccount(9);
    RetryState state = RetryState.of(policy(""), account, Draws.lowest());
    state.begin(0, Long.MAX_VALUE);
    assertEquals("0 attempts, running", state.toString());
    state.startAttempt();
    assertEquals(null, stop(state.next(Course.outcome("fail"), 0)));
    assertFalse(state.stopped());
    state.startAttempt();
    assertEquals(StopReason.DO_NOT_RETRY, stop(state.next(Course.outcome("fail+doNotRetry"), 0)));
    String log = account.log();

    String message = "the operation ended after 2 attempts, told not to retry";
    assertIllegal(message, () -> state.next(Course.outcome("accept"), 0));
    assertIllegal(message, () -> state.next(Course.outcome("fail"), 0));
    assertIllegal(message, () -> state.startAttempt());
    assertIllegal(message, () -> state.abandon(StopReason.CANCELLED, 0));
    assertEquals(log, account.log());
    assertEquals(2, state.attempts());
    assertEquals("2 attempts, told not to retry", state.toString());
  }

  private static void assertIllegal(String message, Runnable call) {
    Exception thrown = assertThrows(IllegalStateException.class, call::run);
    assertEquals(message, thrown.getMessage());
  }

  @Test
  void startAttempt_countsFromOne() {
    RetryState state = RetryState.of(policy(""), new LoggedAccount(0), Draws.lowest());
    state.begin(0, Long.MAX_VALUE);
    assertEquals(0, state.attempts());
    assertEquals(1, state.startAttempt());
    assertEquals(2, state.startAttempt());
    assertEquals(2, state.attempts());
  }

  @Test
  void remaining_countsDownToZero_fromAnyStart() {
    for (long start : STARTS) {
      RetryState state = RetryState.of(policy(""), new LoggedAccount(0), Draws.lowest());
      state.begin(start, Long.MAX_VALUE);
      assertEquals(Course.nanos("30s"), state.remainingNanos(start));
      assertEquals(Course.nanos("29s"), state.remainingNanos(start + Course.nanos("1s")));
      assertEquals(1, state.remainingNanos(start + Course.nanos("30s") - 1));
      assertEquals(0, state.remainingNanos(start + Course.nanos("30s")));
      assertEquals(0, state.remainingNanos(start + Course.nanos("40s")));
    }
  }

  @Test
  void theSmallerOfPolicyAndCallerBoundsTheOperation() {
    assertEquals(Course.nanos("5s"), remaining("", Course.nanos("5s")));
    assertEquals(Course.nanos("30s"), remaining("", Course.nanos("31s")));
    assertEquals(Course.nanos("30s"), remaining("", Long.MAX_VALUE));
    assertEquals(Course.nanos("31s"), remaining("totalTimeout=none", Course.nanos("31s")));
    assertEquals(Long.MAX_VALUE, remaining("totalTimeout=none", Long.MAX_VALUE));
    assertEquals(0, remaining("", 0));
    assertEquals(
        Long.MAX_VALUE - 1, remaining("totalTimeout=9223372036854775806ns", Long.MAX_VALUE));
    // 292 years bound nothing.
    assertEquals(Long.MAX_VALUE, remaining("totalTimeout=9223372036854775807ns", Long.MAX_VALUE));
  }

  private static long remaining(String policy, long bound) {
    RetryState state = RetryState.of(policy(policy), new LoggedAccount(0), Draws.lowest());
    state.begin(77, bound);
    return state.remainingNanos(77);
  }

  @Test
  void theCallersBound_isADeadlineLikeThePolicys() {
    RetryState state = state(policy(""), "");
    Course course = new Course(state, Long.MAX_VALUE, Course.nanos("250ms"));
    assertEquals("retry 100ms backoff, stop deadline", course.attempts("fail fail").trace());
  }

  @Test
  void anAttemptMayTakeTheSmallerOfItsTimeoutAndWhatRemains() {
    RetryState state = state(policy("attemptTimeout=2s,10s; totalTimeout=30s"), "");
    state.begin(0, Long.MAX_VALUE);
    assertEquals(Course.nanos("2s"), attemptTimeoutNanos(state, 1, 0));
    assertEquals(Course.nanos("10s"), attemptTimeoutNanos(state, 2, 0));
    assertEquals(Course.nanos("10s"), attemptTimeoutNanos(state, 3, Course.nanos("20s")));
    assertEquals(Course.nanos("9s"), attemptTimeoutNanos(state, 3, Course.nanos("21s")));
    assertEquals(Course.nanos("1s"), attemptTimeoutNanos(state, 1, Course.nanos("29s")));
    assertEquals(0, attemptTimeoutNanos(state, 1, Course.nanos("31s")));

    RetryState unbounded = state(policy("totalTimeout=none"), "");
    unbounded.begin(0, Long.MAX_VALUE);
    assertEquals(Long.MAX_VALUE, attemptTimeoutNanos(unbounded, 1, 0));
  }

  @Test
  void theResendOnAStaleConnection_getsTheTimeOfTheAttemptThatItRepeats() {
    RetryState state = state(policy("attemptTimeout=1s,5s,9s"), "");
    Course course = new Course(state, 0, Long.MAX_VALUE).attempts("stale");
    assertEquals(Course.nanos("1s"), attemptTimeoutNanos(state, 2, 0));
    assertEquals(Course.nanos("5s"), attemptTimeoutNanos(state, 3, 0));
    assertEquals(Course.nanos("1s"), attemptTimeoutNanos(state, 1, 0));
    assertEquals("retry 0s stale connection", course.trace());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "attempts_exhausted | fail            | false",
        "attempts_exhausted | fail fail       | true",
        "deadline           | fail            | false",
        "deadline           | fail fail       | true",
        // The resend on a stale connection is no retry.
        "attempts_exhausted | stale fail      | false",
        "attempts_exhausted | stale fail fail | true",
        "attempts_exhausted | fail+doNotRetry       | true",
        "do_not_retry        | fail+doNotRetry       | true",
        "do_not_retry        | fail            | false",
        "budget_exhausted   | fail            | true",
        "not_retryable      | fail fail       | false"
      })
  void givingUp_isToRetryInVain_orToLearnThatRetryingDoesHarm(
      String reason, String attempts, boolean gaveUp) {
    RetryState state = state(policy("maxAttempts=9"), "");
    new Course(state, 0, Long.MAX_VALUE).attempts(attempts);
    assertEquals(gaveUp, state.gaveUp(StopReason.valueOf(reason.toUpperCase(Locale.ROOT))));
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, Long.MIN_VALUE})
  void aNegativeDelayOfAnOwnStrategyCountsAsNone(long delay) {
    List<Long> previous = new ArrayList<>();
    RetryPolicy policy =
        RetryPolicy.builder()
            .backoff((retry, previousNanos, random) -> {
              previous.add(previousNanos);
              return delay;
            })
            .build();
    String trace =
        Course.of(policy, new LoggedAccount(9), Draws.lowest()).attempts("fail fail").trace();
    assertEquals("retry 0s backoff, retry 0s backoff", trace);
    assertEquals(List.of(0L, 0L), previous);
  }

  @Test
  void anOwnStrategyGetsTheNumberOfTheRetry_andTheDelayBefore() {
    List<String> calls = new ArrayList<>();
    RetryPolicy policy =
        RetryPolicy.builder()
            .maxAttempts(9)
            .noTotalTimeout()
            .backoff((retry, previousNanos, random) -> {
              calls.add(retry + " after " + previousNanos);
              return retry * 10L;
            })
            .build();
    // A server delay does not replace the backoff, and is not what the next delay grows from.
    Course.of(policy, new LoggedAccount(9), Draws.lowest())
        .attempts("fail fail+serverDelay=9s stale fail fail+exactly=1s fail");
    assertEquals(List.of("1 after 0", "2 after 10", "3 after 20", "1 after 0"), calls);
  }

  @Test
  void aDelayBeyondAllTime_isADeadlineMissed_notAnOverflow() {
    RetryPolicy policy =
        RetryPolicy.builder().backoff(Backoff.fixed(Duration.ofNanos(Long.MAX_VALUE))).build();
    assertEquals(
        "stop deadline",
        Course.of(policy, new LoggedAccount(9), Draws.lowest()).attempts("fail").trace());
    RetryPolicy endless =
        policy.toBuilder()
            .noTotalTimeout()
            .maxServerDelay(Duration.ofNanos(Long.MAX_VALUE))
            .serverDelaySpread(10)
            .backoff(Backoff.none())
            .build();
    String most = "fail+serverDelay=9223372036854775807ns";
    assertEquals(
        "retry 9223372036854775807ns server delay",
        Course.of(endless, new LoggedAccount(9), Draws.highest()).attempts(most).trace());
    RetryPolicy slowest =
        endless.toBuilder().minimumAttempt(Duration.ofNanos(Long.MAX_VALUE)).build();
    Course bounded =
        new Course(RetryState.of(slowest, new LoggedAccount(9), Draws.highest()), 0, 1000);
    assertEquals("stop deadline", bounded.attempts(most).trace());
  }

  @Test
  void aGuardThatOpensAfterAllTime_isWaitedForWithoutAnOverflow() {
    AdmissionTime late = new AdmissionTime(Long.MAX_VALUE - 1, Long.MAX_VALUE, null);
    RetryState state =
        Course.state(
            Course.plan(policy("totalTimeout=none"), Draws.highest()),
            new LoggedAccount(9),
            nowNanos -> late);
    state.begin(0, Long.MAX_VALUE);
    state.startAttempt();
    assertEquals(
        new RetryDecision.Retry(Long.MAX_VALUE, DelayReason.GUARD),
        state.next(Course.outcome("fail"), 0));
  }

  @Test
  void theSpread_isDrawnOverItsWholeRange() {
    RetryPolicy policy = policy("totalTimeout=none");
    LongSupplier random = Draws.seeded(9);
    long least = Long.MAX_VALUE;
    long most = 0;
    for (int i = 0; i < 10_000; i++) {
      RetryState state = RetryState.of(policy, new LoggedAccount(1), random);
      state.begin(0, Long.MAX_VALUE);
      state.startAttempt();
      RetryDecision decision = state.next(Course.outcome("fail+serverDelay=4s"), 0);
      long delay = ((RetryDecision.Retry) decision).delayNanos();
      least = Math.min(least, delay);
      most = Math.max(most, delay);
    }
    assertTrue(least >= Course.nanos("4s") && least < Course.nanos("4010ms"), "least " + least);
    assertTrue(most <= Course.nanos("8s") && most > Course.nanos("7990ms"), "most " + most);
  }

  private static long attemptTimeoutNanos(RetryState state, int attempt, long nowNanos) {
    return Math.min(state.ownTimeoutNanos(attempt), state.remainingNanos(nowNanos));
  }
}
