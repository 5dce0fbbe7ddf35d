package dev.steadfast.retry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryBudget.Withdrawal;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The arithmetic of one account: earned exactly, granted in time, never beyond the burst. */
class TokenAccountTest {
  private static final long SECOND = 1_000_000_000L;
  // A floor that grants nothing within the life of a test.
  private static final long NEVER = Long.MAX_VALUE / TokenAccount.ONE * TokenAccount.ONE;

  private static TokenAccount account(double ratio, long burst, long floorNanosPerToken) {
    return new TokenAccount(
        new TokenAccount.Terms(
            Math.round(ratio * TokenAccount.ONE), burst * TokenAccount.ONE, floorNanosPerToken),
        true,
        new LatestTime());
  }

  private static TokenAccount usual() {
    return account(0.1, 10, SECOND);
  }

  private static boolean take(TokenAccount account, long nowNanos) {
    return account.tryWithdraw(FailureKind.OTHER, nowNanos).granted();
  }

  private static int takeAll(TokenAccount account, long nowNanos) {
    int taken = 0;
    while (take(account, nowNanos)) {
      taken++;
    }
    return taken;
  }

  private static void succeed(TokenAccount account, int times) {
    for (int i = 0; i < times; i++) {
      account.operationEnded(RetryBudget.Outcome.SUCCEEDED, null, 0);
    }
  }

  @Test
  void startsWithItsBurst() {
    assertEquals(10, takeAll(usual(), 0));
    assertEquals("10.0 tokens", usual().toString());
  }

  // Fractions in doubles would give 999 here; fractions cut off would give none at all.
  @ParameterizedTest
  @CsvSource({
    "0.1, 10000, 1000",
    "0.6, 10000, 6000",
    "0.01, 10000, 100",
    "0.3, 10000, 3000",
    "0.000001, 1000000, 1",
    "0.000001, 999999, 0",
    "1, 10000, 10000",
    "10, 700, 7000",
    "0, 10000, 0"
  })
  void depositsAddUpExactly(double ratio, int successes, int tokens) {
    TokenAccount account = account(ratio, 20_000, NEVER);
    assertEquals(20_000, takeAll(account, 0));
    succeed(account, successes);
    assertEquals(tokens, takeAll(account, 0));
  }

  @Test
  void onlyASuccessDeposits() {
    TokenAccount account = usual();
    takeAll(account, 0);
    for (int i = 0; i < 100; i++) {
      account.operationBegan(0);
      account.attemptFailed(FailureKind.OTHER, null, 0);
      account.operationEnded(RetryBudget.Outcome.FAILED, null, 0);
      account.operationEnded(RetryBudget.Outcome.UNKNOWN, null, 0);
    }
    assertEquals(0, takeAll(account, 0));
    succeed(account, 9);
    assertFalse(take(account, 0));
    succeed(account, 1);
    assertTrue(take(account, 0));
    assertEquals("0.0 tokens", account.toString());
  }

  @Test
  void depositsNeverExceedTheBurst() {
    TokenAccount account = usual();
    succeed(account, 10_000);
    assertEquals(10, takeAll(account, 0));
    succeed(account, 10_000);
    assertEquals(10, takeAll(account, 0));
  }

  @Test
  void aDepositAboveTheRestFillsUpOnly() {
    TokenAccount account = account(0.7, 1, NEVER);
    assertTrue(take(account, 0));
    succeed(account, 1);
    assertEquals("0.7 tokens", account.toString());
    succeed(account, 1);
    assertEquals("1.0 tokens", account.toString());
  }

  @Test
  void aRefusalTakesNothing_andSaysSo() {
    TokenAccount account = account(0.5, 1, NEVER);
    assertTrue(take(account, 0));
    succeed(account, 1);
    assertSame(Withdrawal.refused(), account.tryWithdraw(FailureKind.OTHER, 0));
    assertEquals("0.5 tokens", account.toString());
  }

