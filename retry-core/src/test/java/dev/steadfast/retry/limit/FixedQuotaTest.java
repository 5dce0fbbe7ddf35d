package dev.steadfast.retry.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Guard;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.Quota;
import dev.steadfast.retry.internal.OriginTable;
import dev.steadfast.retry.internal.ServerDelayPendingException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A quota that the user names, without headers and beside them. */
class FixedQuotaTest {
  private static final long SECOND = 1_000_000_000;
  private static final long ON_THE_WAY = SECOND / 100; // requests may arrive so much later

  private static QuotaPacing pacing(int requests, Duration window) {
    return QuotaPacing.builder().quota(requests, window).build();
  }

  private static OperationInfo operation() {
    return OperationInfo.of("a", "GET a");
  }

  private static long waits(QuotaPacing pacing, OperationInfo operation, long nowNanos) {
    assertThrows(ServerDelayPendingException.class, () -> pacing.acquire(operation, nowNanos));
    return pacing.admitsInNanos(operation, nowNanos);
  }

  private static void learn(QuotaPacing pacing, long remaining, long leftNanos) {
    Quota.Policy policy = new Quota.Policy("q", null, true, 0, 0);
    pacing.learn(operation(), List.of(new Quota(policy, remaining, leftNanos, 0)), 0);
  }

  @Test
  void attemptsAreSpreadEvenly_withoutAnyAnswer() {
    QuotaPacing pacing = pacing(100, Duration.ofMinutes(1));
    pacing.acquire(operation(), 0).succeeded(1);
    OperationInfo second = operation();
    OperationInfo third = operation();
    assertEquals(600_100_000, waits(pacing, second, 0));
    assertEquals(1_200_200_000, waits(pacing, third, 0));
    assertEquals(new QuotaPacing.State(99, 0, 2), pacing.state("a"));
    pacing.acquire(second, 600_100_000).succeeded(1);
    pacing.acquire(third, 1_200_200_000).succeeded(1);
    pacing.acquire(operation(), 3 * SECOND).succeeded(1);
    assertEquals(new QuotaPacing.State(96, 0, 0), pacing.state("a"));
    assertEquals(new QuotaPacing.State(100, 0, 0), pacing.state("b"), "a key of its own");
  }

  @Test
  void attemptsAreHeldAtMostTenSecondsApart_untilTheQuotaIsSpent() {
    QuotaPacing pacing = pacing(3, Duration.ofHours(1));
    for (int i = 0; i < 3; i++) {
      pacing.acquire(operation(), 10 * SECOND * i).succeeded(1);
    }
    long old = 3_570 * SECOND + ON_THE_WAY; // the first one is
    assertEquals(old, waits(pacing, operation(), 30 * SECOND));
    assertEquals(old + 10 * SECOND, waits(pacing, operation(), 30 * SECOND));
    assertEquals(old + 20 * SECOND, waits(pacing, operation(), 30 * SECOND));
    long older = old + 3_600 * SECOND + ON_THE_WAY;
    assertEquals(older, waits(pacing, operation(), 30 * SECOND));
  }

  @Test
  void theStricterOfQuotaAndHeadersDecides() {
    QuotaPacing pacing = pacing(10, Duration.ofSeconds(10));
    learn(pacing, 0, 5 * SECOND);
    assertEquals(5 * SECOND, waits(pacing, operation(), 0), "the headers");
    QuotaPacing strict = pacing(10, Duration.ofSeconds(10));
    learn(strict, 1_000, 5 * SECOND);
    strict.acquire(operation(), 0).succeeded(1);
    assertEquals(
        SECOND + ON_THE_WAY / 10, waits(strict, operation(), 0), "the quota that is named");
  }

  @Test
  void anAttemptThatWasNotSentCostsNothing_andACancelledOneDoes() {
    QuotaPacing pacing = pacing(1, Duration.ofSeconds(5));
    pacing.acquire(operation(), 0).unsent();
    Guard.Permit sent = pacing.acquire(operation(), 0);
    sent.released();
    assertEquals(5 * SECOND + ON_THE_WAY, waits(pacing, operation(), 0));
    RuntimeException refused =
        assertThrows(RuntimeException.class, () -> pacing.acquire(operation(), 0));
    assertEquals("the quota allows it in 10s", refused.getMessage());
  }

