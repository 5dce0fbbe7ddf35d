package dev.steadfast.retry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Far timers, in a time that the test moves. */
class FarTimersTest {
  private static final long NEAR = FarTimers.NEAR_NANOS;
  private static final long TICK = FarTimers.TICK_NANOS;

  private final PriorityQueue<Entry> exact = new PriorityQueue<>();
  private final List<String> handed = new ArrayList<>();
  private long now = Long.MAX_VALUE - 3 * NEAR; // wraps in every test
  private int entries;
  private Runnable whileScheduling = () -> {};
  private final FarTimers timers =
      new FarTimers(
          () -> now,
          (delay, task) -> {
            handed.add("" + delay);
            RetryScheduler.Task scheduled = enter(delay, task);
            whileScheduling.run();
            return scheduled;
          },
          this::enter);

  /** What is scheduled exactly: for a time after the start, so that it sorts. */
  private record Entry(long atNanos, int order, Runnable task, AtomicBoolean cancelled)
      implements Comparable<Entry> {
    @Override
    public int compareTo(Entry other) {
      int byTime = Long.compare(atNanos - other.atNanos, 0);
      return byTime != 0 ? byTime : Integer.compare(order, other.order);
    }
  }

  private RetryScheduler.Task enter(long delay, Runnable task) {
    Entry entry = new Entry(now + delay, entries++, task, new AtomicBoolean());
    exact.add(entry);
    return () -> entry.cancelled().set(true);
  }

  private void advance(long nanos) {
    long until = now + nanos;
    while (!exact.isEmpty() && exact.peek().atNanos() - until <= 0) {
      Entry due = exact.remove();
      now = due.atNanos();
      if (!due.cancelled().get()) {
        due.task().run();
      }
    }
    now = until;
  }

  @Test
  void runsAtItsTimeAndNotBefore() {
    AtomicInteger ran = new AtomicInteger();
    timers.schedule(10 * NEAR, ran::incrementAndGet);
    advance(10 * NEAR - 1);
    assertEquals(0, ran.get());
    advance(1);
    assertEquals(1, ran.get());
    assertEquals(0, timers.size());
  }

  @Test
  void asksTheDelayerOnceItIsNear() {
    timers.schedule(10 * NEAR, () -> {});
    advance(9 * NEAR - TICK);
    assertEquals(List.of(), handed);
    advance(TICK);
    assertEquals(List.of("" + NEAR), handed);
  }

  @Test
  void aCancelledOneNeverRuns_andIsForgotten() {
    AtomicInteger ran = new AtomicInteger();
    RetryScheduler.Task task = timers.schedule(10 * NEAR, ran::incrementAndGet);
    task.cancel();
    task.cancel();
    advance(TICK);
    assertEquals(0, timers.size());
    advance(20 * NEAR);
    assertEquals(0, ran.get());
    assertEquals(List.of(), handed);
  }

  @Test
  void oneThatIsNearIsCancelledThere() {
    AtomicInteger ran = new AtomicInteger();
    RetryScheduler.Task task = timers.schedule(2 * NEAR, ran::incrementAndGet);
    advance(NEAR + TICK);
    assertEquals(1, handed.size());
    task.cancel();
    advance(20 * NEAR);
    assertEquals(0, ran.get());
  }

  @Test
  void oneThatIsCancelledOnItsWayIsCancelledThere() {
    AtomicInteger ran = new AtomicInteger();
    RetryScheduler.Task task = timers.schedule(2 * NEAR, ran::incrementAndGet);
    whileScheduling = task::cancel;
    advance(20 * NEAR);
    assertEquals(1, handed.size());
    assertEquals(0, ran.get());
  }

  @Test
  void looksThroughTheListOnlyWhileThereIsOne() {
    assertFalse(timers.ticking());
    for (int round = 0; round < 3; round++) {
      timers.schedule(2 * NEAR, () -> {});
      timers.schedule(3 * NEAR, () -> {});
      assertTrue(timers.ticking());
      assertEquals(1, exact.size(), "one look is under way, whatever the number of timers");
      advance(4 * NEAR);
      assertFalse(timers.ticking());
      assertEquals(0, exact.size());
    }
  }

