package dev.steadfast.retry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryBudget.Withdrawal;
import dev.steadfast.retry.engine.Decided;
import dev.steadfast.retry.internal.OriginTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What each budget pays for, beyond the published vectors. */
class BudgetFamiliesTest {
  private static final long SECOND = 1_000_000_000L;

  private static boolean take(RetryBudget.Account account, long nowNanos) {
    return account.tryWithdraw(FailureKind.OTHER, nowNanos).granted();
  }

  private static int takeAll(RetryBudget.Account account, long nowNanos) {
    int taken = 0;
    while (take(account, nowNanos) && taken < 2_000_000) {
      taken++;
    }
    return taken;
  }

  private static void begin(RetryBudget.Account account, int operations, long nowNanos) {
    for (int i = 0; i < operations; i++) {
      account.operationBegan(nowNanos);
    }
  }

  private static void succeed(RetryBudget.Account account, int operations) {
    for (int i = 0; i < operations; i++) {
      account.operationEnded(RetryBudget.Outcome.SUCCEEDED, null, 0);
    }
  }

  // Success-funded.

  @Test
  void tenThousandSuccessesAtATenth_areAThousandRetriesExactly() {
    RetryBudget.Account account = RetryBudget.successFunded(0.1, 1_000, 0).account("x");
    assertEquals(1_000, takeAll(account, 0));
    succeed(account, 9_999);
    assertEquals(999, takeAll(account, 0));
    succeed(account, 1);
    assertEquals(1, takeAll(account, 0));
  }

  @Test
  void nothingIsEarned_whileNothingSucceeds() {
    RetryBudget.Account account = RetryBudget.successFunded(0.1, 10, 0).account("x");
    takeAll(account, 0);
    begin(account, 1_000, 0);
    for (int i = 0; i < 1_000; i++) {
      account.operationEnded(RetryBudget.Outcome.FAILED, null, i * SECOND);
    }
    assertFalse(take(account, 1_000 * SECOND));
  }

  @Test
  void theFloorIsPerSecond_whateverItsNumber() {
    RetryBudget.Account account = RetryBudget.successFunded(0.1, 1_000, 10).account("x");
    assertEquals(1_000, takeAll(account, 0));
    assertEquals(10, takeAll(account, SECOND));
    assertEquals(5, takeAll(account, SECOND + SECOND / 2));
    account = RetryBudget.successFunded(0.1, 1_000, 0.5).account("x");
    takeAll(account, 0);
    assertEquals(5, takeAll(account, 10 * SECOND));
  }

  // Request-funded.

  private static RetryBudget.Account leaky(double ratio, int minPerSecond) {
    return RetryBudget.requestFunded(ratio, minPerSecond, Duration.ofSeconds(10)).account("x");
  }

  @Test
  void aDepositExpiresAfterTheTtl() {
    RetryBudget.Account account = leaky(0.5, 0);
    begin(account, 20, 0);
    assertEquals(1, balance(account, 9 * SECOND, 1));
    assertFalse(take(account, 10 * SECOND));
  }

  private static int balance(RetryBudget.Account account, long nowNanos, int most) {
    return (int) IntStream.range(0, most).filter(i -> take(account, nowNanos)).count();
  }

  @Test
  void aRefusalDoesNotKeepDepositsAlive() {
    RetryBudget.Account account = leaky(0.5, 0);
    begin(account, 1, 0); // half a retry
    for (int second = 0; second < 10; second++) {
      assertFalse(take(account, second * SECOND));
    }
    begin(account, 1, 10 * SECOND); // the first half is gone
    assertFalse(take(account, 10 * SECOND));
    begin(account, 1, 10 * SECOND);
    assertTrue(take(account, 10 * SECOND));
  }

  @Test
  void aRefundGivesBackWhatTheRetryCost() {
    RetryBudget.Account account = leaky(0.5, 0);
    begin(account, 2, 0);
    Withdrawal withdrawal = account.tryWithdraw(FailureKind.OTHER, 0);
    assertTrue(withdrawal.granted());
    assertFalse(take(account, 0));
    account.refund(withdrawal, 0);
    assertTrue(take(account, 0));
    assertFalse(take(account, 0));
  }

  @Test
  void theReserveComesBackAfterTheTtl() {
    RetryBudget.Account account = leaky(0.2, 10);
    assertEquals(100, takeAll(account, 5 * SECOND));
    assertFalse(take(account, 14 * SECOND));
    assertEquals(100, takeAll(account, 15 * SECOND));
  }

