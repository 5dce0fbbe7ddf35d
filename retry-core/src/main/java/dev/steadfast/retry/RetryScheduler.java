package dev.steadfast.retry;

import java.util.concurrent.CountDownLatch;

/**
 * Runs tasks later and lets threads wait. Implementations are safe for use by many threads.
 *
 * <p>A scheduler gets the tasks with which an operation continues: the next attempt after a wait,
 * and what follows a cancellation. Timers that end attempts and operations are the library's own,
 * so that no scheduler can make a deadline late; {@link #isVirtual} is the exception.
 *
 * <p>The library relies on two promises. A task never runs on the thread of the timers, because a
 * task may call user code that blocks, and other timers would then be late. And a task that was
 * accepted runs in the end.
 */
public interface RetryScheduler {

  /**
   * Runs a task once, after a delay.
   *
   * @param delayNanos nanoseconds, zero or more
   * @param task what to run
   * @return a handle that cancels the task
   * @throws java.util.concurrent.RejectedExecutionException if no task is accepted any more; the
   *     operation then ends with an exception that has this one as its cause
   */
  Task schedule(long delayNanos, Runnable task);

  /**
   * Runs a task as soon as possible, and not on the calling thread: what follows a cancellation
   * runs this way, so that callbacks never run on the canceller's thread. The default schedules it
   * with a delay of zero. A scheduler of virtual time may run it at once. A task that is not
   * accepted runs on a thread of the library's, or on the canceller's if there is none.
   *
   * @param task what to run
   * @throws java.util.concurrent.RejectedExecutionException if no task is accepted any more
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

  /**
   * {@return whether the time of this scheduler is virtual, as in tests; false by default} Then it
   * also gets the timers that end attempts and operations.
   */
  default boolean isVirtual() {
    return false;
  }

  /** A scheduled task that can be cancelled. */
  interface Task {
    /** Cancels the task; has no effect once it ran. Frees at once what the timer holds of it. */
    void cancel();
  }
}
