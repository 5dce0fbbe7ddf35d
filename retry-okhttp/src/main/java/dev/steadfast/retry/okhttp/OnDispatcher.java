package dev.steadfast.retry.okhttp;

/** A task that runs on a thread of the dispatcher: the end of an attempt, or a callback. */
sealed interface OnDispatcher permits AttemptCallback, CallbackTask {

  /** Whether it runs on the calling thread. */
  boolean isHere();
}
