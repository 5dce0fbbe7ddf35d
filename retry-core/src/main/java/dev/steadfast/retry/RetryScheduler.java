package dev.steadfast.retry;

import dev.steadfast.retry.internal.Checks;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;

/**
 * Runs tasks later and lets threads wait. Implementations are safe for use by many threads.
 *
 * <p>The contract that the library relies on: a task never runs on a thread whose delay would delay
 * other timers, because tasks may call user code.
 */
public interface RetryScheduler {

  /**
   * Runs a task once, after a delay.
   *
   * @param delayNanos nanoseconds, zero or more
   * @param task what to run
   * @return a handle that takes the task back
   * @throws java.util.concurrent.RejectedExecutionException if no task is accepted any more; the
   *     operation then ends with that exception
   */
  Task schedule(long delayNanos, Runnable task);

  /**
   * Runs a task as soon as a thread is free, never on the calling thread. What follows a
   * cancellation runs here, so that callbacks never run on the canceller's thread. A scheduler of
   * virtual time may run the task at once.
   *
   * @param task what to run
   */
  default void execute(Runnable task) {
    schedule(0, task);
  }

  /**
   * Blocks the calling thread for a time, or until it is woken.
   *
   * @param wake counted down to end the wait early
   * @param nanos nanoseconds, zero or more
   * @return true if {@code wake} ended the wait
   * @throws InterruptedException if the thread is interrupted
   */
  boolean await(CountDownLatch wake, long nanos) throws InterruptedException;

  /** A scheduled task that can be taken back. */
  interface Task {
    /** Takes the task back; without effect once it ran. Frees what the timer holds at once. */
    void cancel();
  }

  /**
   * The JDK's own shared timer, which hands each task to the JDK's default asynchronous executor:
   * the library starts no thread and needs no {@code close}. An application that blocks all threads
   * of that executor, the common pool, holds up timeouts with them; for it there is {@link #on}.
   *
   * @return the default scheduler
   */
  static RetryScheduler system() {
    return SystemScheduler.DEFAULT;
  }

  /**
   * The JDK's shared timer, with tasks handed to an executor of the caller's.
   *
   * @param executor runs the tasks; user code such as listeners runs there
   * @return a scheduler
   */
  static RetryScheduler on(Executor executor) {
    return new SystemScheduler(Checks.notNull("executor", executor));
  }
}
