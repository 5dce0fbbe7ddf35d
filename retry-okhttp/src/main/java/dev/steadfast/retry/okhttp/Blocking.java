package dev.steadfast.retry.okhttp;

import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.RejectedExecutionException;

/**
 * Work that blocks its thread. A pool of fork-join workers is told, so that it lends another:
 * attempts must not keep it from the application's own tasks.
 */
final class Blocking implements ForkJoinPool.ManagedBlocker {
  private final Runnable work;
  private boolean begun;

  private Blocking(Runnable work) {
    this.work = work;
  }

  /** Does the work on the calling thread, once. */
  static void run(Runnable work) {
    if (!(Thread.currentThread() instanceof ForkJoinWorkerThread)) {
      work.run();
      return;
    }
    Blocking blocking = new Blocking(work);
    try {
      ForkJoinPool.managedBlock(blocking);
    } catch (RejectedExecutionException | InterruptedException noneToLend) {
      blocking.block(); // all the same
    }
  }

  @Override
  public boolean block() {
    if (!begun) {
      begun = true;
      work.run();
    }
    return true;
  }

  @Override
  public boolean isReleasable() {
    return begun;
  }
}