  @Test
  void withinAnyTtl_retriesCostNoMoreThanItsDepositsAndTheReserve() {
    RetryBudget.Account account = leaky(0.1, 1);
    long retries = 0;
    for (int tenth = 0; tenth < 1_000; tenth++) {
      begin(account, 100, tenth * SECOND / 10);
      retries += takeAll(account, tenth * SECOND / 10);
    }
    // 100 s: a tenth of 100,000 first tries, and the reserve of 10 in each of ten ttls.
    assertEquals(10_000 + 100, retries);
  }

  @Test
  void deepInTime_andAcrossTheWrapOfTheTicker_itGoesOn() {
    for (long start : new long[] {Long.MIN_VALUE, -SECOND, Long.MAX_VALUE - 3 * SECOND}) {
      RetryBudget.Account account = leaky(0.5, 1);
      assertEquals(10, takeAll(account, start));
      begin(account, 4, start + SECOND);
      assertEquals(2, takeAll(account, start + SECOND));
      assertEquals(10, takeAll(account, start + 600 * SECOND));
    }
  }

  @Test
  void aClockOfAnotherThreadThatIsBehind_changesNothing() {
    RetryBudget.Account account = leaky(1, 0);
    begin(account, 3, 20 * SECOND);
    begin(account, 1, 0);
    assertEquals(4, takeAll(account, 20 * SECOND));
  }

  @Test
  void aTinyRatioDoesNotOverflowTheReserve() {
    RetryBudget.Account tiny = leaky(1e-12, 1_000_000);
    assertEquals(2_000_000, takeAll(tiny, 0)); // stops at the test's own limit
    RetryBudget.Account account =
        RetryBudget.requestFunded(0.000_001, 1_000, Duration.ofSeconds(60)).account("x");
    assertEquals(60_000, takeAll(account, 0));
  }

  // gRPC's throttle.

  @Test
  void theThrottleTakesNothingForARetry_theFailureHasPaid() {
    RetryBudget.Account account = RetryBudget.grpcThrottle(10, 0.1).account("x");
    assertEquals(2_000_000, takeAll(account, 0));
    for (int i = 0; i < 5; i++) {
      account.attemptFailed(FailureKind.OTHER, null, 0);
    }
    assertFalse(take(account, 0));
    succeed(account, 1);
    assertTrue(take(account, 0));
  }

  // AWS's quota.

  @Test
  void aThrottledRetryIsCheaper_andTimeoutsAreNotSpecial() {
    RetryBudget.Account account = RetryBudget.awsQuota().account("x");
    assertEquals(14, account.tryWithdraw(FailureKind.TIMEOUT, 0).cost());
    assertEquals(14, account.tryWithdraw(FailureKind.UNAVAILABLE, 0).cost());
    assertEquals(5, account.tryWithdraw(FailureKind.THROTTLED, 0).cost());
    assertEquals("467 of 500", account.toString());
  }

  @Test
  void anOperationThatFailed_getsNothingBack() {
    RetryBudget.Account account = RetryBudget.awsQuota(20, 14, 5).account("x");
    Withdrawal taken = account.tryWithdraw(FailureKind.OTHER, 0);
    account.operationEnded(RetryBudget.Outcome.FAILED, taken, 0);
    account.operationEnded(RetryBudget.Outcome.UNKNOWN, taken, 0);
    assertEquals("6 of 20", account.toString());
  }

  // Concurrency.

  @Test
  void aPlaceIsHeldUntilTheRetryIsOver() {
    RetryBudget.Account account = RetryBudget.concurrent(0, 2).account("x");
    begin(account, 3, 0);
    Withdrawal one = account.tryWithdraw(FailureKind.OTHER, 0);
    Withdrawal two = account.tryWithdraw(FailureKind.OTHER, 0);
    assertFalse(take(account, 0));
    account.attemptFailed(FailureKind.OTHER, null, 0); // a first attempt held none
    assertFalse(take(account, 0));
    account.attemptFailed(FailureKind.OTHER, one, 0);
    assertTrue(take(account, 0));
    account.operationEnded(RetryBudget.Outcome.SUCCEEDED, two, 0);
    assertTrue(take(account, 0));
    account.refund(one, 0);
    assertEquals("1 retries of 2 operations", account.toString());
  }

