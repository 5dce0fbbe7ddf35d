package dev.steadfast.retry.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.journal.OriginGate.Result;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** How deliveries to an origin are bounded; in virtual time. */
class OriginGateTest {
  private static final long SECOND = 1_000_000_000L;
  private static final DueRows.OriginGroup FIRST =
      new DueRows.OriginGroup("https://bank.example:443", false);
  private static final DueRows.OriginGroup AGAIN =
      new DueRows.OriginGroup("https://bank.example:443", true);
  private static final DueRows.OriginGroup OTHER =
      new DueRows.OriginGroup("https://post.example:443", true);

  private long now;
  private final OriginGate gate = new OriginGate(() -> now, () -> 0.5);

  private boolean delivers(DueRows.OriginGroup lane, Result result) {
    if (gate.begin(lane) != null) {
      return false;
    }
    gate.ended(lane, result, null);
    return true;
  }

  // Each operation comes again after 1 s, 2 s, 4 s and so on, or when it was held back a second.
  private int requestsInAMinute(int operations) {
    int requests = 0;
    long[] dueAt = new long[operations];
    int[] made = new int[operations];
    for (now = 0; now < 60 * SECOND; now += SECOND / 10) {
      for (int i = 0; i < operations; i++) {
        if (dueAt[i] <= now && delivers(made[i] == 0 ? FIRST : AGAIN, Result.OVERLOADED)) {
          requests++;
          dueAt[i] = now + (SECOND << Math.min(8, made[i]++));
        }
      }
    }
    return requests;
  }

  @Test
  void timeThatGoesOnHoldsNothingBack() {
    OriginGate running = new OriginGate(() -> now++, () -> 0.5);
    assertNull(running.begin(FIRST));
  }

  @Test
  void anOverloadedServerGetsItsFirstDeliveriesAndTheBudget() {
    int requests = requestsInAMinute(300);
    assertTrue(requests >= 360 && requests <= 371, () -> requests + " requests");
  }

  @Test
  void eightInstancesHaveEightBudgets() {
    int repeated = 0;
    for (int i = 0; i < 8; i++) {
      OriginGateTest instance = new OriginGateTest();
      repeated += instance.requestsInAMinute(300) - 300;
    }
    int all = 300 + repeated; // each first delivery is made by one of them
    assertTrue(all >= 780 && all <= 868, () -> all + " requests");
  }

  @Test
  void afterAnOutageTheRateIsNotBounded() {
    while (delivers(AGAIN, Result.OVERLOADED)) {
      // until the budget is used up
    }
    now += SECOND;
    for (int i = 0; i < 100_000; i++) {
      assertTrue(delivers(AGAIN, Result.ANSWERED), "each success pays for the next one");
    }
  }

  // Twenty threads, with a server that takes 50 ms; virtual seconds.
  private long drainSeconds(DueRows.OriginGroup lane, int operations) {
    long begin = now;
    int threads = 20;
    int done = 0;
    while (done < operations) {
      int begun = 0;
      while (begun < threads && gate.begin(lane) == null) {
        begun++;
      }
      now += SECOND / 20;
      for (int i = 0; i < begun; i++) {
        gate.ended(lane, Result.ANSWERED, null);
      }
      done += begun;
    }
    return (now - begin) / SECOND;
  }

  @Test
  void theBacklogOfAnOutageIsDrainedWithinTwiceTheTimeOfAHealthyOne() {
    long healthy = new OriginGateTest().drainSeconds(FIRST, 100_000);
    while (delivers(AGAIN, Result.OVERLOADED)) {
      // until the budget is used up
    }
    for (int i = 0; i < 6; i++) {
      delivers(FIRST, Result.SILENT);
      now += 60 * SECOND;
    }
    long afterAnOutage = drainSeconds(AGAIN, 100_000);
    assertTrue(afterAnOutage <= 2 * healthy, () -> afterAnOutage + " s, healthy " + healthy + " s");
  }

  @Test
  void aSilentServerIsLeftAloneForLongerEachTime() {
    for (int i = 0; i < 3; i++) {
      assertTrue(delivers(FIRST, i == 1 ? Result.SILENT : Result.UNREACHED));
    }
    long[] pauses = {1, 2, 4, 8, 16, 32, 60, 60};
    for (long pause : pauses) {
      assertNotNull(gate.held(FIRST));
      now += pause * SECOND - 1;
      assertNotNull(gate.held(FIRST));
      now++;
      assertNull(gate.begin(FIRST));
      assertNotNull(gate.held(FIRST), "a single one tries it");
      gate.ended(FIRST, Result.UNREACHED, null);
    }
    assertTrue(delivers(OTHER, Result.ANSWERED), "others are not affected");
    now += 60 * SECOND;
    assertTrue(delivers(FIRST, Result.ANSWERED));
    assertTrue(delivers(FIRST, Result.ANSWERED));
  }

  @Test
  void aServerThatAsksForItIsLeftAlone() {
    for (int i = 0; i < 3; i++) {
      assertNull(gate.begin(FIRST), "one alone may speak of itself");
      gate.ended(FIRST, Result.OVERLOADED, Duration.ofSeconds(30));
    }
    now += 30 * SECOND - 1;
    Duration held = gate.held(FIRST);
    assertEquals(Duration.ofNanos(1 + 5 * SECOND / 2), held, "they come back spread over 5 s");
    now++;
    assertTrue(delivers(FIRST, Result.ANSWERED));
    for (int i = 0; i < 3; i++) {
      assertNull(gate.begin(FIRST));
      gate.ended(FIRST, Result.OVERLOADED, Duration.ofSeconds(Long.MAX_VALUE));
    }
    now += 3_600 * SECOND;
    assertTrue(delivers(FIRST, Result.ANSWERED), "an hour at most");
  }

  @Test
  void whatNeverReachedTheServerCostsNothing() {
    for (int i = 0; i < 100; i++) {
      assertTrue(delivers(AGAIN, Result.NOTHING));
    }
    for (int i = 0; i < 2; i++) {
      assertTrue(delivers(AGAIN, Result.UNREACHED));
    }
    for (int i = 0; i < 10; i++) {
      assertTrue(delivers(AGAIN, Result.OVERLOADED));
    }
    assertTrue(!delivers(AGAIN, Result.OVERLOADED));
  }

  @Test
  void deliveriesAtTheSameTimeAreBounded() {
    int begun = 0;
    while (gate.begin(FIRST) == null) {
      begun++;
    }
    assertEquals(8, begun);
    for (int i = 0; i < begun; i++) {
      gate.ended(FIRST, Result.ANSWERED, null);
    }
    begun = 0;
    while (gate.begin(FIRST) == null) {
      begun++;
    }
    assertEquals(16, begun, "one more for each success");
  }

  @Test
  void itForgetsTheOriginsOfLongAgo() {
    for (int i = 0; i < 3; i++) {
      delivers(FIRST, Result.SILENT);
    }
    for (int i = 0; i < 1_000; i++) {
      gate.held(new DueRows.OriginGroup("https://" + i + ".example:443", false));
    }
    assertNull(gate.held(FIRST));
  }
}
