package dev.steadfast.retry.engine;

import dev.steadfast.retry.RetryScheduler;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes an attempt check its time limits, once. If a limit has moved since, the attempt sets
 * another timer. Safe for use by many threads.
 */
final class RecheckTimer implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry");

  private final Runnable attempt;
  private final long dueNanos;
  private volatile RetryScheduler.@Nullable Task task;
  private volatile boolean over; // it has run, or was stopped

  RecheckTimer(Runnable attempt, long dueNanos) {
    this.attempt = attempt;
    this.dueNanos = dueNanos;
  }

  /** Whether it will still run, and not after that time. */
  boolean comesBy(long nanos) {
    return !over && dueNanos - nanos <= 0;
  }

  /**
   * Starts it, unless it was stopped.
   *
   * @param operation whose attempt it is
   * @param nanos the time until it is due
   * @throws java.util.concurrent.RejectedExecutionException if there is no thread for timers
   */
  void start(Operation<?> operation, long nanos) {
    try {
      task = operation.plan().settle(nanos, this);
    } catch (Throwable notStarted) {
      over = true; // so that no other timer is left out for it
      throw notStarted;
    }
    if (over) {
      stop();
    }
  }

  /** Stops one, if there is one. */
  static void stopIfAny(@Nullable RecheckTimer running) {
    if (running != null) {
      running.stop();
    }
  }

  void stop() {
    over = true;
    RetryScheduler.Task scheduled = task;
    if (scheduled != null) {
      task = null;
      cancel(scheduled);
    }
  }

  /** Cancels a task. An exception of the scheduler is logged, and the operation goes on. */
  static void cancel(RetryScheduler.Task scheduled) {
    try {
      scheduled.cancel();
    } catch (Throwable broken) {
      LOG.warn("a scheduler did not take a task back; the operation goes on", broken);
    }
  }

  @Override
  public void run() {
    if (over) {
      return;
    }
    over = true; // first, as the attempt may set another one
    try {
      attempt.run();
    } catch (OutOfMemoryError full) {
      over = false; // it comes again
      throw full;
    }
  }
}
