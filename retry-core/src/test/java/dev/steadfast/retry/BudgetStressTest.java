package dev.steadfast.retry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryBudget.Withdrawal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Eight threads on one account: nothing is paid that was not earned. */
class BudgetStressTest {
  private static final int THREADS = 8;
  private static final int ROUNDS = 50_000;
  private static final int LONG = 500_000; // where a round takes nanoseconds
  private static final double SECOND = 1e9;

  /** What the threads did, summed up. */
  private record Totals(
      long operations, long successes, long retries, long refunds, long repaid, long nanos) {
    static final Totals NONE = new Totals(0, 0, 0, 0, 0, 0);

    Totals plus(Totals other, long until) {
      return new Totals(
          operations + other.operations,
          successes + other.successes,
          retries + other.retries,
          refunds + other.refunds,
          repaid + other.repaid,
          until);
    }

    long used() {
      return retries - refunds;
    }
  }

  /** One operation after another: attempts that fail mostly, withdrawals, some refunds. */
  private static Totals work(RetryBudget.Account account, AtomicLong time, int seed) {
    SplittableRandom random = new SplittableRandom(seed);
    long successes = 0;
    long retries = 0;
    long refunds = 0;
    long repaid = 0; // retries that led to a success
    for (int i = 0; i < ROUNDS; i++) {
      long now = time.addAndGet(random.nextInt(20_000));
      account.operationBegan(now);
      account.attemptFailed(FailureKind.UNAVAILABLE, null, now);
      Withdrawal taken = account.tryWithdraw(FailureKind.UNAVAILABLE, now);
      retries += taken.granted() ? 1 : 0;
      boolean refund = taken.granted() && random.nextInt(10) == 0;
      if (refund) {
        account.refund(taken, now);
        refunds++;
      }
      boolean success = random.nextInt(3) == 0;
      successes += success ? 1 : 0;
      repaid += success && taken.granted() && !refund ? 1 : 0;
      account.operationEnded(
          success ? RetryBudget.Outcome.SUCCEEDED : RetryBudget.Outcome.FAILED,
          taken.granted() && !refund ? taken : null,
          now);
    }
    return new Totals(ROUNDS, successes, retries, refunds, repaid, 0);
  }

  private static Totals stress(RetryBudget.Account account) throws Exception {
    AtomicLong time = new AtomicLong();
    CyclicBarrier start = new CyclicBarrier(THREADS);
    List<Callable<Totals>> workers = new ArrayList<>();
    for (int thread = 0; thread < THREADS; thread++) {
      int seed = thread;
      workers.add(() -> {
        start.await();
        return work(account, time, seed);
      });
    }
    Totals sum = Totals.NONE;
    ExecutorService pool = Executors.newFixedThreadPool(THREADS);
    try {
      for (Future<Totals> each : pool.invokeAll(workers)) {
        sum = sum.plus(each.get(), time.get());
      }
    } finally {
      pool.shutdown();
    }
    assertTrue(sum.retries() > sum.operations() / 100, "the budget paid now and then: " + sum);
    assertTrue(sum.retries() < sum.operations() / 2, "and refused as often: " + sum);
    return sum;
  }

  private static void assertAtMost(double most, Totals totals) {
    assertTrue(totals.used() <= most + 1e-6, totals.used() + " of " + most + ": " + totals);
  }

  @Test
  void successFunded() throws Exception {
    Totals totals = stress(RetryBudget.successFunded(0.5, 100, 10).account("x"));
    assertAtMost(0.5 * totals.successes() + 100 + 10 * totals.nanos() / SECOND, totals);
  }

  @Test
  void requestFunded() throws Exception {
    RetryBudget.Account account =
        RetryBudget.requestFunded(0.2, 10, Duration.ofSeconds(1)).account("x");
    Totals totals = stress(account);
    // The reserve of each ttl that was touched; one more for the slices at both ends.
    double ttls = Math.ceil(totals.nanos() / SECOND) + 1;
    assertAtMost(0.2 * totals.operations() + 10 * ttls, totals);
  }

