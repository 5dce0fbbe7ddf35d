package dev.steadfast.retry.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Guard;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.Quota;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Threads that call a server with a fixed window as fast as they may, in virtual time. */
class PacedServerTest {
  private static final long MS = 1_000_000;
  private static final long SECOND = 1_000 * MS;

  /** How a server writes the time until its next window. */
  enum Rounding {
    UP,
    DOWN,
    NONE
  }

  private record Event(long atNanos, int order, Runnable what) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      int byTime = Long.compare(atNanos, other.atNanos);
      return byTime != 0 ? byTime : Integer.compare(order, other.order);
    }
  }

  private final SplittableRandom random = new SplittableRandom(5);
  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private long now;
  private int order;

  private boolean again = true; // each thread calls for ever
  private boolean named; // the server tells of no quota
  private long stopped; // so long are all threads stopped, in each 700 ms
  private int limit = 100;
  private long window = 10 * SECOND;
  private Rounding rounding = Rounding.UP;
  private boolean statesPolicy = true;
  private long windowNumber = -1;
  private int usedInWindow;
  private final List<Integer> accepted = new ArrayList<>();
  private final List<Integer> rejected = new ArrayList<>();

  private void at(long delay, Runnable what) {
    events.add(new Event(now + delay, order++, what));
  }

  private void client(QuotaPacing pacing, int threads) {
    for (int i = 0; i < threads; i++) {
      at(random.nextLong(50 * MS), () -> call(pacing));
    }
  }

  private void call(QuotaPacing pacing) {
    attempt(pacing, OperationInfo.of("a", "GET a"));
  }

  private void attempt(QuotaPacing pacing, OperationInfo operation) {
    Guard.Permit permit;
    try {
      permit = pacing.acquire(operation, now);
    } catch (RuntimeException waits) {
      long wait = pacing.admitsInNanos(operation, now);
      assertTrue(wait > 0);
      at(wakes(wait + random.nextLong(2 * MS)), () -> attempt(pacing, operation));
      return;
    }
    at(
        MS / 2 + random.nextLong(2 * MS),
        () -> {
          Quota said = answer();
          at(
              MS / 2 + random.nextLong(2 * MS),
              () -> {
                if (!named) {
                  pacing.learn(operation, List.of(said), now);
                }
                permit.succeeded(1);
                pacing.operationEnded(operation);
                if (again) {
                  at(MS / 10, () -> call(pacing));
                }
              });
        });
  }

  /** When a thread wakes that is due after this time: it may be stopped then. */
  private long wakes(long delay) {
    long phase = (now + delay) % (700 * MS);
    return phase < stopped ? delay + stopped - phase : delay;
  }

  private Quota answer() {
    long number = now / window;
    while (windowNumber < number) {
      windowNumber++;
      usedInWindow = 0;
      accepted.add(0);
      rejected.add(0);
    }
    List<Integer> count = usedInWindow < limit ? accepted : rejected;
    count.set((int) windowNumber, count.get((int) windowNumber) + 1);
    usedInWindow = Math.min(limit, usedInWindow + 1);
    long left = (number + 1) * window - now;
    long told =
        switch (rounding) {
          case UP -> (left + SECOND - 1) / SECOND * SECOND;
          case DOWN -> left / SECOND * SECOND;
          case NONE -> left;
        };
    Quota.Policy policy =
        statesPolicy
            ? new Quota.Policy("q", null, true, limit, window)
            : new Quota.Policy("q", null, true, 0, 0);
    return new Quota(policy, limit - usedInWindow, told, rounding == Rounding.NONE ? 0 : SECOND);
  }

  /** Runs for so many whole windows after the first, which began before anything was known. */
  private void run(int windows) {
    long end = (windows + 1) * window;
    for (Event next = events.poll(); next.atNanos() < end; next = events.poll()) {
      now = next.atNanos();
      next.what().run();
    }
  }

  private int sum(List<Integer> counts, int from) {
    return counts.subList(from, counts.size()).stream().mapToInt(each -> each).sum();
  }

  @ParameterizedTest
  @CsvSource({
    "UP,   100, 10, true",
    "DOWN, 100, 10, true",
    "NONE, 100, 10, true",
    "UP,   100, 10, false",
    "DOWN, 100, 10, false",
    "UP,   20,  60, true",
    "UP,   1000, 5, true",
    "NONE, 50,  1,  true"
  })
  void oneClientIsNeverRejected_andUsesNearlyAll(
      Rounding rounds, int most, int seconds, boolean says) {
    rounding = rounds;
    limit = most;
    window = seconds * SECOND;
    statesPolicy = says;
    client(QuotaPacing.perOrigin(), 16);
    run(6);
    assertEquals(0, sum(rejected, 0), () -> rejected.toString());
    assertTrue(sum(accepted, 1) >= 0.95 * 6 * limit, accepted::toString);
  }

  @ParameterizedTest
  @CsvSource({"UP, 100, 10", "DOWN, 100, 10", "NONE, 100, 10", "UP, 500, 1", "DOWN, 500, 1"})
  void twoClientsOfOneQuotaAreHardlyEverRejected(Rounding rounds, int most, int seconds) {
    rounding = rounds;
    limit = most;
    window = seconds * SECOND;
    client(QuotaPacing.perOrigin(), 16);
    client(QuotaPacing.perOrigin(), 16);
    run(18);
    int refused = sum(rejected, 1);
    int all = refused + sum(accepted, 1);
    assertTrue(refused <= 0.02 * all, () -> accepted + " " + rejected);
    assertTrue(sum(accepted, 1) >= 0.9 * 18 * limit, () -> accepted + " " + rejected);
  }

  /** Each call waits for half a minute. None of them waits for longer than its turn asks. */
  @ParameterizedTest
  @CsvSource({"NONE, 1", "UP, 1", "DOWN, 1", "UP, 5"})
  void thirtyThousandCallsThatWaitUseNearlyAll(Rounding rounds, int seconds) {
    rounding = rounds;
    window = seconds * SECOND;
    limit = 1_000 * seconds;
    client(QuotaPacing.perOrigin(), 30_000);
    run(20 / seconds);
    int windows = accepted.size() - 1;
    assertTrue(sum(accepted, 1) >= 0.95 * windows * limit, () -> accepted + " " + rejected);
    assertTrue(sum(rejected, 1) <= 0.001 * sum(accepted, 1), () -> accepted + " " + rejected);
  }

  /** A call that finds no room at its turn, because other calls were late, is the next one. */
  @ParameterizedTest
  @ValueSource(longs = {0, 30, 60})
  void aBatchWithANamedQuotaUsesNearlyAll(long stoppedMillis) {
    named = true;
    again = false;
    stopped = stoppedMillis * MS;
    window = SECOND;
    limit = 1_000;
    QuotaPacing pacing = QuotaPacing.builder().quota(limit, Duration.ofSeconds(1)).build();
    for (int i = 0; i < 30_000; i++) {
      at(i * MS / 20, () -> call(pacing));
    }
    run(25);
    int windows = accepted.size() - 1;
    assertTrue(sum(accepted, 1) >= 0.98 * windows * limit, () -> accepted + " " + rejected);
    assertEquals(0, sum(rejected, 0), () -> rejected.toString());
  }

  /** Most of them get their turn while the first answers come, and keep it. */
  @ParameterizedTest
  @CsvSource({"NONE, 1", "UP, 1", "DOWN, 1", "UP, 5"})
  void aBatchOfThirtyThousandUsesNearlyAll(Rounding rounds, int seconds) {
    rounding = rounds;
    window = seconds * SECOND;
    limit = 1_000 * seconds;
    again = false;
    QuotaPacing pacing = QuotaPacing.perOrigin();
    for (int i = 0; i < 30_000; i++) {
      at(i * MS / 20, () -> call(pacing));
    }
    run(25 / seconds);
    int windows = accepted.size() - 1;
    assertTrue(sum(accepted, 1) >= 0.95 * windows * limit, () -> accepted + " " + rejected);
    assertTrue(sum(rejected, 1) <= 0.001 * sum(accepted, 1), () -> accepted + " " + rejected);
  }
}