  @Test
  void whatWasNotSentWhileAnotherWasIsNotGivenBack() {
    QuotaPacing pacing = pacing(2, Duration.ofSeconds(10));
    Guard.Permit first = pacing.acquire(operation(), 0);
    pacing.acquire(operation(), 5 * SECOND + ON_THE_WAY).succeeded(1);
    first.unsent();
    assertEquals(4 * SECOND + ON_THE_WAY * 3 / 2, waits(pacing, operation(), 6 * SECOND));
  }

  @Test
  void answersOfSeveralPartitionsDoNotLiftIt() {
    QuotaPacing pacing = pacing(1, Duration.ofSeconds(5));
    for (String partition : List.of("one", "two")) {
      Quota.Policy policy = new Quota.Policy("q", partition, true, 0, 0);
      pacing.learn(operation(), List.of(new Quota(policy, 5, SECOND, 0)), 0);
    }
    pacing.acquire(operation(), 1).succeeded(1);
    assertEquals(5 * SECOND + ON_THE_WAY, waits(pacing, operation(), 1));
  }

  @Test
  void keysBeyondTheTableShareOneQuota() {
    QuotaPacing pacing = pacing(1, Duration.ofMinutes(1));
    for (int i = 0; i < OriginTable.MOST; i++) {
      pacing.acquire(OperationInfo.of("host" + i, "GET"), 0).succeeded(1);
    }
    pacing.acquire(OperationInfo.of("one more", "GET"), SECOND).succeeded(1);
    OperationInfo other = OperationInfo.of("and another", "GET");
    assertThrows(ServerDelayPendingException.class, () -> pacing.acquire(other, SECOND));
    OperationInfo again = OperationInfo.of("host0", "GET");
    assertThrows(ServerDelayPendingException.class, () -> pacing.acquire(again, SECOND));
    pacing.operationEnded(other);
    for (int i = 0; i < OriginTable.MOST; i++) {
      OperationInfo asking = OperationInfo.of("asking" + i, "GET");
      pacing.admitsInNanos(asking, 61 * SECOND);
      pacing.operationEnded(asking);
    }
    for (int i = 0; i < 100; i++) { // places of keys that have their whole quota again
      pacing.acquire(OperationInfo.of("later" + i, "GET"), 61 * SECOND).succeeded(1);
    }
  }

  @ParameterizedTest
  @CsvSource({"0, PT1M", "1000001, PT1M", "1, PT0S", "1, PT0.0009S", "1, PT24H0.001S"})
  void valuesOutOfTheirRange(int requests, Duration window) {
    QuotaPacing.Builder builder = QuotaPacing.builder();
    IllegalArgumentException bad =
        assertThrows(IllegalArgumentException.class, () -> builder.quota(requests, window));
    boolean count = requests != 1;
    String expected = count ? "(expected: 1 to 1000000)" : "(expected: 1ms to 24h)";
    assertTrue(bad.getMessage().startsWith(count ? "requests: " : "window: "), bad::getMessage);
    assertTrue(bad.getMessage().endsWith(expected), bad::getMessage);
  }

  /** Many who come, wait, give up and are refused elsewhere: no window has more than the quota. */
  @ParameterizedTest
  @CsvSource({"1, 1000", "7, 100", "100, 1000", "3000, 900", "50, 3600000"})
  void noWindowHasMore_whereverItBegins(int requests, long windowMillis) {
    SplittableRandom random = new SplittableRandom(requests);
    QuotaPacing pacing = pacing(requests, Duration.ofMillis(windowMillis));
    long window = windowMillis * 1_000_000;
    Deque<Long> sent = new ArrayDeque<>();
    List<OperationInfo> waiting = new ArrayList<>();
    long now = -window;
    for (int i = 0; i < 10_000; i++) {
      now += random.nextLong(2 * window / requests);
      boolean old = !waiting.isEmpty() && random.nextBoolean();
      OperationInfo operation =
          old ? waiting.remove(random.nextInt(waiting.size())) : OperationInfo.of("a", "GET");
      Guard.@Nullable Permit permit = null;
      if (random.nextInt(10) > 0) {
        permit = sentOrWaiting(pacing, operation, now, waiting);
      } else {
        pacing.operationEnded(operation);
      }
      if (permit != null && random.nextInt(10) == 0) {
        permit.unsent();
      } else if (permit != null) {
        sent.add(now);
        permit.succeeded(1);
        pacing.operationEnded(operation);
      }
      while (!sent.isEmpty() && now - sent.peek() >= window) {
        sent.remove();
      }
      assertTrue(sent.size() <= requests, () -> sent.size() + " in a window");
    }
  }

