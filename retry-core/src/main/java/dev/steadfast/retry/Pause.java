package dev.steadfast.retry;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * A wait that holds no thread: ended by its time or by a cancellation, whichever claims it. Safe
 * for use by many threads.
 */
final class Pause implements SystemScheduler.Rejectable {
  private static final VarHandle OVER =
      Fields.atomic(MethodHandles.lookup(), "over", boolean.class);

  private final RetryLoop<?> loop;
  private final long dueNanos;
  private volatile boolean over;
  private volatile RetryScheduler.@Nullable Task task;

  Pause(RetryLoop<?> loop, long dueNanos) {
    this.loop = loop;
    this.dueNanos = dueNanos;
  }

  void schedule(long nanos) {
    try {
      task = loop.operation().scheduler().schedule(nanos, this);
    } catch (RejectedExecutionException rejected) {
      rejected(rejected);
    }
    if (over) {
      stop();
    }
  }

  @Override
  public void run() {
    long early = dueNanos - loop.operation().now();
    if (early > 0) {
      schedule(early); // some timers fire early; a hint is a floor
    } else if (OVER.compareAndSet(this, false, true)) {
      loop.pauseOver();
    }
  }

  @Override
  public void rejected(RejectedExecutionException reason) {
    if (OVER.compareAndSet(this, false, true)) {
      loop.pauseRejected(reason);
    }
  }

  void cancel() {
    if (OVER.compareAndSet(this, false, true)) {
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
