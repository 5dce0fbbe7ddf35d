package dev.steadfast.retry.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.Guard;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.Quota;
import dev.steadfast.retry.internal.ServerDelayPendingException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Turns of operations, without a machine and without time of their own. */
class QuotaPacingTest {
  private static final long SECOND = 1_000_000_000;
  private static final long TURN = SECOND * 9 / 5; // four in the first nine of ten seconds
  private static final long YEAR = 365 * 86_400 * SECOND;

  private final QuotaPacing pacing = QuotaPacing.perOrigin();

  private static OperationInfo operation() {
    return OperationInfo.of("a", "GET a");
  }

  private static Quota quota(String name, long remaining, long leftNanos) {
    return quota(new Quota.Policy(name, null, true, 0, 0), remaining, leftNanos);
  }

  private static Quota quota(Quota.Policy policy, long remaining, long leftNanos) {
    return new Quota(policy, remaining, leftNanos, 0);
  }

  private void learn(long nowNanos, Quota... quotas) {
    pacing.learn(operation(), List.of(quotas), nowNanos);
  }

  /** Has an operation wait for its turn, and tells how long. */
  private long waits(OperationInfo operation, long nowNanos) {
    ServerDelayPendingException refused =
        assertThrows(ServerDelayPendingException.class, () -> pacing.acquire(operation, nowNanos));
    long nanos = pacing.admitsInNanos(operation, nowNanos);
    assertEquals(nanos, refused.remaining().toNanos());
    assertEquals(0, pacing.spreadNanos(operation, nowNanos));
    return nanos;
  }

  @Test
  void nothingIsHeldBackBeforeAQuotaIsKnown() {
    for (int i = 0; i < 100; i++) {
      assertEquals(0, pacing.admitsInNanos(operation(), 0));
      pacing.acquire(operation(), 0).succeeded(1);
    }
    learn(0); // an answer without quotas
    assertEquals(new QuotaPacing.State(Long.MAX_VALUE, 0, 0), pacing.state("a"));
    assertEquals("quota pacing (0 keys)", pacing.toString());
  }

  @Test
  void whatIsLeftIsSpreadUntilTheReset() {
    learn(0, quota("q", 4, 10 * SECOND));
    pacing.acquire(operation(), 0).succeeded(1);
    OperationInfo first = operation();
    OperationInfo second = operation();
    assertEquals(TURN, waits(first, 0));
    assertEquals(2 * TURN, waits(second, 0));
    assertEquals(new QuotaPacing.State(4, 0, 2), pacing.state("a"));
    assertEquals(TURN, waits(first, 0), "its turn is its own");
    pacing.acquire(first, 2 * SECOND).succeeded(1);
    pacing.acquire(second, 4 * SECOND).succeeded(1);
    assertEquals(new QuotaPacing.State(4, 0, 0), pacing.state("a"));
  }

  @Test
  void anAttemptThatWasNotSentLetsTheNextOneGo() {
    learn(0, quota("q", 4, 10 * SECOND));
    pacing.acquire(operation(), 0).released(); // another guard refused it
    pacing.acquire(operation(), 0).succeeded(1);
    Guard.Permit second = pacing.acquire(operation(), 5 * SECOND);
    pacing.acquire(operation(), 9 * SECOND).succeeded(1);
    second.released();
    assertTrue(waits(operation(), 9 * SECOND - 1) > 0, "the one after it was sent");
  }

  @Test
  void whatIsUnderWayIsDeducted() {
    learn(0, quota("q", 2, 10 * SECOND));
    Guard.Permit first = pacing.acquire(operation(), 0);
    Guard.Permit second = pacing.acquire(operation(), 9 * SECOND);
    OperationInfo third = operation();
    assertEquals(SECOND, waits(third, 9 * SECOND), "after the reset");
    first.succeeded(1);
    second.succeeded(1);
  }

  @Test
  void withinAWindowTheSmallestRemainderCounts() {
    learn(0, quota("q", 50, 10 * SECOND));
    learn(SECOND, quota("q", 40, 9 * SECOND));
    learn(SECOND, quota("q", 45, 9 * SECOND));
    assertEquals(40, pacing.state("a").remaining());
    learn(11 * SECOND, quota("q", 49, 9 * SECOND));
    assertEquals(49, pacing.state("a").remaining(), "a new window");
  }

