package dev.steadfast.retry.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.Guard;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How one limit moves, and that it counts every attempt once. */
class LimitAccountTest {
  private static final long MS = 1_000_000;
  private static final Set<FailureKind> LOSSES =
      Set.of(FailureKind.TIMEOUT, FailureKind.REFUSED_STREAM);

  private final Throwable failure = new IOException("lost");
  private long now = 77;

  private static long admits() {
    return -1L; // the largest draw
  }

  private static long holdsBack() {
    return 0L; // the smallest draw
  }

  private static LimitAccount account(int minimum, int initial, int maximum, LongSupplier random) {
    return new LimitAccount(
        new LimitAccount.Settings(
            new LimitAccount.Range(minimum, initial, maximum), LOSSES, true, random));
  }

  private static LimitAccount usual() {
    return account(1, 20, 200, LimitAccountTest::admits);
  }

  private void acquire(LimitAccount account, int attempts) {
    for (int i = 0; i < attempts; i++) {
      assertTrue(account.tryAcquire(now), account::toString);
    }
  }

  private void fail(LimitAccount account, FailureKind kind) {
    account.failed(new Guard.Failure(kind, true, 1, now), failure);
  }

  /** An attempt that is lost, later than the last cut. */
  private void lose(LimitAccount account) {
    now += 200 * MS;
    acquire(account, 1);
    fail(account, FailureKind.TIMEOUT);
  }

  /** An account that has lost an attempt at its minimum. */
  private LimitAccount atMinimum(LongSupplier random) {
    LimitAccount account = account(1, 1, 200, random);
    acquire(account, 1);
    fail(account, FailureKind.TIMEOUT);
    return account;
  }

  @Test
  void admitsAsManyAsTheLimit_andCountsTheRest() {
    LimitAccount account = usual();
    acquire(account, 20);
    assertFalse(account.tryAcquire(now));
    assertFalse(account.tryAcquire(now));
    assertEquals("20 of 20 attempts under way", account.toString());
    assertEquals(2, account.refused());
    account.released();
    acquire(account, 1);
  }