  @Test
  void aRefundGivesBackOneToken_withinTheBurst() {
    TokenAccount account = usual();
    Withdrawal withdrawal = account.tryWithdraw(FailureKind.OTHER, 0);
    assertEquals("9.0 tokens", account.toString());
    account.refund(withdrawal, 0);
    assertEquals("10.0 tokens", account.toString());
    account.refund(withdrawal, 0);
    assertEquals("10.0 tokens", account.toString());
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1, Long.MAX_VALUE, Long.MAX_VALUE - 2_500_000_000L, Long.MIN_VALUE})
  void theFloorGrantsOneTokenPerSecond_fromAnyStart(long start) {
    TokenAccount account = usual();
    assertEquals(10, takeAll(account, start));
    assertFalse(take(account, start + SECOND - 1_000));
    assertTrue(take(account, start + SECOND));
    assertFalse(take(account, start + SECOND));
    assertFalse(take(account, start + 2 * SECOND - 1));
    assertTrue(take(account, start + 2 * SECOND));
    assertEquals(5, takeAll(account, start + 7 * SECOND));
  }

  @Test
  void theFloorGrantsNoMoreThanTheBurst_howeverLongTheSilence() {
    TokenAccount account = usual();
    takeAll(account, 0);
    assertEquals(10, takeAll(account, 3600 * SECOND));
    assertEquals(0, takeAll(account, 3600 * SECOND));
    assertEquals(1, takeAll(account, 3601 * SECOND));
  }

  @Test
  void aFullAccountDoesNotSaveUpTheFloor() {
    TokenAccount account = usual();
    assertTrue(take(account, 0)); // 9 left
    assertEquals(10, takeAll(account, 100 * SECOND));
    assertEquals(0, takeAll(account, 100 * SECOND));
  }

  @Test
  void noFractionOfAFloorIsLost_orGrantedTwice_howeverOftenItIsAsked() {
    for (long step : new long[] {1, 7, 333, 999, 1_000, 1_001, 123_457, 999_999_999}) {
      TokenAccount account = account(0, 10, SECOND);
      takeAll(account, 0);
      long end = Math.min(9 * SECOND, step * 200_000);
      int taken = 0;
      for (long now = 0; now <= end; now += step) {
        taken += take(account, now) ? 1 : 0;
      }
      taken += takeAll(account, end);
      assertEquals(end / SECOND, taken, "asked every " + step + " ns");
    }
  }

  @Test
  void aTickerThatSeemsToGoBack_grantsNothing() {
    TokenAccount account = usual();
    takeAll(account, 5 * SECOND);
    assertFalse(take(account, 0));
    assertFalse(take(account, 6 * SECOND - 1));
    assertTrue(take(account, 6 * SECOND));
  }

  @Test
  void aWithdrawalAllocatesNoObjectOfItsOwn() {
    TokenAccount account = usual();
    Withdrawal first = account.tryWithdraw(FailureKind.OTHER, 0);
    assertSame(first, account.tryWithdraw(FailureKind.DNS, 0));
    assertEquals(1, first.cost());
    assertEquals("Withdrawal(1)", first.toString());
  }

  // Eight threads deposit, withdraw and refund while the time goes on. Nothing may come from
  // nowhere; and with a burst that is never reached, nothing may get lost either.
  @ParameterizedTest
  @ValueSource(longs = {10, 1_000_000})
  void eightThreads_neverTakeMoreThanWasEarned(long burst) throws Exception {
    int rounds = 40_000;
    TokenAccount account = account(0.1, burst, SECOND);
    long unused = burst == 10 ? 0 : 500_000;
    for (long i = burst; i > unused; i--) {
      assertTrue(take(account, 0));
    }
    AtomicLong time = new AtomicLong();
    List<Callable<long[]>> workers = new ArrayList<>();
    CyclicBarrier start = new CyclicBarrier(8);
    for (int thread = 0; thread < 8; thread++) {
      SplittableRandom random = new SplittableRandom(thread);
      workers.add(() -> {
        start.await();
        return work(account, time, random, rounds);
      });
    }
    long taken = 0;
    long successes = 0;
    ExecutorService pool = Executors.newFixedThreadPool(8);
    try {
      for (Future<long[]> each : pool.invokeAll(workers)) {
        taken += each.get()[0];
        successes += each.get()[1];
      }
    } finally {
      pool.shutdown();
    }
    taken += take(account, time.get()) ? 1 : 0; // settles the floor up to now
    double tokens = Double.parseDouble(account.toString().replace(" tokens", ""));
    long left = Math.round(tokens * TokenAccount.ONE);
    long earned = unused * TokenAccount.ONE + successes * 100_000 + time.get() / 1_000;
    long accounted = taken * TokenAccount.ONE + left;
    if (burst == 10) {
      assertTrue(accounted <= earned, accounted + " taken or left of " + earned);
    } else {
      assertEquals(earned, accounted);
    }
  }

  private static long[] work(
      TokenAccount account, AtomicLong time, SplittableRandom random, int rounds) {
    long taken = 0;
    long successes = 0;
    for (int i = 0; i < rounds; i++) {
      long now = time.addAndGet(random.nextInt(50) * 1_000L);
      switch (random.nextInt(4)) {
        case 0 -> {
          account.operationEnded(RetryBudget.Outcome.SUCCEEDED, null, now);
          successes++;
        }
        case 1 -> {
          Withdrawal withdrawal = account.tryWithdraw(FailureKind.OTHER, now);
          if (withdrawal.granted()) {
            account.refund(withdrawal, now);
          }
        }
        default -> taken += take(account, now) ? 1 : 0;
      }
    }
    return new long[] {taken, successes};
  }
}
