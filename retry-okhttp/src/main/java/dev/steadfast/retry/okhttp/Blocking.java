package dev.steadfast.retry.okhttp;

import java.io.IOException;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Work that blocks its thread. A pool of fork-join workers is told, so that it lends another: what
 * ends an attempt in time runs in the common pool, which must not be full of attempts.
 */
final class Blocking implements ForkJoinPool.ManagedBlocker {
  @FunctionalInterface
  interface Work {
    void run() throws IOException;
  }

  private final Work work;
  private boolean over;
  private @Nullable Throwable thrown;

  private Blocking(Work work) {
    this.work = work;
  }

  /** Does the work on the calling thread. */
  static void run(Work work) throws IOException {
    if (!(Thread.currentThread() instanceof ForkJoinWorkerThread)) {
      work.run();
      return;
    }
    Blocking blocking = new Blocking(work);
    try {
      ForkJoinPool.managedBlock(blocking);
    } catch (RejectedExecutionException | InterruptedException noneToLend) {
      if (!blocking.over) {
        blocking.block(); // all the same
      }
    }
    blocking.end();
  }

  @Override
  public boolean block() {
    try {
      work.run();
    } catch (Throwable failure) {
      thrown = failure;
    }
    over = true;
    return true;
  }

  @Override
  public boolean isReleasable() {
    return over;
  }

  private void end() throws IOException {
    if (thrown instanceof IOException failure) {
      throw failure;
    }
    if (thrown instanceof RuntimeException failure) {
      throw failure;
    }
    if (thrown instanceof Error failure) {
      throw failure;
    }
    if (thrown != null) {
      throw new IOException(thrown); // OkHttp is Kotlin, and declares nothing
    }
  }
}
