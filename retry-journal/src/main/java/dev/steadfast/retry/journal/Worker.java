package dev.steadfast.retry.journal;

import dev.steadfast.retry.operations.OperationJournal.Refusal;
import dev.steadfast.retry.operations.OperationJournal.RefusedException;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Runs blocking tasks on the journal's executor, while the calling thread waits for them. */
final class Worker {
  private static final int THREADS = 8;

  private final Executor executor;

  Worker(Executor executor) {
    this.executor = executor;
  }

  /**
   * Daemon threads that end when they have nothing to do. They inherit nothing: a transaction
   * manager may keep the transaction of the thread that makes them in an inheritable variable.
   */
  static Executor threads() {
    ThreadPoolExecutor threads =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread thread = new Thread(null, task, "steadfast-journal", 0, false);
              thread.setDaemon(true);
              return thread;
            });
    threads.allowCoreThreadTimeOut(true);
    return threads;
  }

  Executor executor() {
    return executor;
  }

  /** Waits to the end; an interrupt is kept for the caller. */
  <T extends @Nullable Object> T await(Callable<T> task) throws IOException {
    FutureTask<T> running = started(task);
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return result(running);
        } catch (InterruptedException whileWaiting) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Waits until the end or an interrupt. */
  <T extends @Nullable Object> T awaitInterruptibly(Callable<T> task)
      throws IOException, InterruptedException {
    return result(started(task));
  }

  private <T extends @Nullable Object> FutureTask<T> started(Callable<T> task)
      throws RefusedException {
    FutureTask<T> running = new FutureTask<>(task);
    try {
      executor.execute(running);
    } catch (RejectedExecutionException refused) {
      throw new RefusedException(
          Refusal.UNREACHABLE, "the executor of the journal takes no more tasks", refused);
    }
    return running;
  }

  private static <T extends @Nullable Object> T result(FutureTask<T> running)
      throws IOException, InterruptedException {
    try {
      return running.get();
    } catch (ExecutionException failed) {
      Throwable cause = failed.getCause();
      if (cause instanceof IOException lost) {
        throw lost;
      }
      if (cause instanceof RuntimeException broken) {
        throw broken;
      }
      if (cause instanceof Error error) {
        throw error;
      }
      throw new IOException("the journal failed", cause);
    }
  }
}
