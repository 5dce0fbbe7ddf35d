package dev.steadfast.retry.threads;

import dev.steadfast.retry.RetryScheduler;
import dev.steadfast.retry.internal.Checks;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The library's own threads: one that waits for what is due and settles what ends within the
 * library, and others that go on from there and may be held by code of the user's. All are daemons,
 * shared by everything of one class loader. They start when they are needed and end after 10
 * seconds without work, so there is nothing to close. Nothing depends on the common pool or on the
 * timer of {@link java.util.concurrent.CompletableFuture}.
 *
 * <p>If the process can make no thread for a while, tasks wait until it can. {@link #schedule}
 * throws only if there is no thread of the library's at all.
 */
public final class TimerScheduler implements RetryScheduler {
  // Why it is like this: docs/decisions/threads-and-timers.md
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry");

  private static final TimerThread TIMERS =
      new TimerThread(
          WorkerThread::startDaemon,
          TimeUnit.SECONDS.toNanos(10),
          Math.max(4, Runtime.getRuntime().availableProcessors()));

  private static final TimerScheduler SYSTEM = new TimerScheduler(TIMERS, null);

  private final TimerThread timers;
  private final @Nullable Executor executor; // null: tasks run on the pool
  private final TimerScheduler withoutExecutor;

  TimerScheduler(TimerThread timers, @Nullable Executor executor) {
    this.timers = timers;
    this.executor = executor;
    this.withoutExecutor = executor == null ? this : new TimerScheduler(timers, null);
  }

  /** {@return the shared default scheduler} */
  public static TimerScheduler system() {
    return SYSTEM;
  }

  /**
   * As {@link #system}, with tasks handed to an executor of the caller's. A task that the executor
   * does not take runs on a thread of the library's, whatever the executor throws.
   *
   * @param executor runs the tasks; user code such as listeners runs there
   * @return a scheduler
   */
  public static TimerScheduler on(Executor executor) {
    Checks.notNull("executor", executor);
    return new TimerScheduler(TIMERS, executor);
  }

  @Override
  public Task schedule(long delayNanos, Runnable task) {
    Executor to = executor;
    return timers.schedule(delayNanos, to == null ? task : new HandOver(to, task));
  }

  /**
   * Settles something within the library after a delay, on the thread of the timers: no task that
   * blocks can make it late.
   *
   * @param delayNanos nanoseconds; zero or less for at once
   * @param task short; it never blocks and calls no code of the user's. If it throws an {@link
   *     OutOfMemoryError}, it is run again a little later
   * @return a handle that cancels the task
   * @throws RejectedExecutionException if no thread of the library's can be started
   */
  public Task settle(long delayNanos, Runnable task) {
    return timers.settle(delayNanos, task);
  }

  /**
   * Ends something on the wire, which may call code of the user's and block: on a thread for just
   * that if the calling thread is that of the timers, else on the calling thread. Adapters use it.
   *
   * @param stop what to run
   */
  public void cancelOnWire(Runnable stop) {
    if (WorkerThread.isSettling()) {
      timers.pools().cancellers().execute(stop);
    } else {
      stop.run();
    }
  }

  /** The same threads, without the executor. */
  public TimerScheduler onOwnThreads() {
    return withoutExecutor;
  }

  /** Goes on with an operation on a thread of the pool. */
  public void goOn(Runnable task) {
    timers.pools().workers().execute(task);
  }

  /** Runs a task that holds its thread for as long as a call takes. */
  public TimedTask send(Runnable task) {
    return timers.pools().senders().execute(task);
  }

  /** Runs a task on an executor of the user's, or, if that does not take it, on the pool. */
  private static final class HandOver implements Runnable {
    private final Executor executor;
    private final AtomicReference<@Nullable Runnable> task;

    HandOver(Executor executor, Runnable task) {
      this.executor = executor;
      this.task = new AtomicReference<>(task);
    }

    @Override
    public void run() {
      try {
        executor.execute(this::runTask);
      } catch (Throwable refused) {
        LOG.debug("an executor took no task; it runs on a thread of the library", refused);
        runTask();
      }
    }

    // Once: the executor may have run the task before it threw.
    private void runTask() {
      Runnable once = task.getAndSet(null);
      if (once != null) {
        WorkerThread.runLogged(once);
      }
    }
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

  /** Has a pool of fork-join workers lend another thread for the time of the wait. */
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
