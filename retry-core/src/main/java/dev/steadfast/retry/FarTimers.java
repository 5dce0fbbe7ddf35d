package dev.steadfast.retry;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
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
  private final AtomicReference<@Nullable Far> latest = new AtomicReference<>(); // of the list
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
    add(timer);
    if (!ticking.get()) {
      startTicking();
    }
    return timer;
  }

  private void add(Far timer) {
    Far before;
    do {
      before = latest.get();
      timer.before = before;
    } while (!latest.compareAndSet(before, timer));
  }

  private void startTicking() {
    if (ticking.compareAndSet(false, true)) {
      ticks.schedule(TICK_NANOS, this::tick);
    }
  }

  private void tick() {
    long now = ticker.getAsLong();
    Far each = latest.getAndSet(null); // what is added from now on makes a list of its own
    try {
      while (each != null) {
        Far before = each.before;
        boolean leaves = each.leaves(now);
        each.before = null; // whoever holds its handle holds no other timer
        if (!leaves) {
          add(each);
        }
        each = before;
      }
    } finally {
      while (each != null) { // the delayer threw: these are looked at again
        Far before = each.before;
        add(each);
        each = before;
      }
      ticking.set(false);
      if (latest.get() != null) {
        startTicking(); // also where one was added after the look and before the mark
      }
    }
  }

  int size() {
    int size = 0;
    for (Far each = latest.get(); each != null; each = each.before) {
      size++;
    }
    return size;
  }

  boolean ticking() {
    return ticking.get();
  }

  /** The handle of a timer that is scheduled exactly. */
  private record Near(RetryScheduler.Task task) {}

  private final class Far implements RetryScheduler.Task {
    private static final AtomicReferenceFieldUpdater<Far, @Nullable Object> WHAT =
        AtomicReferenceFieldUpdater.newUpdater(Far.class, Object.class, "what");

    private final long dueNanos;
    // The task while it is far, then Near; null once it is cancelled.
    private volatile @Nullable Object what;
    private @Nullable Far before; // in the list

    Far(long dueNanos, Runnable task) {
      this.dueNanos = dueNanos;
      this.what = task;
    }

    /** Whether it is cancelled, or near and on its way. */
    boolean leaves(long nowNanos) {
      Object task = what;
      if (task == null) {
        return true;
      }
      long left = dueNanos - nowNanos;
      if (left > NEAR_NANOS) {
        return false;
      }
      Near near = new Near(exact.schedule(Math.max(0, left), (Runnable) task));
      if (!WHAT.compareAndSet(this, task, near)) {
        near.task().cancel(); // cancelled in between
      }
      return true;
    }

    @Override
    public void cancel() {
      if (WHAT.getAndSet(this, null) instanceof Near near) {
        near.task().cancel();
      }
    }
  }
}
