package dev.steadfast.retry.engine;

/**
 * The driver of an operation, as its attempts and waits see it: the loop.
 *
 * @param <R> the response
 */
interface Driver<R> {
  Operation<R> operation();

  /** Whether the calling thread waits for the outcome. */
  boolean blocking();

  /** Restores the context of the thread that began the operation; the result undoes that. */
  Runnable restoreContext();

  /** Goes on after an attempt that ended after {@link RetryTransport#start} had returned. */
  void goOn(AttemptRun<R> attempt);

  /** Goes on after a wait. */
  void waitOver();

  /** A wait could not begin or end. */
  void waitRejected(Throwable reason);
}
