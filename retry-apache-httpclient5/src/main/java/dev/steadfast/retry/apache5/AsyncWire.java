package dev.steadfast.retry.apache5;

import java.util.function.Supplier;

/**
 * The state that the exchanges of one attempt share.
 *
 * @param trace what is known of the attempt
 * @param turn who sends the request body
 * @param stop whether the attempt is over
 */
record AsyncWire(WireTrace trace, BodyTurn turn, CallCancel.OfAttempt stop) {
  /** Reports something: one thread at a time, though a handler may send by several. */
  <T> T reporting(Supplier<T> report) {
    synchronized (trace) {
      return report.get();
    }
  }
}
