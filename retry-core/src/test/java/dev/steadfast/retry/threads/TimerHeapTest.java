package dev.steadfast.retry.threads;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The heap of timers. Its times wrap around in every test. */
class TimerHeapTest {
  private static final long START = Long.MAX_VALUE - 500;

  private final TimerHeap<Long> heap = new TimerHeap<>();
  private final List<Long> taken = new ArrayList<>();

  /** Each timer is its own time after the start. */
  private void add(long after) {
    heap.add(START + after, after);
  }

  private List<Long> takeDue(long after) {
    taken.clear();
    heap.removeDue(START + after, taken::add);
    return taken;
  }

  @Test
  void timersLeaveWhenTheyAreDue_inTheirOrder() {
    LongStream.of(900, 3, 700, 500, 501, 4, 4).forEach(this::add);
    assertEquals(START + 3, heap.firstDueNanos());
    assertEquals(List.of(), takeDue(2));
    assertEquals(List.of(3L), takeDue(3));
    assertEquals(List.of(4L, 4L, 500L, 501L), takeDue(501));
    assertEquals(List.of(700L, 900L), takeDue(10_000));
    assertTrue(heap.isEmpty());
  }

  @Test
  void whoIsNotTakenStays() {
    long last = 999;
    LongStream.rangeClosed(0, last).forEach(this::add);
    heap.removeDue(START + last, timer -> timer < 10);
    assertEquals(990, heap.size());
    assertEquals(START + 10, heap.firstDueNanos());
    // In one pass, too.
    Set<Long> some = new HashSet<>();
    heap.removeDue(START + last, timer -> (timer % 2 == 0 || timer < 200) && some.add(timer));
    takeDue(last).forEach(timer -> assertTrue(some.add(timer), () -> timer + " twice"));
    assertEquals(990, some.size());
  }

  @Test
  void whoIsRemovedIsGone_andTheOrderHolds() {
    new SplittableRandom(1).longs(5_000, 0, 1_000).forEach(this::add);
    heap.removeIf(timer -> timer % 10 != 0);
    List<Long> left = new ArrayList<>();
    while (!heap.isEmpty()) {
      assertTrue(left.addAll(takeDue(heap.firstDueNanos() - START)));
    }
    assertEquals(left.stream().sorted().toList(), left);
    assertTrue(left.stream().allMatch(timer -> timer % 10 == 0));
    assertTrue(left.size() > 400);
  }

  @Test
  void manyThatAreDueAtOnce_leaveInOnePass() {
    new SplittableRandom(2).longs(100_000, 0, 2_000).forEach(this::add);
    long due = takeDue(999).size();
    assertTrue(taken.stream().allMatch(timer -> timer <= 999));
    assertEquals(100_000, due + heap.size());
    assertTrue(heap.firstDueNanos() - START >= 1_000);
    assertEquals(heap.size(), takeDue(2_000).size());
  }

  @Test
  void behavesAsASortedQueue() {
    SplittableRandom random = new SplittableRandom(3);
    for (int round = 0; round < 200; round++) {
      PriorityQueue<Long> model = new PriorityQueue<>();
      long now = 0;
      for (int step = 0; step < 50; step++) {
        long from = now;
        IntStream.range(0, random.nextInt(20))
            .forEach(each -> {
              long timer = from + random.nextInt(100);
              add(timer);
              model.add(timer);
            });
        now += random.nextInt(60);
        List<Long> due = new ArrayList<>();
        while (!model.isEmpty() && model.peek() <= now) {
          due.add(model.remove());
        }
        List<Long> left = takeDue(now);
        left.sort(Comparator.naturalOrder());
        assertEquals(due, left);
        long modulus = random.nextInt(2, 10);
        heap.removeIf(timer -> timer % modulus == 0);
        model.removeIf(timer -> timer % modulus == 0);
        assertEquals(model.size(), heap.size());
      }
      takeDue(now + 100);
    }
  }
}
