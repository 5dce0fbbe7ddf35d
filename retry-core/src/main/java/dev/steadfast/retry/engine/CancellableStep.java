package dev.steadfast.retry.engine;

/** The current step of an operation, an attempt or a wait, which a cancellation has to reach. */
interface CancellableStep {

  /** Ends it. May come from any thread, and more than once. */
  void cancel();

  /**
   * Goes on with the operation on the calling thread if this is over and no thread has done so yet.
   */
  void help();

  /** The time until the deadline of the operation; {@link Long#MAX_VALUE} for none. */
  long remainingNanos();
}