  @Test
  void throughTheMachine_everyPlaceComesBack() {
    RetryBudget.Account account = RetryBudget.concurrent(0, 1).account("x");
    for (int attempts = 1; attempts <= 4; attempts++) {
      Decided state = state(account, attempts);
      for (int i = 1; i < attempts; i++) {
        assertEquals("retry 0 BACKOFF", fail(state));
        assertEquals("1 retries of 1 operations", account.toString());
      }
      assertEquals("ATTEMPTS_EXHAUSTED", fail(state));
      assertEquals("0 retries of 0 operations", account.toString());
    }
    Decided abandoned = state(account, 2);
    fail(abandoned);
    abandoned.abandon(StopReason.CANCELLED);
    assertEquals("0 retries of 0 operations", account.toString());
  }

  private static Decided state(RetryBudget.Account account, int attempts) {
    RetryPolicy policy =
        RetryPolicy.builder().maxAttempts(attempts).backoff(Backoff.none()).build();
    return new Decided(policy, account, Draws.lowest());
  }

  private static String fail(Decided state) {
    return state.attempt(Verdict.retryable(FailureKind.UNAVAILABLE), 0);
  }

  // All of them.

  static Stream<Arguments> families() {
    return Stream.of(
        Arguments.of("successFunded", RetryBudget.successFunded(0.1, 10, 1)),
        Arguments.of("requestFunded", RetryBudget.requestFunded(0.2, 10, Duration.ofSeconds(10))),
        Arguments.of("grpcThrottle", RetryBudget.grpcThrottle(10, 0.1)),
        Arguments.of("awsQuota", RetryBudget.awsQuota()),
        Arguments.of("concurrent", RetryBudget.concurrent(0.2, 3)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("families")
  void aRefusalIsFinalAtOnce_noWaitIsBegun(String family, RetryBudget budget) {
    RetryBudget.Account account = budget.account("x");
    for (int i = 0; i < 600; i++) {
      account.attemptFailed(FailureKind.OTHER, null, 0);
      take(account, 0);
    }
    assertEquals("BUDGET_EXHAUSTED", fail(state(account, 3)), family);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("families")
  void aMillionOrigins_areBoundedInNumber_andAfterwardsWithoutABurst(
      String family, RetryBudget budget) {
    for (int i = 0; i < 1_000_000; i++) {
      budget.account("https://h" + i + ":443");
    }
    assertEquals(OriginTable.MOST, ((OriginBudget) budget).size());
    RetryBudget.Account late = budget.account("https://late:443");
    late.operationBegan(0);
    late.attemptFailed(FailureKind.OTHER, null, 0);
    assertTrue(take(late, 0), "the first retry of an origin that may have been known before");
    late.attemptFailed(FailureKind.OTHER, null, 0);
    // A bound on what is under way has no burst to give.
    assertEquals(family.equals("concurrent"), take(late, 0));
  }

  /** 1,500 origins take turns, more than are remembered: each has a retry for its failure. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("families")
  void whereMoreOriginsThanAreRememberedTakeTurns_aFirstFailureIsRetried(
      String family, RetryBudget budget) {
    int refused = 0;
    for (int round = 0; round < 3; round++) {
      refused = 0;
      long now = 60L * round * SECOND;
      for (int i = 0; i < 1_500; i++) {
        RetryBudget.Account account = budget.account("https://h" + i + ":443");
        account.operationBegan(now);
        account.attemptFailed(FailureKind.OTHER, null, now);
        Withdrawal taken = account.tryWithdraw(FailureKind.OTHER, now);
        refused += taken.granted() ? 0 : 1;
        account.operationEnded(RetryBudget.Outcome.FAILED, taken.granted() ? taken : null, now);
      }
    }
    // These two earn by successes alone, so time gives an origin nothing that always fails.
    boolean timeless = family.equals("grpcThrottle") || family.equals("awsQuota");
    assertEquals(timeless, refused >= 150, family + ": refused " + refused + " of 1500");
  }

  @Test
  void aRefundIsNoDeposit_itIsWorthNothingWhenTheWithdrawalHasExpired() {
    RetryBudget.Account account =
        RetryBudget.requestFunded(0, 10, Duration.ofSeconds(1)).account("https://a:443");
    for (long now = 0; now < 10_000_000_000L; now += 2_000_000_000L) {
      List<Withdrawal> taken = new ArrayList<>();
      Withdrawal next = account.tryWithdraw(FailureKind.OTHER, now);
      while (next.granted()) {
        taken.add(next);
        next = account.tryWithdraw(FailureKind.OTHER, now);
      }
      assertEquals(10, taken.size(), "the reserve of one ttl at " + now);
      long start = now + 400_000_000;
      // Half of them did not start, at once, and start a little later.
      taken.subList(0, 5).forEach(each -> account.refund(each, start));
      for (int i = 0; i < 5; i++) {
        taken.set(i, account.tryWithdraw(FailureKind.OTHER, now + 500_000_000));
        assertTrue(taken.get(i).granted());
      }
      assertFalse(account.tryWithdraw(FailureKind.OTHER, now + 500_000_000).granted());
      long late = now + 2_000_000_000L;
      taken.forEach(each -> account.refund(each, late)); // cancelled in a long wait
    }
  }

  @Test
  void whatIsUnderWayIsNotForgotten() {
    RetryBudget budget = RetryBudget.concurrent(0, 1);
    RetryBudget.Account account = budget.account("https://slow:443");
    account.operationBegan(0);
    assertTrue(take(account, 0));
    for (int i = 0; i < 1_000_000; i++) {
      budget.account("https://h" + i + ":443");
    }
    assertSame(account, budget.account("https://slow:443"), "its retry is still under way");
    account.operationEnded(RetryBudget.Outcome.FAILED, Withdrawal.of(1), 0);
    for (int i = 0; i < 1_000_000; i++) {
      budget.account("https://h" + i + ":443");
    }
    assertNotSame(account, budget.account("https://slow:443"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("families")
  void anOriginInUseIsNotForgotten(String family, RetryBudget budget) {
    RetryBudget.Account busy = budget.account("busy");
    for (int i = 0; i < 100_000; i++) {
      budget.account("h" + i);
      if (i % 100 == 0) {
        assertSame(busy, budget.account("busy"), family);
      }
    }
  }

  @Test
  void anOriginThatComesBackStartsWithTheFloor() {
    RetryBudget budget = RetryBudget.perOrigin(0.1);
    RetryBudget.Account before = budget.account("x");
    for (int i = 0; i < 3 * OriginTable.MOST; i++) {
      budget.account("h" + i);
    }
    RetryBudget.Account after = budget.account("x");
    assertNotEquals(before, after);
    after.operationBegan(0);
    assertTrue(take(after, 0));
    assertFalse(take(after, 0));
    assertFalse(take(after, SECOND - 1_000));
    assertTrue(take(after, SECOND));
    assertFalse(take(after, SECOND));
  }

  @Test
  void theFloorOfAnOriginThatComesBackRunsFromItsFirstOperation() {
    RetryBudget budget = RetryBudget.perOrigin(0.1);
    for (int i = 0; i < 3 * OriginTable.MOST; i++) {
      budget.account("h" + i);
    }
    RetryBudget.Account back = budget.account("x");
    back.operationBegan(0);
    int taken = 0;
    while (take(back, 5 * SECOND)) {
      taken++;
    }
    assertEquals(6, taken, "one, and five seconds of the floor");
  }

  @Test
  void acrossOrigins_thereIsOneAccount() {
    RetryBudget budget = RetryBudget.successFunded(0, 10, 0).acrossOrigins();
    assertSame(budget.account("a"), budget.account("b"));
    assertEquals(10, takeAll(budget.account("a"), 0));
    assertEquals(0, takeAll(budget.account("b"), 0));
    assertEquals("successFunded(0.0, burst 10, 0.0/s) across origins", budget.toString());
  }

  // Combinations.

  @Test
  void whenTheSecondRefuses_theFirstGetsItsTokenBack() {
    RetryBudget tokens = RetryBudget.successFunded(0, 3, 0);
    RetryBudget quota = RetryBudget.awsQuota(28, 14, 5);
    RetryBudget.Account both = tokens.and(quota).account("x");
    assertEquals(2, takeAll(both, 0));
    assertEquals("1.0 tokens", tokens.account("x").toString());
    assertEquals("0 of 28", quota.account("x").toString());
  }

  @Test
  void whenTheFirstRefuses_theSecondIsNotAsked() {
    RetryBudget quota = RetryBudget.awsQuota(28, 14, 5);
    RetryBudget.Account both = RetryBudget.successFunded(0, 0, 0).and(quota).account("x");
    assertFalse(take(both, 0));
    assertEquals("28 of 28", quota.account("x").toString());
  }

  @Test
  void eachGetsBackItsOwn_throughThree() {
    RetryBudget tokens = RetryBudget.successFunded(0, 10, 0);
    RetryBudget quota = RetryBudget.awsQuota(100, 14, 5);
    RetryBudget places = RetryBudget.concurrent(0, 3);
    RetryBudget.Account all = tokens.and(quota).and(places).account("x");
    all.operationBegan(0);
    Withdrawal spent = all.tryWithdraw(FailureKind.THROTTLED, 0);
    all.attemptFailed(FailureKind.OTHER, spent, 0);
    Withdrawal refunded = all.tryWithdraw(FailureKind.OTHER, 0);
    all.refund(refunded, 0);
    Withdrawal last = all.tryWithdraw(FailureKind.OTHER, 0);
    all.operationEnded(RetryBudget.Outcome.SUCCEEDED, last, 0);
    assertEquals("8.0 tokens", tokens.account("x").toString());
    assertEquals("95 of 100", quota.account("x").toString());
    assertEquals("0 retries of 0 operations", places.account("x").toString());
  }

  // Bad input.

  static List<Arguments> badInput() {
    Duration ttl = Duration.ofSeconds(10);
    return List.of(
        bad(() -> RetryBudget.successFunded(11, 1, 1), "ratio: 11.0 (expected: 0.0 to 10.0)"),
        bad(
            () -> RetryBudget.successFunded(Double.NaN, 1, 1),
            "ratio: NaN (expected: 0.0 to 10.0)"),
        bad(() -> RetryBudget.successFunded(0, -1, 1), "burst: -1 (expected: 0 to 1000000)"),
        bad(
            () -> RetryBudget.successFunded(0, 1, -1),
            "floorPerSecond: -1.0 (expected: 0.0 to 1000000.0)"),
        bad(() -> RetryBudget.requestFunded(-1, 1, ttl), "ratio: -1.0 (expected: 0.0 to 1000.0)"),
        bad(
            () -> RetryBudget.requestFunded(1, -1, ttl),
            "minPerSecond: -1 (expected: 0 to 1000000)"),
        bad(
            () -> RetryBudget.requestFunded(1, 1, Duration.ofMillis(999)),
            "ttl: 999ms (expected: 1 to 60 seconds)"),
        bad(() -> RetryBudget.grpcThrottle(0, 1), "maxTokens: 0 (expected: 1 to 1000)"),
        bad(() -> RetryBudget.grpcThrottle(1, 0), "tokenRatio: 0.0 (expected: 0.001 to 1000.0)"),
        bad(() -> RetryBudget.awsQuota(0, 1, 1), "capacity: 0 (expected: 1 to 1000000)"),
        bad(() -> RetryBudget.awsQuota(10, 11, 1), "cost: 11 (expected: 1 to 10)"),
        bad(() -> RetryBudget.awsQuota(10, 1, 0), "throttledCost: 0 (expected: 1 to 10)"),
        bad(() -> RetryBudget.concurrent(1.5, 1), "share: 1.5 (expected: 0.0 to 1.0)"),
        bad(() -> RetryBudget.concurrent(1, -1), "minimum: -1 (expected: 0 to 1000000)"));
  }

  private static Arguments bad(Supplier<RetryBudget> budget, String message) {
    return Arguments.of(budget, message);
  }

  @ParameterizedTest(name = "{1}")
  @MethodSource("badInput")
  void saysWhatIsWrong(Supplier<RetryBudget> budget, String message) {
    Exception thrown = assertThrows(IllegalArgumentException.class, budget::get);
    assertEquals(message, thrown.getMessage());
  }

  @Test
  void printTheirTerms() {
    assertEquals(
        "requestFunded(0.2, 10/s, 10s) and concurrent(0.2, 3)",
        RetryBudget.requestFunded(0.2, 10, Duration.ofSeconds(10))
            .and(RetryBudget.concurrent(0.2, 3))
            .toString());
    assertEquals("grpcThrottle(10, 0.1)", RetryBudget.grpcThrottle(10, 0.1).toString());
    assertEquals("awsQuota(500, 14, 5)", RetryBudget.awsQuota().toString());
  }
}
