package dev.steadfast.retry;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A wait that holds no thread: ended by its time or by a cancellation, whichever claims it. Safe
 * for use by many threads.
 */
final class Pause implements SystemScheduler.Rejectable {
  private final RetryLoop<?> loop;
  private final Operation<?> operation;
  private final long dueNanos;
  private final AtomicBoolean over = new AtomicBoolean();
  private volatile RetryScheduler.@Nullable Task task;

  Pause(RetryLoop<?> loop, Operation<?> operation, long dueNanos) {
    this.loop = loop;
    this.operation = operation;
    this.dueNanos = dueNanos;
  }

  void schedule(long nanos) {
    try {
      task = operation.scheduler().schedule(nanos, this);
    } catch (RejectedExecutionException rejected) {
      rejected(rejected);
    }
    if (over.get()) {
      stop();
    }
  }

  @Override
  public void run() {
    long early = dueNanos - operation.now();
    if (early > 0) {
      schedule(early); // some timers fire early; a hint is a floor
    } else if (over.compareAndSet(false, true)) {
      loop.pauseOver();
    }
  }

  @Override
  public void rejected(RejectedExecutionException reason) {
    if (over.compareAndSet(false, true)) {
      loop.pauseRejected(reason);
    }
  }

  void cancel() {
    if (over.compareAndSet(false, true)) {
      stop();
      loop.execute(loop::pauseOver); // sees the cancellation first of all
    }
  }

  private void stop() {
    RetryScheduler.Task scheduled = task;
    if (scheduled != null) {
      scheduled.cancel();
    }
  }
}
