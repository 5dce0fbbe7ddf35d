package dev.steadfast.retry.engine;

import dev.steadfast.retry.RetryScheduler;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * A wait that holds no thread: ended by its time or by a cancellation, whichever claims it. Safe
 * for use by many threads.
 */
final class AsyncWait implements Runnable, UnderWay {
  private static final AtomicIntegerFieldUpdater<AsyncWait> OVER =
      AtomicIntegerFieldUpdater.newUpdater(AsyncWait.class, "over");

  private final Owner owner;
  private volatile int over; // 1 once it is
  private volatile RetryScheduler.@Nullable Task task;

  /** Who waits. */
  interface Owner {
    Operation<?> operation();

    void waitOver();

    void waitRejected(Throwable reason);
  }

  AsyncWait(Owner owner) {
    this.owner = owner;
  }

  void schedule(long nanos) {
    try {
      owner.operation().transport().waits();
      task = owner.operation().plan().environment().scheduler().schedule(nanos, this);
    } catch (Throwable reason) {
      rejected(reason);
    }
    if (over == 1) {
      stop();
    }
  }

  private void rejected(Throwable reason) {
    if (OVER.compareAndSet(this, 0, 1)) {
      owner.waitRejected(reason);
    }
  }

  @Override
  public void run() {
    if (over == 1) {
      return; // a late timer: the operation may be in another wait by now
    }
    long early;
    try {
      early = owner.operation().leftToWaitNanos();
    } catch (Throwable noTime) {
      rejected(noTime);
      return;
    }
    if (early > 0) {
      schedule(early); // some timers fire early; a server delay is a floor
    } else if (OVER.compareAndSet(this, 0, 1)) {
      owner.waitOver();
    }
  }

  @Override
  public void help() {
    boolean due;
    try {
      due = owner.operation().leftToWaitNanos() <= 0;
    } catch (Throwable noTime) {
      stop();
      rejected(noTime); // as in run(): the operation ends, and the helping thread gets that end
      return;
    }
    if (due && OVER.compareAndSet(this, 0, 1)) {
      stop();
      owner.waitOver();
    }
  }

  @Override
  public long remainingNanos() {
    return owner.operation().remainingNanos();
  }

  @Override
  public void cancel() {
    if (OVER.compareAndSet(this, 0, 1)) {
      stop();
      // The loop sees the cancellation first of all.
      Callbacks.afterCancel(owner.operation(), owner::waitOver);
    }
  }

  private void stop() {
    RetryScheduler.Task scheduled = task;
    if (scheduled != null) {
      AttemptTimer.cancel(scheduled);
    }
  }
}
