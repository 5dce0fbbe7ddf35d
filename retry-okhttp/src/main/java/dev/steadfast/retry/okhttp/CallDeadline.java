package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.RetryScheduler;
import org.jspecify.annotations.Nullable;

/**
 * Cancels an interceptor's call at the operation's deadline, while an attempt is under way. Safe
 * for use by many threads.
 */
final class CallDeadline implements Runnable {
  private final WireState wire;
  private final RetryScheduler scheduler;

  // Guarded by this.
  private RetryScheduler.@Nullable Task task;
  private boolean over; // the attempt, or the time

  CallDeadline(WireState wire, RetryScheduler scheduler) {
    this.wire = wire;
    this.scheduler = scheduler;
  }

  /** Sets the timer for what is left now, which is more than before once a body has been sent. */
  synchronized void set() {
    if (over) {
      return;
    }
    if (task != null) {
      task.cancel();
      task = null;
    }
    long left = wire.attempt().remainingNanos();
    if (left != Long.MAX_VALUE) {
      task = scheduler.schedule(left, this);
    }
  }

  @Override
  public void run() {
    if (wire.attempt().remainingNanos() > 0) {
      set();
    } else if (end()) {
      wire.endAtDeadline();
    }
  }

  /** The attempt is over. Returns false if its time was up before. */
  synchronized boolean end() {
    if (over) {
      return false;
    }
    over = true;
    if (task != null) {
      task.cancel();
    }
    return true;
  }
}
