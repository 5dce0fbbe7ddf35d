package dev.steadfast.retry.engine;

/**
 * What an attempt needs of the loop that made it.
 *
 * @param <R> the response
 */
interface AttemptOwner<R> {
  Operation<R> operation();

  /** Whether the calling thread waits for the outcome. */
  boolean blocking();

  /** Restores the context of the thread that began the operation; the result undoes that. */
  Runnable restoreContext();

  /** Goes on after an attempt that ended after {@link RetryTransport#start} had returned. */
  void goOn(AttemptRun<R> attempt);
}
