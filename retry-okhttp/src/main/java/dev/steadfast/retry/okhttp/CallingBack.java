package dev.steadfast.retry.okhttp;

import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A callback that runs once: on the dispatcher's executor, or on whatever thread comes first. */
final class CallingBack implements Runnable {
  private final Runnable callback;
  private final AtomicBoolean claimed = new AtomicBoolean();
  private volatile @Nullable Thread thread;

  CallingBack(Runnable callback) {
    this.callback = callback;
  }

  /** Whether the calling thread is to run the callback. */
  boolean claim() {
    return claimed.compareAndSet(false, true);
  }

  /** Whether the calling thread is running the callback. */
  boolean isHere() {
    return Thread.currentThread().equals(thread);
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
