package dev.steadfast.retry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
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

  /** A timer of the storm below: due once, and not once it was taken back. */
  private static final class Shot implements Runnable {
    private static final int WAITING = 0;
    private static final int DUE = 1;
    private static final int TAKEN_BACK = 2;

    private final AtomicInteger state = new AtomicInteger();
    private final AtomicInteger handed = new AtomicInteger();
    private volatile boolean cancelled;
    private volatile boolean tooLate; // it was due when it was cancelled

    /** What the delayer does when the time has come. */
    @Override
    public void run() {
      state.compareAndSet(WAITING, DUE);
    }

    void takenBackThere() {
      state.compareAndSet(WAITING, TAKEN_BACK);
    }

    void cancel(RetryScheduler.Task task) {
      task.cancel();
      tooLate = state.get() == DUE;
      cancelled = true;
    }

    void check() {
      assertTrue(handed.get() <= 1, "handed over twice");
      assertEquals(!cancelled || tooLate, state.get() == DUE, "cancelled: " + cancelled);
    }
  }

  /** Threads add, take back and look, all in turns: each timer runs once, or was taken back. */
  @Test
  void nothingIsLostOrDoubled() throws Exception {
    int threads = 4;
    int rounds = 20_000;
    int kept = 64; // of the latest timers of a thread
    AtomicLong time = new AtomicLong();
    Queue<Runnable> ticks = new ConcurrentLinkedQueue<>();
    AtomicInteger mostTicks = new AtomicInteger();
    ThreadLocal<Queue<Shot>> near = ThreadLocal.withInitial(ArrayDeque::new); // of who looks
    FarTimers shared =
        new FarTimers(
            time::get,
            (delay, task) -> {
              Shot shot = (Shot) task;
              shot.handed.incrementAndGet();
              near.get().add(shot);
              return shot::takenBackThere;
            },
            (delay, tick) -> {
              ticks.add(tick);
              mostTicks.accumulateAndGet(ticks.size(), Math::max);
              return () -> {};
            });
    Runnable look =
        () -> {
          Runnable tick = ticks.poll();
          if (tick != null) {
            time.addAndGet(TICK);
            tick.run();
            near.get().forEach(Shot::run);
            near.get().clear();
          }
        };
    CyclicBarrier start = new CyclicBarrier(threads);
    Callable<List<Shot>> storm =
        () -> {
          SplittableRandom random = new SplittableRandom(1);
          List<Shot> shots = new ArrayList<>();
          RetryScheduler.Task[] tasks = new RetryScheduler.Task[kept];
          start.await();
          for (int i = 0; i < rounds; i++) {
            Shot shot = new Shot();
            shots.add(shot);
            tasks[i % kept] = shared.schedule(NEAR + 1 + i % 9 * TICK, shot);
            if (i % 3 == 0) {
              int other = i - random.nextInt(Math.min(i + 1, kept)); // long ago, or just now
              shots.get(other).cancel(tasks[other % kept]);
            }
            if (i % 16 == 0) {
              look.run();
            }
          }
          return shots;
        };
    List<Shot> all = new ArrayList<>();
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      for (Future<List<Shot>> each : pool.invokeAll(Collections.nCopies(threads, storm))) {
        all.addAll(each.get());
      }
    } finally {
      pool.shutdownNow();
    }
    while (shared.size() > 0 && !ticks.isEmpty()) {
      look.run();
    }
    all.forEach(Shot::check);
    assertEquals(1, mostTicks.get(), "one look at a time");
    assertTrue(shared.ticking() == !ticks.isEmpty());
  }
}
