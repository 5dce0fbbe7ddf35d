package dev.steadfast.retry.examples;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;

/** Threads that never keep the demo from ending. */
final class DemoThreads {
  private DemoThreads() {}

  static ExecutorService cached(String name) {
    return Executors.newCachedThreadPool(daemons(name));
  }

  /** The threads of an application that makes blocking calls. */
  static ExecutorService callers() {
    return Executors.newFixedThreadPool(50, daemons("caller"));
  }

  /** Makes a blocking call on one of them. */
  static <T> CompletableFuture<T> call(Executor threads, Callable<T> work) {
    CompletableFuture<T> result = new CompletableFuture<>();
    threads.execute(() -> {
      try {
        result.complete(work.call());
      } catch (Exception failure) {
        result.completeExceptionally(failure);
      }
    });
    return result;
  }

  private static ThreadFactory daemons(String name) {
    return task -> {
      Thread thread = new Thread(task, name);
      thread.setDaemon(true);
      return thread;
    };
  }

  static void sleep(Duration duration) {
    try {
      Thread.sleep(duration.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  static void closeQuietly(AutoCloseable closeable) {
    try {
      closeable.close();
    } catch (Exception ignored) {
      // it is of no use any more
    }
  }
}