  // There are as many failures as the successes pay for. So the account is never full for long, and
  // retries are granted and refused alternately. What is left shows whether each call was counted.
  @Test
  void grpcThrottle_losesNothing() throws Exception {
    ThrottleAccount account = (ThrottleAccount) RetryBudget.grpcThrottle(1_000, 0.5).account("x");
    for (int i = 0; i < 496; i++) {
      account.attemptFailed(FailureKind.UNAVAILABLE, null, 0);
    }
    atOnce(() -> {
      for (int i = 0; i < LONG; i++) {
        account.attemptFailed(FailureKind.UNAVAILABLE, null, i);
        Withdrawal taken = account.tryWithdraw(FailureKind.UNAVAILABLE, i);
        for (int success = 0; success < 2; success++) {
          account.operationEnded(RetryBudget.Outcome.SUCCEEDED, taken.granted() ? taken : null, i);
        }
      }
      return 0;
    });
    assertEquals(504_000, account.millis());
  }

  // From 900 tokens the 400th failure leads to the half, at which nothing is granted any more.
  @Test
  void grpcThrottle_grantsNothingAtTheHalf() throws Exception {
    RetryBudget budget = RetryBudget.grpcThrottle(1_000, 0.5);
    for (int round = 0; round < 50; round++) {
      RetryBudget.Account account = budget.account("x" + round);
      for (int i = 0; i < 100; i++) {
        account.attemptFailed(FailureKind.UNAVAILABLE, null, 0);
      }
      int granted =
          atOnce(() -> {
            int mine = 0;
            for (int i = 0; i < 100; i++) {
              account.attemptFailed(FailureKind.UNAVAILABLE, null, 0);
              mine += account.tryWithdraw(FailureKind.UNAVAILABLE, 0).granted() ? 1 : 0;
            }
            return mine;
          });
      // A thread may have failed before it, and asked after it.
      assertTrue(granted < 400 && granted >= 400 - THREADS, "granted: " + granted);
    }
  }

  /** Lets all threads do the same, and adds up what they return. */
  private static int atOnce(Callable<Integer> work) throws Exception {
    CyclicBarrier start = new CyclicBarrier(THREADS);
    Callable<Integer> worker =
        () -> {
          start.await();
          return work.call();
        };
    int sum = 0;
    ExecutorService pool = Executors.newFixedThreadPool(THREADS);
    try {
      for (Future<Integer> each : pool.invokeAll(Collections.nCopies(THREADS, worker))) {
        sum += each.get();
      }
    } finally {
      pool.shutdown();
    }
    return sum;
  }

  // Never full, so what is left tells whether each payment and each repayment has counted.
  @Test
  void awsQuota() throws Exception {
    int before = 10_000;
    QuotaAccount account =
        new QuotaAccount(QuotaAccount.Prices.of(1_000_000, 14, 5), before, new LatestTime());
    Totals totals = stress(account);
    // A success gives back what its own retry took, or one token.
    long kept = totals.used() - totals.repaid();
    long earned = totals.successes() - totals.repaid();
    assertEquals(before + earned - 14 * kept, account.available(), totals::toString);
  }

  // Never empty and never full either.
  @Test
  void awsQuota_losesNothing() throws Exception {
    int before = 10_000;
    QuotaAccount account =
        new QuotaAccount(QuotaAccount.Prices.of(1_000_000, 14, 5), before, new LatestTime());
    atOnce(() -> {
      for (int i = 0; i < LONG; i++) {
        if (i % 10 == 0) {
          account.operationEnded(RetryBudget.Outcome.SUCCEEDED, null, i);
        }
        account.refund(account.tryWithdraw(FailureKind.UNAVAILABLE, i), i);
      }
      return 0;
    });
    assertEquals(before + THREADS * LONG / 10, account.available());
  }

