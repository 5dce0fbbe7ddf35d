package dev.steadfast.retry.okhttp;

/** A task that has a thread of the dispatcher: the end of an attempt, or a callback. */
sealed interface OnDispatcher permits Arrival, CallingBack {

  /** Whether it has the calling thread. */
  boolean isHere();
}
