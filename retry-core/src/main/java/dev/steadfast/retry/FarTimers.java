package dev.steadfast.retry;

import java.util.Iterator;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps timers that are far from due away from the delayer: scheduling there wakes its thread,
 * which costs more than all else about a call that is answered at once. They wait in a list that is
 * looked through now and then, and are scheduled exactly when they come near. One that is cancelled
 * lets go of its task at once. Safe for use by many threads.
 */
final class FarTimers {
  /** What is due within this time is not far, in nanoseconds. */
  static final long NEAR_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** How often the list is looked through: twice before anything in it could be late. */
  static final long TICK_NANOS = NEAR_NANOS / 2;

  /** Schedules exactly. */
  @FunctionalInterface
  interface Exact {
    RetryScheduler.Task schedule(long delayNanos, Runnable task);
  }

  private final LongSupplier ticker;
  private final Exact exact;
  private final Exact ticks;
  private final Queue<Far> far = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean ticking = new AtomicBoolean();

  /**
   * No timers yet.
   *
   * @param ticker monotonic nanoseconds
   * @param exact where timers go that come near
   * @param ticks where the looking goes on
   */
  FarTimers(LongSupplier ticker, Exact exact, Exact ticks) {
    this.ticker = ticker;
    this.exact = exact;
    this.ticks = ticks;
  }

  RetryScheduler.Task schedule(long delayNanos, Runnable task) {
    Far timer = new Far(ticker.getAsLong() + delayNanos, task);
    far.add(timer);
    if (!ticking.get()) {
      startTicking();
    }
    return timer;
  }

  private void startTicking() {
    if (ticking.compareAndSet(false, true)) {
      ticks.schedule(TICK_NANOS, this::tick);
    }
  }

  private void tick() {
    long now = ticker.getAsLong();
    try {
      for (Iterator<Far> each = far.iterator(); each.hasNext(); ) {
        if (each.next().leaves(now)) {
          each.remove();
        }
      }
    } finally {
      ticking.set(false);
      if (!far.isEmpty()) {
        startTicking(); // also where one was added after the look and before the mark
      }
    }
  }

  int size() {
    return far.size();
  }

  boolean ticking() {
    return ticking.get();
  }

  /** The handle of a timer that is scheduled exactly. */
  private record Near(RetryScheduler.Task task) {}

  private final class Far implements RetryScheduler.Task {
    private final long dueNanos;
    // The task while it is far, then Near; null once it is cancelled.
    private final AtomicReference<@Nullable Object> what;

    Far(long dueNanos, Runnable task) {
      this.dueNanos = dueNanos;
      this.what = new AtomicReference<>(task);
    }

    /** Whether it is cancelled, or near and on its way. */
    boolean leaves(long nowNanos) {
      Object task = what.get();
      if (task == null) {
        return true;
      }
      long left = dueNanos - nowNanos;
      if (left > NEAR_NANOS) {
        return false;
      }
      Near near = new Near(exact.schedule(Math.max(0, left), (Runnable) task));
      if (!what.compareAndSet(task, near)) {
        near.task().cancel(); // cancelled in between
      }
      return true;
    }

    @Override
    public void cancel() {
      if (what.getAndSet(null) instanceof Near near) {
        near.task().cancel();
      }
    }
  }
}
