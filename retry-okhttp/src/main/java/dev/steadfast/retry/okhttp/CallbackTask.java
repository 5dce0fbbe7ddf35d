package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.RetryScheduler;
import dev.steadfast.retry.threads.TimerScheduler;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A callback that runs once: on an executor of the user's, or elsewhere if that does not take it.
 */
final class CallbackTask implements Runnable, OnDispatcher {
  // An executor that blocks the calling thread for longer counts as one that did not take the task.
  private static final long PATIENCE_NANOS = 1_000_000_000;

  private final Runnable callback;
  private final AtomicBoolean claimed = new AtomicBoolean();
  private volatile RetryScheduler.@Nullable Task late;
  private volatile @Nullable Thread thread;

  CallbackTask(Runnable callback) {
    this.callback = callback;
  }

  /**
   * Has the executor run the callback. If the executor throws anything, the calling thread runs it;
   * if the executor blocks, a thread of the library does.
   */
  void start(Executor executor) {
    // The library's own scheduler, because an executor blocks in real time, also in tests whose
    // operations run in virtual time.
    start(executor, TimerScheduler.system());
  }

  void start(Executor executor, RetryScheduler patience) {
    try {
      late = patience.schedule(PATIENCE_NANOS, this);
    } catch (RejectedExecutionException noTimer) {
      // A call without a timer waits for the executor without a bound.
    }
    try {
      executor.execute(this);
      stopWaiting(); // it was taken, and runs when the executor has a thread
    } catch (Throwable notTaken) {
      if (!claim()) {
        throw notTaken; // it was taken: the callback threw this
      }
      callback.run(); // a callback must come, so on this thread
    }
  }

  @Override
  public boolean isHere() {
    return Thread.currentThread().equals(thread);
  }

  private boolean claim() {
    if (!claimed.compareAndSet(false, true)) {
      return false;
    }
    stopWaiting();
    return true;
  }

  private void stopWaiting() {
    RetryScheduler.Task timer = late;
    if (timer != null) {
      timer.cancel();
    }
  }

  @Override
  public void run() {
    if (!claim()) {
      return;
    }
    thread = Thread.currentThread();
    try {
      callback.run();
    } finally {
      thread = null;
    }
  }
}
