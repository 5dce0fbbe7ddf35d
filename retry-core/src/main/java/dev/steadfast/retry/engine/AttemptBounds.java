package dev.steadfast.retry.engine;

import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/**
 * The time of one attempt. While the request body is sent, neither the total timeout nor the
 * client's default runs. Safe for use by many threads.
 */
final class AttemptBounds {
  private static final AtomicIntegerFieldUpdater<AttemptBounds> BODY =
      AtomicIntegerFieldUpdater.newUpdater(AttemptBounds.class, "body");

  // What becomes of a request body.
  private static final int NONE = 0;
  private static final int SENDING = 1;
  private static final int ENDING = 2; // a thread adds up the time that it took

  private long beganNanos;
  private long bodyNanos; // how long bodies took; not yet added to the total timeout
  private long bodyTurnNanos; // when a body was begun while one is sent, else when the last ended
  private volatile int body = NONE;
  private volatile boolean totalTimeoutOver; // at the head: the body is not bounded by it

  /** The attempt leaves the client's queue. */
  void begin(long nowNanos) {
    beganNanos = nowNanos;
    bodyTurnNanos = nowNanos;
  }

  boolean sendingBody() {
    return body != NONE;
  }

  void bodyStarted(long nowNanos) {
    bodyTurnNanos = nowNanos;
    body = SENDING;
  }

  /** A body ends once, by whichever thread comes first; others change nothing. */
  void bodyEnded(long nowNanos) {
    if (BODY.compareAndSet(this, SENDING, ENDING)) {
      bodyNanos += nowNanos - bodyTurnNanos;
      bodyTurnNanos = nowNanos;
      body = NONE; // last: a thread that reads it sees the times above, too
    }
  }

  /** Takes out what request bodies took, to be added to the operation's total timeout. */
  long takeBodyNanos() {
    while (body == ENDING) {
      WorkerThread.giveWay(); // for the few steps of another thread
    }
    long took = bodyNanos;
    if (took > 0) {
      bodyNanos = 0;
    }
    return took;
  }

  void leaveBodyToCaller() {
    totalTimeoutOver = true;
  }

  /** As {@link Attempt#remainingNanos}. */
  long remainingNanos(Operation<?> operation) {
    if (!operation.state().bounded()) {
      return Long.MAX_VALUE; // saves reading the clock
    }
    long now = operation.now();
    long bound = operation.state().remainingBoundNanos(now);
    return sendingBody() || totalTimeoutOver
        ? bound
        : Math.min(bound, operation.state().remainingTotalNanos(now - bodyNanos));
  }

  /**
   * The time that is left to an attempt whose client does not bound it.
   *
   * @param operation the operation that the attempt belongs to
   * @param number its number
   * @param open its phase
   * @param nowNanos the time
   * @return nanoseconds, 0 if the time is up; {@link Long#MAX_VALUE} for no bound
   */
  long leftNanos(Operation<?> operation, int number, AttemptPhase open, long nowNanos) {
    if (operation.transport().boundsAttempts()) {
      return Long.MAX_VALUE;
    }
    long left = operation.state().remainingBoundNanos(nowNanos);
    boolean sending = sendingBody() && open != AttemptPhase.HEAD;
    if (!sending && !(open == AttemptPhase.HEAD && totalTimeoutOver)) {
      left = Math.min(left, operation.state().remainingTotalNanos(nowNanos - bodyNanos));
    }
    if (sending || open == AttemptPhase.HEAD) {
      left = Math.min(left, operation.transport().idleLeftNanos(nowNanos));
    }
    if (open != AttemptPhase.RUNNING) {
      return left;
    }
    long own = operation.state().ownTimeoutNanos(number);
    if (own != Long.MAX_VALUE) {
      return Math.min(left, Math.max(0, own - (nowNanos - beganNanos)));
    }
    long untilHead = operation.transport().headTimeoutNanos();
    return untilHead == Long.MAX_VALUE || sending
        ? left
        : Math.min(left, Math.max(0, untilHead - (nowNanos - bodyTurnNanos)));
  }
}