  /** Some clients tell who answered after the attempt has ended for the guards. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anAnswerTellsOfTheWindowInWhichItsRequestWasSent(boolean permitFirst) {
    learn(0, quota("q", 10, 10 * SECOND));
    OperationInfo slow = operation();
    Guard.Permit permit = pacing.acquire(slow, 0);
    if (permitFirst) {
      permit.succeeded(9 * SECOND);
    }
    pacing.learn(slow, List.of(quota("q", 4, 10 * SECOND)), 9 * SECOND);
    if (!permitFirst) {
      permit.succeeded(9 * SECOND);
    }
    pacing.operationEnded(slow);
    assertTrue(pacing.turns.isEmpty());
    pacing.acquire(operation(), 10 * SECOND).succeeded(1);
    assertEquals(10, pacing.state("a").remaining(), "a new window");
  }

  @Test
  void theStrictestOfSeveralDecides() {
    learn(0, quota("burst", 100, SECOND), quota("daily", 0, 30 * SECOND));
    assertEquals(30 * SECOND, waits(operation(), 0));
    assertEquals(0, pacing.state("a").remaining());
  }

  @Test
  void aQuotaOfWhichTheServerTellsNoMoreIsForgotten() {
    learn(0, quota(new Quota.Policy("q", null, true, 1, SECOND), 0, 10 * SECOND));
    learn(5 * SECOND, quota("other", 1000, SECOND));
    OperationInfo first = operation();
    assertEquals(5 * SECOND, waits(first, 5 * SECOND), "the reset is still to come");
    pacing.acquire(first, 10 * SECOND).succeeded(1);
    assertTrue(waits(operation(), 10 * SECOND) > 0, "the next windows may be like it");
    for (int i = 0; i < 100; i++) {
      pacing.acquire(operation(), 13 * SECOND).succeeded(1);
    }
    assertEquals(Long.MAX_VALUE, pacing.state("a").remaining());
  }

  @ParameterizedTest
  @ValueSource(longs = {1_000_000_000_000_000L, Long.MAX_VALUE})
  void aHugeRemainderHoldsNothingBack(long remaining) {
    learn(0, quota(new Quota.Policy("q", null, true, remaining, 0), remaining, 10));
    learn(0, quota("year", remaining, YEAR));
    for (int i = 0; i < 100; i++) {
      pacing.acquire(operation(), 0).succeeded(1);
    }
  }

  @Test
  void aTurnIsGivenUpByWhoEnds_orIsLate() {
    learn(0, quota("q", 4, 10 * SECOND));
    pacing.acquire(operation(), 0).succeeded(1);
    OperationInfo ended = operation();
    OperationInfo late = operation();
    assertEquals(TURN, waits(ended, 0));
    assertEquals(2 * TURN, waits(late, 0));
    pacing.operationEnded(ended);
    assertEquals(1, pacing.state("a").waiting());
    pacing.admitsInNanos(operation(), 5 * SECOND + 1);
    assertEquals(0, pacing.state("a").waiting());
    pacing.acquire(late, 5 * SECOND + 2).succeeded(1);
  }

  @Test
  void manyWhoCannotWaitDoNotPushTheOthersBack() {
    learn(0, quota(new Quota.Policy("q", null, true, 10, 0), 0, 600 * SECOND));
    for (int i = 0; i < 1000; i++) {
      OperationInfo impatient = operation();
      assertEquals(600 * SECOND, waits(impatient, 0));
      pacing.operationEnded(impatient);
    }
    assertEquals(600 * SECOND, waits(operation(), 0));
  }

  @Test
  void anAttemptWithoutAnAnswerMayHaveCostAUnit() {
    learn(0, quota("q", 5, 10 * SECOND));
    Guard.Failure timeout = new Guard.Failure(FailureKind.TIMEOUT, true, 1, 1);
    pacing.acquire(operation(), 0).failed(timeout, new IOException());
    assertEquals(4, pacing.state("a").remaining());
    Guard.Failure unsent = new Guard.Failure(FailureKind.CONNECT, true, 1, 1);
    pacing.acquire(operation(), 3 * SECOND).failed(unsent, new IOException());
    assertEquals(new QuotaPacing.State(4, 0, 0), pacing.state("a"));
  }

  @Test
  void keysAndPartitions() {
    QuotaPacing keyed = QuotaPacing.builder().keyedBy(info -> info.name().orElse(null)).build();
    keyed.learn(operation().withName("x"), List.of(quota("q", 0, 10 * SECOND)), 0);
    assertThrows(RuntimeException.class, () -> keyed.acquire(operation().withName("x"), 0));
    keyed.acquire(operation().withName("y"), 0);
    keyed.acquire(operation(), 0);

    Quota.Policy one = new Quota.Policy("q", "one", true, 0, 0);
    Quota.Policy two = new Quota.Policy("q", "two", true, 0, 0);
    learn(0, quota(one, 0, 100 * SECOND));
    assertEquals(100 * SECOND, waits(operation(), 0));
    learn(1, quota(two, 50, 100 * SECOND));
    learn(2, quota(one, 0, 100 * SECOND));
    pacing.acquire(operation(), 3); // nobody knows whose quota it will be
  }

  @Test
  void aKeyThatCannotBeHadIsNoRefusal() {
    IllegalStateException noKey = new IllegalStateException("no key");
    QuotaPacing keyed =
        QuotaPacing.builder()
            .keyedBy(info -> {
              throw noKey;
            })
            .build();
    assertSame(noKey, assertThrows(Exception.class, () -> keyed.acquire(operation(), 0)));
    assertSame(noKey, assertThrows(Exception.class, () -> keyed.admitsInNanos(operation(), 0)));
    keyed.operationEnded(operation());
    assertThrows(NullPointerException.class, () -> QuotaPacing.builder().keyedBy(null));
  }

  @Test
  void whatIsLearnedNeedsAnOperationAndAList() {
    NullPointerException noOperation =
        assertThrows(NullPointerException.class, () -> pacing.learn(null, List.of(), 0));
    assertEquals("operation: null (expected: a value)", noOperation.getMessage());
    NullPointerException noQuotas =
        assertThrows(NullPointerException.class, () -> pacing.learn(operation(), null, 0));
    assertEquals("quotas: null (expected: a value)", noQuotas.getMessage());
  }

  @ParameterizedTest
  @CsvSource({"-1, 0, 0", "0, -1, 0", "0, 0, -1"})
  void aQuotaHasNoNegativeNumbers(long remaining, long left, long resolution) {
    Quota.Policy policy = new Quota.Policy("q", null, true, 0, 0);
    IllegalArgumentException bad =
        assertThrows(
            IllegalArgumentException.class, () -> new Quota(policy, remaining, left, resolution));
    assertTrue(bad.getMessage().endsWith(": -1 (expected: 0 or more)"), bad.getMessage());
  }

  /** Whatever a server says, a turn comes within an hour or so, and no number overflows. */
  @ParameterizedTest
  @ValueSource(longs = {0, Long.MAX_VALUE - 50 * YEAR, Long.MIN_VALUE, -SECOND})
  void anyValuesAtAll(long startNanos) {
    SplittableRandom random = new SplittableRandom(startNanos);
    long[] values = {0, 1, 7, SECOND, YEAR, Long.MAX_VALUE / 2, Long.MAX_VALUE};
    long now = startNanos;
    List<OperationInfo> waiting = new ArrayList<>();
    for (int i = 0; i < 50_000; i++) {
      long limit = any(values, random);
      long length = any(values, random);
      String partition = random.nextInt(100) == 0 ? "p" + random.nextInt(3) : null;
      Quota.Policy policy =
          new Quota.Policy(
              "q" + random.nextInt(12), partition, random.nextBoolean(), limit, length);
      Quota said = new Quota(policy, any(values, random), any(values, random), any(values, random));
      pacing.learn(operation(), List.of(said), now);
      OperationInfo operation = operation();
      long wait = pacing.admitsInNanos(operation, now);
      assertTrue(wait >= 0 && wait <= 2 * QuotaWindow.LONGEST_NANOS, () -> "wait " + wait);
      if (wait == 0) {
        pacing.acquire(operation, now).succeeded(1);
      } else {
        waiting.add(operation);
      }
      if (waiting.size() > 20) {
        waiting.forEach(pacing::operationEnded);
        waiting.clear();
      }
      now += random.nextInt(4) == 0 ? random.nextLong(1000 * SECOND) : random.nextLong(SECOND);
    }
    waiting.forEach(pacing::operationEnded);
    QuotaPacing.State end = pacing.state("a");
    assertEquals(0, end.inFlight() + end.waiting(), end::toString);
  }

