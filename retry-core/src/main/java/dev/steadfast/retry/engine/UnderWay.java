package dev.steadfast.retry.engine;

/** What an operation does now, and what a cancellation has to reach: an attempt or a wait. */
interface UnderWay {

  /** Ends it. May come from any thread, and more than once. */
  void cancel();

  /**
   * Goes on with the operation on the calling thread if this is over and no thread has done so yet.
   */
  void help();

  /** The time until the deadline of the operation; {@link Long#MAX_VALUE} for none. */
  long remainingNanos();
}
