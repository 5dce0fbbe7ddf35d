package dev.steadfast.retry.testkit;

import dev.steadfast.retry.DelayReason;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.RetryScheduler;
import dev.steadfast.retry.internal.Checks;
import dev.steadfast.retry.threads.TimerScheduler;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Time that stands still until a test moves it: ticker, wall clock and scheduler in one object.
 * Safe for use by many threads.
 *
 * <pre>{@code
 * FakeTime time = new FakeTime();
 * HttpRetry retry = HttpRetry.builder().environment(time.environment()).build();
 * // ... a call is under way and waits for its retry
 * time.awaitPending(1);
 * time.advance(Duration.ofSeconds(2));
 * }</pre>
 *
 * <p>Waits between attempts take no real time at all with {@link #skipWaits()} among the listeners:
 * the clock jumps by each wait, and only by that, so that timeouts of attempts stay where they are.
 *
 * <p>A delay counts from the time that its thread has last read through {@link #environment()}. So
 * a wait that was computed before the time was moved, and begins after it, ends when it should.
 */
public final class FakeTime implements RetryScheduler {
  private static final Instant START = Instant.parse("2014-06-06T12:30:00Z");

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final PriorityQueue<Pending> pending =
      new PriorityQueue<>(
          Comparator.comparingLong((Pending each) -> each.dueNanos)
              .thenComparingLong(each -> each.order));
  private final List<Skipped> skipped = new ArrayList<>();
  private final ThreadLocal<@Nullable Long> lastRead = new ThreadLocal<>();
  private long nowNanos;
  private long scheduled;

  /** Starts at an arbitrary origin; {@link #instant()} is 2014-06-06T12:30:00Z. */
  public FakeTime() {}

  /**
   * An environment with this time and jitter that always draws the lowest value.
   *
   * @return an environment
   */
  public RetryEnvironment environment() {
    return environment(() -> 0);
  }

  /**
   * An environment with this time.
   *
   * @param random draws the jitter
   * @return an environment
   */
  public RetryEnvironment environment(LongSupplier random) {
    return new RetryEnvironment(this::read, this::instant, random, this);
  }

  private long read() {
    long now = nanos();
    lastRead.set(now);
    return now;
  }

  /**
   * The monotonic time.
   *
   * @return nanoseconds since the start
   */
  public long nanos() {
    lock.lock();
    try {
      return nowNanos;
    } finally {
      lock.unlock();
    }
  }

  /**
   * The wall time.
   *
   * @return the start plus what has been advanced
   */
  public Instant instant() {
    return START.plusNanos(nanos());
  }

  /**
   * How many tasks and sleeping threads wait for their time.
   *
   * @return the number
   */
  public int pending() {
    lock.lock();
    try {
      return pending.size();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Moves the time. Tasks that become due run on the calling thread, in the order of their times,
   * each at its own time. It ends 292 years after the start.
   *
   * @param duration zero or more
   * @throws IllegalArgumentException if the duration is negative
   */
  public void advance(Duration duration) {
    Checks.notNegative("duration", duration);
    long now = nanos();
    boolean beyond = duration.compareTo(Duration.ofNanos(Long.MAX_VALUE - now)) > 0;
    long target = beyond ? Long.MAX_VALUE : now + duration.toNanos();
    for (Pending due = nextDue(target); due != null; due = nextDue(target)) {
      lastRead.remove(); // this thread knows that the time has moved
      due.task.run();
    }
    lastRead.remove();
  }

  private @Nullable Pending nextDue(long target) {
    lock.lock();
    try {
      Pending first = pending.peek();
      boolean due = first != null && first.dueNanos <= target;
      nowNanos = Math.max(nowNanos, due ? first.dueNanos : target);
      if (due) {
        pending.poll();
      }
      changed.signalAll();
      return due ? first : null;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Blocks until at least the given number of tasks and sleeping threads wait.
   *
   * @param count the number
   * @throws AssertionError if that does not happen within ten real seconds
   * @throws InterruptedException if the thread is interrupted
   */
  public void awaitPending(int count) throws InterruptedException {
    await(() -> pending.size() >= count, "at least " + count);
  }

  /**
   * Blocks until no task and no sleeping thread waits any more: the timers of an operation that has
   * ended are cancelled, perhaps a moment later on another thread.
   *
   * @throws AssertionError if that does not happen within ten real seconds
   * @throws InterruptedException if the thread is interrupted
   */
  public void awaitIdle() throws InterruptedException {
    await(pending::isEmpty, "none");
  }

  private void await(BooleanSupplier reached, String expected) throws InterruptedException {
    lock.lock();
    try {
      long left = TimeUnit.SECONDS.toNanos(10);
      while (!reached.getAsBoolean()) {
        if (left <= 0) {
          throw new AssertionError(
              "pending: " + pending.size() + " (expected: " + expected + " within 10 s)");
        }
        left = changed.awaitNanos(left);
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * A listener that makes every wait between attempts end at once, by moving the time by the wait.
   *
   * @return a listener for the client under test
   */
  public RetryListener skipWaits() {
    return new RetryListener() {
      @Override
      public void waiting(OperationInfo operation, Duration delay, DelayReason why) {
        if (delay.isZero()) {
          return; // nothing is scheduled for it
        }
        lock.lock();
        try {
          skipped.add(new Skipped(operation, delay.toNanos()));
        } finally {
          lock.unlock();
        }
      }

      // The wait may never have begun. A later one of the same length must not be skipped for it.
      @Override
      public void ended(OperationInfo operation, RetryReport report) {
        lock.lock();
        try {
          skipped.removeIf(each -> each.operation.equals(operation));
        } finally {
          lock.unlock();
        }
      }
    };
  }

  private boolean skips(long nanos) {
    lock.lock();
    try {
      for (int i = 0; i < skipped.size(); i++) {
        if (skipped.get(i).nanos == nanos) {
          skipped.remove(i);
          return true;
        }
      }
      return false;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean isVirtual() {
    return true;
  }

  @Override
  public Task schedule(long delayNanos, Runnable task) {
    if (skips(delayNanos)) {
      advance(Duration.ofNanos(delayNanos));
      return runElsewhere(task);
    }
    Pending added = add(delayNanos, task);
    return added == null ? runElsewhere(task) : () -> remove(added);
  }

  private Task runElsewhere(Runnable task) {
    AtomicBoolean open = new AtomicBoolean(true);
    execute(() -> {
      if (open.getAndSet(false)) {
        task.run();
      }
    });
    return () -> open.set(false);
  }

  /** Runs the task on another thread, at once in real time. */
  @Override
  public void execute(Runnable task) {
    TimerScheduler.system().execute(task);
  }

  @Override
  public boolean await(CountDownLatch wake, long nanos) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException(); // as a real wait does, however short
    }
    if (nanos <= 0) {
      return wake.await(0, TimeUnit.NANOSECONDS); // already over, the time need not move
    }
    if (skips(nanos)) {
      advance(Duration.ofNanos(nanos));
      return wake.getCount() == 0;
    }
    CountDownLatch due = new CountDownLatch(1);
    Pending sleeping = add(nanos, due::countDown);
    if (sleeping == null) {
      return wake.getCount() == 0;
    }
    try {
      // Two latches cannot be awaited together; the real millisecond costs no virtual time.
      while (due.getCount() > 0) {
        if (wake.await(1, TimeUnit.MILLISECONDS)) {
          return true;
        }
      }
      return false;
    } finally {
      remove(sleeping);
    }
  }

  /** Returns null if the time was moved to the end of the delay or beyond after it was computed. */
  private @Nullable Pending add(long delayNanos, Runnable task) {
    Long read = lastRead.get();
    lock.lock();
    try {
      long from = read == null ? nowNanos : read;
      long sum = from + delayNanos;
      long due = sum < from ? Long.MAX_VALUE : sum;
      if (from < nowNanos && due <= nowNanos) {
        return null;
      }
      Pending added = new Pending(due, scheduled++, task);
      pending.add(added);
      changed.signalAll();
      return added;
    } finally {
      lock.unlock();
    }
  }

  private void remove(Pending one) {
    lock.lock();
    try {
      pending.remove(one);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * A wait that is to end at once.
   *
   * @param operation whose wait it is
   * @param nanos its length
   */
  private record Skipped(OperationInfo operation, long nanos) {}

  // Compared by identity: two tasks may be due at the same time.
  private static final class Pending {
    private final long dueNanos;
    private final long order;
    private final Runnable task;

    Pending(long dueNanos, long order, Runnable task) {
      this.dueNanos = dueNanos;
      this.order = order;
      this.task = task;
    }
  }
}