  @Test
  void aLossHalvesTheLimit_downToTheMinimum() {
    LimitAccount account = account(3, 20, 200, LimitAccountTest::admits);
    List<Integer> limits = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      lose(account);
      limits.add(account.limit());
    }
    assertEquals(List.of(10, 5, 3, 3, 3), limits);
    assertEquals(0, account.inFlight());
  }

  @Test
  void thoseThatAreLostTogetherHalveItOnce() {
    LimitAccount account = usual();
    acquire(account, 10);
    for (int i = 0; i < 5; i++) {
      fail(account, FailureKind.TIMEOUT);
      now += 40 * MS - 1; // the last one just before 200 ms are over
    }
    assertEquals(10, account.limit());
    now += 5;
    fail(account, FailureKind.TIMEOUT);
    assertEquals(5, account.limit());
    assertEquals(4, account.inFlight());
  }

  @ParameterizedTest
  @CsvSource({"9, 20", "10, 21", "20, 21"})
  void aSuccessRaisesIt_ifHalfOfItWasInUse_itselfIncluded(int inFlight, int limit) {
    LimitAccount account = usual();
    acquire(account, inFlight);
    account.succeeded(1);
    assertEquals(limit, account.limit());
    assertEquals(inFlight - 1, account.inFlight());
  }

  @Test
  void itGrowsNoFurtherThanTheMaximum() {
    LimitAccount account = account(1, 20, 25, LimitAccountTest::admits);
    for (int i = 0; i < 50; i++) {
      acquire(account, 20);
      for (int j = 0; j < 20; j++) {
        account.succeeded(1);
      }
    }
    assertEquals(25, account.limit());
  }

  @ParameterizedTest
  @EnumSource
  void onlyLossesCutIt(FailureKind kind) {
    LimitAccount account = usual();
    acquire(account, 1);
    fail(account, kind);
    assertEquals(LOSSES.contains(kind) ? 10 : 20, account.limit());
    assertEquals(0, account.inFlight());
  }

  @Test
  void aFailureThatTellsNothing_onlyGivesItsPlaceBack() {
    LimitAccount account = usual();
    acquire(account, 2);
    account.failed(new Guard.Failure(FailureKind.TIMEOUT, false, 1, now), failure);
    account.released();
    assertEquals("0 of 20 attempts under way", account.toString());
  }

  @Test
  void atTheMinimumAShareIsHeldBack() {
    LimitAccount account = atMinimum(LimitAccountTest::holdsBack);
    assertFalse(account.tryAcquire(now));
    assertEquals(
        "0 of 1 attempts under way, and a share is held back after losses", account.toString());
    assertEquals(1, account.refused());
  }

  @Test
  void theLossThatBringsItToTheMinimumHoldsNothingBack_theNextOneDoes() {
    LimitAccount account = account(1, 2, 200, LimitAccountTest::holdsBack);
    lose(account);
    assertEquals(1, account.limit());
    lose(account);
    assertFalse(account.tryAcquire(now));
  }

  @Test
  void tenSecondsAfterTheLastLossNothingIsHeldBack() {
    LimitAccount account = atMinimum(LimitAccountTest::holdsBack);
    now += 10_000 * MS;
    assertFalse(account.tryAcquire(now));
    now += MS;
    acquire(account, 1);
    account.released();
    assertEquals("0 of 1 attempts under way", account.toString());
  }

  /** On a healthy server few attempts time out, and their retries succeed. */
  @ParameterizedTest
  @ValueSource(longs = {20, 1_000, 60_000})
  void oneAttemptAfterTheOther_ofWhichFewTimeOut_isHardlyEverRefused(long millis) {
    SplittableRandom random = new SplittableRandom(4);
    LimitAccount account = account(1, 20, 200, new SplittableRandom(5)::nextLong);
    for (int attempt = 0; attempt < 30_000; attempt++) {
      now += millis * MS;
      if (account.tryAcquire(now)) {
        if (random.nextInt(150) == 0) {
          now += 1_000 * MS;
          fail(account, FailureKind.TIMEOUT);
        } else {
          account.succeeded(1);
        }
      }
    }
    assertTrue(account.refused() <= 10, () -> account.refused() + " refused");
  }

  @Test
  void atTheMinimumByConfiguration_nothingIsHeldBack() {
    LimitAccount account = account(1, 1, 1, LimitAccountTest::holdsBack);
    acquire(account, 1);
    account.succeeded(1);
    acquire(account, 1);
  }

  @Test
  void withTheLimitAloneNothingIsHeldBack() {
    LimitAccount account =
        new LimitAccount(
            new LimitAccount.Settings(
                new LimitAccount.Range(1, 1, 200), LOSSES, false, LimitAccountTest::holdsBack));
    acquire(account, 1);
    fail(account, FailureKind.TIMEOUT);
    assertEquals(1, account.limit());
    acquire(account, 1);
  }

  @Test
  void afterAsManySuccessesAsTheShareAllows_everythingIsAdmittedAgain() {
    LongSupplier[] random = {LimitAccountTest::admits};
    LimitAccount account = atMinimum(() -> random[0].getAsLong());
    acquire(account, 1);
    account.succeeded(1); // one of two
    random[0] = LimitAccountTest::holdsBack;
    acquire(account, 2);
    assertEquals(2, account.limit());
  }

  @Test
  void whatTellsNothingDoesNotCountAsSent() {
    LongSupplier[] random = {LimitAccountTest::admits};
    LimitAccount account = atMinimum(() -> random[0].getAsLong());
    for (int i = 0; i < 1000; i++) {
      acquire(account, 1);
      account.released();
    }
    random[0] = () -> (long) (0.7 * 0x1p53) << 11; // above 2 / 3, the share after one attempt
    acquire(account, 1);
  }

  @Test
  void drawsOnce_andOnlyWhereAShareIsHeldBack() {
    AtomicInteger draws = new AtomicInteger();
    LimitAccount account =
        account(
            1,
            1,
            200,
            () -> {
              draws.incrementAndGet();
              return -1L;
            });
    acquire(account, 1);
    fail(account, FailureKind.TIMEOUT);
    assertEquals(0, draws.get());
    acquire(account, 1);
    assertFalse(account.tryAcquire(now), "the limit");
    assertEquals(1, draws.get());
  }

  /** The smallest share is 0, the largest 0.9, and random numbers are from 0 to 1. */
  @Test
  void oneInTenIsSentHoweverMuchFails() {
    LimitAccount account = atMinimum(new SplittableRandom(3)::nextLong);
    int sent = 0;
    for (int i = 0; i < 20_000; i++) {
      now += 250 * MS / 100;
      if (account.tryAcquire(now)) {
        sent++;
        fail(account, FailureKind.TIMEOUT);
      }
    }
    assertEquals(2_000, sent, 200);
  }

  @Test
  void eightThreadsLoseNothing() throws Exception {
    LimitAccount account = account(1, 4, 6, () -> ThreadLocalRandom.current().nextLong());
    AtomicInteger underWay = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    CyclicBarrier start = new CyclicBarrier(8);
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      List<Future<Long>> refused = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        SplittableRandom random = new SplittableRandom(i);
        refused.add(
            threads.submit(() -> {
              start.await();
              return work(account, random, underWay, most);
            }));
      }
      long sum = 0;
      for (Future<Long> each : refused) {
        sum += each.get();
      }
      assertEquals(sum, account.refused());
    } finally {
      threads.shutdownNow();
    }
    assertEquals(0, account.inFlight());
    assertTrue(most.get() <= 6, () -> most + " under way");
    assertTrue(account.limit() >= 1 && account.limit() <= 6, account::toString);
  }

  private long work(
      LimitAccount account, SplittableRandom random, AtomicInteger underWay, AtomicInteger most) {
    long refused = 0;
    for (int i = 0; i < 200_000; i++) {
      long now = i * MS;
      if (!account.tryAcquire(now)) {
        refused++;
        continue;
      }
      most.accumulateAndGet(underWay.incrementAndGet(), Math::max);
      for (int spin = random.nextInt(100); spin > 0; spin--) {
        Thread.onSpinWait();
      }
      underWay.decrementAndGet(); // before the place is given back
      switch (random.nextInt(10)) {
        case 0 -> account.failed(new Guard.Failure(FailureKind.TIMEOUT, true, 1, now), failure);
        case 1 -> account.released();
        default -> account.succeeded(1);
      }
    }
    return refused;
  }
}
