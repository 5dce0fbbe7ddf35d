package dev.steadfast.retry.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryScheduler;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class EventQueueTest {
  private final EventQueue time = new EventQueue();
  private final List<String> seen = new ArrayList<>();

  private RetryScheduler.Task at(long nanos, String name) {
    return time.schedule(nanos, () -> seen.add(name + "@" + time.nowNanos()));
  }

  @Test
  void eventsHappenInTheOrderOfTheirTime_andOfSchedulingWhereThatIsEqual() {
    at(5, "b");
    at(3, "a");
    at(5, "c");
    time.schedule(4, () -> at(1, "d"));
    time.runAll();
    assertEquals(List.of("a@3", "b@5", "c@5", "d@5"), seen);
  }

  @Test
  void whatIsTakenBackDoesNotHappen() {
    at(1, "a");
    RetryScheduler.Task b = at(2, "b");
    at(3, "c");
    b.cancel();
    b.cancel();
    time.runAll();
    assertEquals(List.of("a@1", "c@3"), seen);
  }

  @Test
  void timeStopsWhereItIsTold() {
    at(10, "late");
    time.runUntil(9);
    assertEquals(9, time.nowNanos());
    assertEquals(List.of(), seen);
    time.runUntil(10);
    assertEquals(List.of("late@10"), seen);
    assertEquals(Instant.ofEpochSecond(0, 10), time.clock().instant());
  }

  @Test
  void manyTimersThatAreTakenBackTakeNoRoom() {
    Draws draws = Draws.of(1);
    for (int i = 0; i < 1_000_000; i++) {
      RetryScheduler.Task far =
          time.schedule(Durations.SECOND * 1000 + draws.below(1000), () -> {});
      far.cancel();
    }
    assertTrue(time.size() <= 2048, "size: " + time.size());
  }

  @Test
  void aLargeHeapStaysInOrder() {
    Draws draws = Draws.of(2);
    long[] last = {0};
    int[] count = {0};
    for (int i = 0; i < 20_000; i++) {
      RetryScheduler.Task task =
          time.schedule(
              draws.below(1_000_000),
              () -> {
                assertTrue(time.nowNanos() >= last[0]);
                last[0] = time.nowNanos();
                count[0]++;
              });
      if (i % 3 != 0) {
        task.cancel();
      }
    }
    time.runAll();
    assertEquals(6_667, count[0]);
  }
}