  @Test
  void bothOfTwo() throws Exception {
    RetryBudget tokens = RetryBudget.successFunded(0.5, 100, 0);
    RetryBudget leaky = RetryBudget.requestFunded(0.1, 0, Duration.ofSeconds(60));
    Totals totals = stress(tokens.and(leaky).account("x"));
    assertAtMost(0.5 * totals.successes() + 100, totals);
    assertAtMost(0.1 * totals.operations(), totals);
  }

  @Test
  void concurrent_neverMoreAtOneTimeThanTheShareOrTheMinimum() throws Exception {
    int most = 3;
    ConcurrencyAccount account =
        (ConcurrencyAccount) RetryBudget.concurrent(0.2, most).account("x");
    AtomicInteger underWay = new AtomicInteger();
    AtomicInteger highest = new AtomicInteger();
    CyclicBarrier start = new CyclicBarrier(THREADS);
    List<Callable<Long>> workers = new ArrayList<>();
    for (int thread = 0; thread < THREADS; thread++) {
      workers.add(() -> {
        start.await();
        long refused = 0;
        for (int i = 0; i < ROUNDS; i++) {
          account.operationBegan(i);
          Withdrawal taken = account.tryWithdraw(FailureKind.OTHER, i);
          if (taken.granted()) {
            highest.accumulateAndGet(underWay.incrementAndGet(), Math::max);
            for (int spin = 0; spin < 50; spin++) {
              Thread.onSpinWait(); // lets the others meet this one's retry
            }
            underWay.decrementAndGet();
          } else {
            refused++;
          }
          account.operationEnded(RetryBudget.Outcome.SUCCEEDED, taken.granted() ? taken : null, i);
        }
        return refused;
      });
    }
    ExecutorService pool = Executors.newFixedThreadPool(THREADS);
    try {
      for (Future<Long> each : pool.invokeAll(workers)) {
        each.get();
      }
    } finally {
      pool.shutdown();
    }
    assertTrue(highest.get() <= most, "at one time: " + highest);
    assertEquals("0 retries of 0 operations", account.toString());
  }

  static Stream<Arguments> oneRetry() {
    return Stream.of(
        oneRetry("successFunded", () -> RetryBudget.successFunded(0, 1, 0)),
        oneRetry("requestFunded", () -> RetryBudget.requestFunded(0, 1, Duration.ofSeconds(1))),
        oneRetry("awsQuota", () -> RetryBudget.awsQuota(1, 1, 1)),
        oneRetry("concurrent", () -> RetryBudget.concurrent(0, 1)),
        oneRetry(
            "both", () -> RetryBudget.concurrent(0, 9).and(RetryBudget.successFunded(0, 1, 0))));
  }

  private static Arguments oneRetry(String family, Supplier<RetryBudget> budget) {
    return Arguments.of(family, budget);
  }

  // Two threads at a time meet at each of many accounts, and race for its one retry.
  @ParameterizedTest(name = "{0}")
  @MethodSource("oneRetry")
  void theLastRetryIsPaidOnce(String family, Supplier<RetryBudget> budget) throws Exception {
    int rounds = 500;
    RetryBudget.Account[] accounts = new RetryBudget.Account[rounds];
    for (int i = 0; i < rounds; i++) {
      accounts[i] = budget.get().account("x");
    }
    AtomicInteger arrived = new AtomicInteger();
    Callable<int[]> racer =
        () -> {
          int[] granted = new int[rounds];
          for (int i = 0; i < rounds; i++) {
            arrived.incrementAndGet();
            while (arrived.get() < 2 * (i + 1)) {
              Thread.onSpinWait();
            }
            granted[i] = accounts[i].tryWithdraw(FailureKind.OTHER, 0).granted() ? 1 : 0;
          }
          return granted;
        };
    ExecutorService pool = Executors.newFixedThreadPool(2);
    try {
      List<Future<int[]>> both = pool.invokeAll(List.of(racer, racer));
      int[] one = both.get(0).get();
      int[] other = both.get(1).get();
      for (int i = 0; i < rounds; i++) {
        assertEquals(1, one[i] + other[i], family + " in round " + i);
      }
    } finally {
      pool.shutdown();
    }
  }
}
