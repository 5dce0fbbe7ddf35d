package dev.steadfast.retry;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** Timers on the delayer that {@link CompletableFuture} shares within the process. */
final class SystemScheduler implements RetryScheduler {
  static final SystemScheduler DEFAULT =
      new SystemScheduler(new CompletableFuture<Void>().defaultExecutor());

  private final Executor executor;
  private final FarTimers far;

  SystemScheduler(Executor executor) {
    this.executor = executor;
    this.far = new FarTimers(System::nanoTime, this::handOverAfter, SystemScheduler::lookAfter);
  }

  /**
   * Looks through a list, which may be long, on a thread other than the timer's; on that one only
   * if no other is free in time, as when an application blocks all of the common pool.
   */
  private static Task lookAfter(long nanos, Runnable look) {
    AtomicBoolean begun = new AtomicBoolean();
    Runnable once =
        () -> {
          if (begun.compareAndSet(false, true)) {
            look.run();
          }
        };
    return after(
        nanos,
        () -> {
          new CompletableFuture<Void>().defaultExecutor().execute(once);
          after(FarTimers.TICK_NANOS / 2, once);
        });
  }

  @Override
  public Task schedule(long delayNanos, Runnable task) {
    return delayNanos > FarTimers.NEAR_NANOS
        ? far.schedule(delayNanos, task)
        : handOverAfter(delayNanos, task);
  }

  private Task handOverAfter(long delayNanos, Runnable task) {
    return after(delayNanos, () -> handOver(task));
  }

  /** Runs something short on the timer's own thread. */
  private static Task after(long delayNanos, Runnable onTimer) {
    // completeOnTimeout, and not delayedExecutor: its timer leaves the queue when the future is
    // complete, so a fast answer does not leave a timer behind for the rest of its time.
    CompletableFuture<Boolean> due =
        new CompletableFuture<Boolean>()
            .completeOnTimeout(Boolean.TRUE, delayNanos, TimeUnit.NANOSECONDS);
    due.thenAccept(itIs -> {
      if (itIs) {
        onTimer.run();
      }
    });
    // Not cancel(): that makes two exceptions with their stack traces, for every timer taken back.
    return () -> due.complete(Boolean.FALSE);
  }

  // On the timer thread, so it does nothing but hand over.
  private void handOver(Runnable task) {
    try {
      executor.execute(task);
    } catch (RejectedExecutionException e) {
      // A task that nobody runs is an operation that never ends.
      Runnable end = task instanceof Rejectable rejectable ? () -> rejectable.rejected(e) : task;
      new CompletableFuture<Void>().defaultExecutor().execute(end);
    }
  }

  /** A task that wants to know that no executor took it. */
  interface Rejectable extends Runnable {
    void rejected(RejectedExecutionException reason);
  }

  @Override
  public boolean await(CountDownLatch wake, long nanos) throws InterruptedException {
    Wait wait = new Wait(wake, nanos);
    if (Thread.currentThread() instanceof ForkJoinWorkerThread) {
      try {
        ForkJoinPool.managedBlock(wait);
      } catch (RejectedExecutionException noneToLend) {
        wait.block();
      }
    } else {
      wait.block();
    }
    return wait.woken;
  }

  /** Has a pool of fork-join workers lend another: timers run in one, and must not wait for us. */
  private static final class Wait implements ForkJoinPool.ManagedBlocker {
    private final CountDownLatch wake;
    private final long nanos;
    private boolean over;
    private boolean woken;

    Wait(CountDownLatch wake, long nanos) {
      this.wake = wake;
      this.nanos = nanos;
    }

    @Override
    public boolean block() throws InterruptedException {
      woken = wake.await(nanos, TimeUnit.NANOSECONDS);
      over = true;
      return true;
    }

    @Override
    public boolean isReleasable() {
      return over;
    }
  }
}
