package dev.steadfast.retry.engine;

/** What an operation does now, and what a cancellation has to reach: an attempt or a wait. */
interface UnderWay {

  /** Ends it. May come from any thread, and more than once. */
  void cancel();
}