  @Test
  void aDelayerThatThrowsDoesNotStopTheLooking() {
    AtomicInteger ran = new AtomicInteger();
    AtomicBoolean thrown = new AtomicBoolean();
    timers.schedule(2 * NEAR, ran::incrementAndGet);
    whileScheduling =
        () -> {
          if (thrown.compareAndSet(false, true)) {
            throw new IllegalStateException("by the test");
          }
        };
    try {
      advance(2 * NEAR);
    } catch (IllegalStateException expected) {
      advance(2 * NEAR);
    }
    assertTrue(thrown.get());
    assertTrue(ran.get() >= 1);
    assertEquals(0, timers.size());
  }

  /** Also those that the look had not come to. */
  @Test
  void aDelayerThatTakesNothingForAMoment_getsThemAllLater() {
    AtomicInteger ran = new AtomicInteger();
    AtomicBoolean refuses = new AtomicBoolean(true);
    FarTimers moody =
        new FarTimers(
            () -> now,
            (delay, task) -> {
              if (refuses.getAndSet(false)) {
                throw new IllegalStateException("by the test");
              }
              return enter(delay, task);
            },
            this::enter);
    for (int i = 0; i < 3; i++) {
      moody.schedule(NEAR + TICK, ran::incrementAndGet);
    }
    assertEquals(3, moody.size());
    assertThrows(IllegalStateException.class, () -> advance(NEAR));
    assertEquals(3, moody.size());
    advance(NEAR);
    assertEquals(3, ran.get());
    assertEquals(0, moody.size());
  }

  @Test
  void anyDelayIsKept() {
    SplittableRandom random = new SplittableRandom(1);
    for (int round = 0; round < 2_000; round++) {
      long start = now;
      long delay = NEAR + 1 + random.nextLong(40 * NEAR);
      AtomicLong ranAfter = new AtomicLong(-1);
      timers.schedule(delay, () -> ranAfter.set(now - start));
      advance(random.nextLong(delay + 1));
      advance(delay - (now - start));
      assertEquals(delay, ranAfter.get());
    }
  }

  /** Threads add and take back, one looks: each timer runs once, or was taken back. */
  @Test
  void nothingIsLostOrDoubled() throws Exception {
    int threads = 4;
    int rounds = 20_000;
    AtomicLong time = new AtomicLong();
    AtomicInteger ran = new AtomicInteger();
    AtomicInteger doubled = new AtomicInteger();
    AtomicInteger takenBack = new AtomicInteger();
    List<Runnable> ticks = new ArrayList<>();
    FarTimers shared =
        new FarTimers(
            time::get,
            (delay, task) -> {
              task.run();
              return () -> {};
            },
            (delay, tick) -> {
              synchronized (ticks) {
                ticks.add(tick);
              }
              return () -> {};
            });
    CyclicBarrier start = new CyclicBarrier(threads + 1);
    AtomicInteger running = new AtomicInteger(threads);
    Callable<Void> adding =
        () -> {
          start.await();
          for (int i = 0; i < rounds; i++) {
            AtomicBoolean settled = new AtomicBoolean();
            AtomicInteger runs = new AtomicInteger();
            RetryScheduler.Task task =
                shared.schedule(
                    NEAR + 1 + i % 7,
                    () -> {
                      doubled.addAndGet(runs.getAndIncrement() == 0 ? 0 : 1);
                      ran.addAndGet(settled.compareAndSet(false, true) ? 1 : 0);
                    });
            if (i % 3 == 0) {
              task.cancel();
              takenBack.addAndGet(settled.compareAndSet(false, true) ? 1 : 0);
            }
          }
          running.decrementAndGet();
          return null;
        };
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Future<Void>> adders = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        adders.add(pool.submit(adding));
      }
      start.await();
      while (running.get() > 0 || shared.size() > 0) {
        time.addAndGet(TICK);
        Runnable tick = null;
        synchronized (ticks) {
          if (!ticks.isEmpty()) {
            assertEquals(1, ticks.size(), "one look at a time");
            tick = ticks.remove(0);
          }
        }
        if (tick != null) {
          tick.run();
        }
      }
      for (Future<Void> each : adders) {
        each.get();
      }
    } finally {
      pool.shutdownNow();
    }
    assertEquals(threads * rounds, ran.get() + takenBack.get());
    assertEquals(0, doubled.get());
    assertFalse(shared.ticking() && ticks.isEmpty());
  }
}