  private static long any(long[] values, SplittableRandom random) {
    long value = values[random.nextInt(values.length)];
    return random.nextBoolean() ? value : random.nextLong(value / 2 + 1);
  }

  /** Keys come and go while attempts of them wait and run. */
  @Test
  void threadsOnManyKeysLeaveNothing() throws Exception {
    int threads = 4;
    int keys = 2_000; // more than are remembered
    List<Callable<Void>> tasks = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      SplittableRandom random = new SplittableRandom(i);
      tasks.add(() -> {
        for (int call = 0; call < 50_000; call++) {
          OperationInfo operation = OperationInfo.of("k" + random.nextInt(keys), "GET");
          long now = call * 1_000_000L;
          try {
            Guard.Permit permit = pacing.acquire(operation, now);
            Quota said = quota("q" + random.nextInt(10), random.nextInt(3), SECOND);
            pacing.learn(operation, List.of(said), now);
            permit.succeeded(1);
          } catch (ServerDelayPendingException waits) {
            pacing.admitsInNanos(operation, now);
          }
          pacing.operationEnded(operation);
        }
        return null;
      });
    }
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      for (Future<Void> each : pool.invokeAll(tasks)) {
        each.get();
      }
    } finally {
      pool.shutdownNow();
    }
    for (int i = 0; i < keys; i++) {
      QuotaPacing.State state = pacing.state("k" + i);
      assertEquals(0, state.inFlight() + state.waiting(), state::toString);
    }
    assertTrue(pacing.turns.isEmpty(), "no turn is kept for a key that was forgotten");
  }

  @Test
  void thousandsOfKeysAndNamesDoNotGrow() {
    for (int i = 0; i < 5_000; i++) {
      learn(i, quota("name" + i, 5, SECOND));
      pacing.learn(OperationInfo.of("host" + i, "GET"), List.of(quota("q", 0, SECOND)), i);
    }
    assertTrue(pacing.toString().matches("quota pacing \\((1024|10[01][0-9]) keys\\)"));
  }
}
