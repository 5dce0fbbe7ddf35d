package dev.steadfast.retry.okhttp;

/** What has a thread of the dispatcher: the end of an attempt, or a callback. */
sealed interface OnDispatcher permits Arrival, CallingBack {

  /** Whether it has the calling thread. */
  boolean isHere();
}
