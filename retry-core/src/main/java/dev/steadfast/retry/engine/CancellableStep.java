package dev.steadfast.retry.engine;

/** The current step of an operation, an attempt or a wait, which a cancellation has to reach. */
interface CancellableStep {

  /** Ends the step. May be called from any thread, and more than once. */
  void cancel();

  /**
   * Continues the operation on the calling thread if the step is over and no thread has done so.
   */
  void help();

  /** The time until the deadline of the operation; {@link Long#MAX_VALUE} for none. */
  long remainingNanos();
}
