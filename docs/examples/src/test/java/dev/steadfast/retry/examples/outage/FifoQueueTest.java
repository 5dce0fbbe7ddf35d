package dev.steadfast.retry.examples.outage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

final class FifoQueueTest {
  private static final long SECOND = Scenario.SECOND;
  private static final Stall NO_STALL = new Stall(0, 0);

  private static FifoQueue queue(int workers, Stall stall) {
    return new FifoQueue(workers, Duration.ofMillis(100), stall, new SplittableRandom(1));
  }

  @Test
  void tenWorkersOfATenthOfASecondDoAHundredPerSecond() {
    FifoQueue queue = queue(10, NO_STALL);
    long last = LongStream.range(0, 10_000).map(i -> queue.departure(0)).max().orElseThrow();
    assertEquals(100.0, (double) last / SECOND, 3.0); // three standard deviations
  }

  @Test
  void oneWorkerServesInTheOrderOfArrival() {
    FifoQueue queue = queue(1, NO_STALL);
    long before = 0;
    for (int arrival = 0; arrival < 1000; arrival++) {
      long departure = queue.departure(arrival);
      assertTrue(departure >= before, "overtaken by a later arrival");
      before = departure;
    }
  }

  @Test
  void anIdleWorkerBeginsAtOnce() {
    FifoQueue queue = queue(2, NO_STALL);
    queue.departure(0);
    long service = queue.departure(5 * SECOND) - 5 * SECOND;
    assertTrue(service > 0 && service < 2 * SECOND, "service time " + service);
  }

  @Test
  void aStallMovesWhatIsUnderWayByItsLength() {
    FifoQueue plain = queue(10, NO_STALL);
    FifoQueue stalled = queue(10, new Stall(SECOND, 11 * SECOND));
    for (int i = 0; i < 300; i++) {
      long expected = plain.departure(0);
      long departure = stalled.departure(0);
      assertEquals(expected <= SECOND ? expected : expected + 10 * SECOND, departure);
    }
  }

  @Test
  void whatArrivesInAStallWaitsForItsEnd() {
    FifoQueue queue = queue(10, new Stall(SECOND, 11 * SECOND));
    for (long arrival = SECOND; arrival < 11 * SECOND; arrival += SECOND / 70) {
      assertTrue(queue.departure(arrival) > 11 * SECOND, "served while all stood still");
    }
  }
}
