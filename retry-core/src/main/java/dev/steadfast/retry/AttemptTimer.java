package dev.steadfast.retry;

import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * Ends an attempt when its time is up. One timer serves all phases of the attempt: where the time
 * of a phase grows, the timer comes early, looks, and is set again. Safe for use by many threads.
 */
final class AttemptTimer implements Runnable {
  private static final AtomicReferenceFieldUpdater<AttemptTimer, RetryScheduler.@Nullable Task>
      TASK =
          AtomicReferenceFieldUpdater.newUpdater(
              AttemptTimer.class, RetryScheduler.Task.class, "task");

  private final Attempt<?> attempt;
  private volatile RetryScheduler.@Nullable Task task; // null: not set
  private volatile long dueNanos; // of the task
  private volatile boolean stopped;

  AttemptTimer(Attempt<?> attempt) {
    this.attempt = attempt;
  }

  /**
   * Sets the timer, unless it is set and comes early enough.
   *
   * @param nowNanos the time
   * @param leftNanos the time that the attempt has left; {@link Long#MAX_VALUE} for no bound
   * @throws java.util.concurrent.RejectedExecutionException if the scheduler takes no task
   */
  void set(long nowNanos, long leftNanos) {
    RetryScheduler.Task running = task;
    if (leftNanos == Long.MAX_VALUE) {
      take(running);
      return;
    }
    long due = nowNanos + leftNanos;
    boolean early = running != null && dueNanos - due <= 0 && dueNanos - nowNanos > 0;
    if (early || stopped) {
      return;
    }
    RetryScheduler.Task next = attempt.operation().scheduler().schedule(leftNanos, this);
    if (!TASK.compareAndSet(this, running, next)) {
      next.cancel(); // another thread has set it just now
      return;
    }
    dueNanos = due;
    if (running != null) {
      running.cancel();
    }
    if (stopped) {
      stop();
    }
  }

  void stop() {
    stopped = true;
    take(task);
  }

  private void take(RetryScheduler.@Nullable Task set) {
    if (set != null && TASK.compareAndSet(this, set, null)) {
      set.cancel();
    }
  }

  @Override
  public void run() {
    take(task); // the one that runs, or one that was set just now: what follows sets it again
    if (!stopped) {
      attempt.lookAtTime();
    }
  }
}
