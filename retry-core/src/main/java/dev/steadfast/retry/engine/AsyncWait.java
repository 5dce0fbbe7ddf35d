package dev.steadfast.retry.engine;

import dev.steadfast.retry.RetryScheduler;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * A wait that holds no thread: ended by its time or by a cancellation, whichever comes first. Safe
 * for use by many threads.
 */
final class AsyncWait implements Runnable, CancellableStep {
  private static final AtomicIntegerFieldUpdater<AsyncWait> OVER =
      AtomicIntegerFieldUpdater.newUpdater(AsyncWait.class, "over");

  private final Driver<?> driver;
  private volatile int over; // 1 once it is
  private volatile RetryScheduler.@Nullable Task task;

  AsyncWait(Driver<?> driver) {
    this.driver = driver;
  }

  void schedule(long nanos) {
    try {
      driver.operation().transport().waits();
      task = driver.operation().plan().environment().scheduler().schedule(nanos, this);
    } catch (Throwable reason) {
      rejected(reason);
    }
    if (over == 1) {
      stop();
    }
  }

  private void rejected(Throwable reason) {
    if (OVER.compareAndSet(this, 0, 1)) {
      driver.waitRejected(reason);
    }
  }

  @Override
  public void run() {
    if (over == 1) {
      return; // a late timer: the operation may be in another wait by now
    }
    long early;
    try {
      early = driver.operation().leftToWaitNanos();
    } catch (Throwable noTime) {
      rejected(noTime);
      return;
    }
    if (early > 0) {
      schedule(early); // some timers fire early; a server delay is a floor
    } else if (OVER.compareAndSet(this, 0, 1)) {
      driver.waitOver();
    }
  }

  @Override
  public void help() {
    boolean due;
    try {
      due = driver.operation().leftToWaitNanos() <= 0;
    } catch (Throwable noTime) {
      stop();
      rejected(noTime); // as in run(): the operation ends, and the helping thread gets that end
      return;
    }
    if (due && OVER.compareAndSet(this, 0, 1)) {
      stop();
      driver.waitOver();
    }
  }

  @Override
  public long remainingNanos() {
    return driver.operation().remainingNanos();
  }

  @Override
  public void cancel() {
    if (OVER.compareAndSet(this, 0, 1)) {
      stop();
      // The loop checks for a cancellation before anything else.
      Callbacks.afterCancel(driver.operation(), driver::waitOver);
    }
  }

  private void stop() {
    RetryScheduler.Task scheduled = task;
    if (scheduled != null) {
      RecheckTimer.cancel(scheduled);
    }
  }
}