  private static Guard.@Nullable Permit sentOrWaiting(
      QuotaPacing pacing, OperationInfo operation, long now, List<OperationInfo> waiting) {
    try {
      return pacing.acquire(operation, now);
    } catch (ServerDelayPendingException later) {
      waiting.add(operation);
      return null;
    }
  }

  /** All that wait are sent, each after one wait, and the quota is used. */
  @ParameterizedTest
  @CsvSource({"100, 60000", "1000, 1000", "5000, 1000"})
  void whoeverWaitsWaitsOnce_andNearlyAllIsUsed(int requests, long windowMillis) {
    QuotaPacing pacing = pacing(requests, Duration.ofMillis(windowMillis));
    List<OperationInfo> operations = new ArrayList<>();
    List<Long> turns = new ArrayList<>();
    int calls = 5 * requests;
    for (int i = 0; i < calls; i++) {
      OperationInfo operation = operation();
      operations.add(operation);
      turns.add(pacing.admitsInNanos(operation, 0));
      if (i == 0) {
        pacing.acquire(operation, 0).succeeded(1);
      }
    }
    for (int i = 1; i < calls; i++) {
      pacing.acquire(operations.get(i), turns.get(i)).succeeded(1);
      pacing.operationEnded(operations.get(i));
    }
    long last = Collections.max(turns);
    assertTrue(last <= 1.02 * 5 * windowMillis * 1_000_000, () -> "the last one after " + last);
  }

  /** Threads that come, wait and end at the same time. */
  @Test
  void threadsOnOneKeyNeverSendMore() throws Exception {
    int requests = 50;
    long window = SECOND;
    QuotaPacing pacing = pacing(requests, Duration.ofSeconds(1));
    AtomicLong clock = new AtomicLong();
    List<Callable<List<Long>>> tasks = new ArrayList<>();
    for (int thread = 0; thread < 4; thread++) {
      SplittableRandom random = new SplittableRandom(thread);
      tasks.add(() -> {
        List<Long> sent = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
          OperationInfo operation = operation();
          for (int tries = random.nextInt(1, 4); tries > 0; tries--) {
            long now = clock.addAndGet(random.nextLong(2_000_000));
            try {
              Guard.Permit permit = pacing.acquire(operation, now);
              sent.add(now);
              permit.succeeded(1);
              break;
            } catch (ServerDelayPendingException later) {
              pacing.admitsInNanos(operation, now);
            }
          }
          pacing.operationEnded(operation);
        }
        return sent;
      });
    }
    List<Long> sent = new ArrayList<>();
    ExecutorService pool = Executors.newFixedThreadPool(4);
    try {
      for (Future<List<Long>> each : pool.invokeAll(tasks)) {
        sent.addAll(each.get());
      }
    } finally {
      pool.shutdownNow();
    }
    Collections.sort(sent);
    long late = 20_000_000; // a thread may have read the time before the others moved it
    for (int i = requests; i < sent.size(); i++) {
      long apart = sent.get(i) - sent.get(i - requests);
      assertTrue(apart >= window - late, () -> requests + " attempts within " + apart + " ns");
    }
    QuotaPacing.State state = pacing.state("a");
    assertEquals(0, state.inFlight() + state.waiting(), state::toString);
    assertTrue(pacing.turns.isEmpty());
  }
}
