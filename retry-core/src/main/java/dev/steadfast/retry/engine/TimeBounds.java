package dev.steadfast.retry.engine;

import dev.steadfast.retry.TimeLimit;
import dev.steadfast.retry.threads.WorkerThread;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * The time of one attempt. While the request body is sent, the total timeout does not run. Safe for
 * use by many threads.
 */
final class TimeBounds {
  private static final AtomicIntegerFieldUpdater<TimeBounds> BODY =
      AtomicIntegerFieldUpdater.newUpdater(TimeBounds.class, "body");

  // The states of a request body.
  private static final int NONE = 0;
  private static final int SENDING = 1;
  private static final int ENDING = 2; // a thread adds up the time that it took

  private volatile long beganNanos;
  private long bodyNanos; // how long bodies took; not yet added to the total timeout
  private long bodyStartNanos; // of the latest
  private volatile int body = NONE;
  private volatile boolean totalTimeoutOver; // at the head: the body is not bounded by it

  /** The attempt leaves the client's queue, or waits for another head. */
  void begin(long nowNanos) {
    beganNanos = nowNanos;
  }

  /** The body of the latest head is not left to the caller, unless that is said again. */
  void atHead() {
    totalTimeoutOver = false;
  }

  boolean sendingBody() {
    return body != NONE;
  }

  void bodyStarted(long nowNanos) {
    bodyStartNanos = nowNanos;
    body = SENDING;
  }

  /** A body ends once, by whichever thread comes first; others change nothing. */
  void bodyEnded(long nowNanos) {
    if (BODY.compareAndSet(this, SENDING, ENDING)) {
      bodyNanos += nowNanos - bodyStartNanos;
      body = NONE; // last: a thread that reads it sees the time above, too
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
   * As {@link Attempt#timeUp}.
   *
   * @param ownNanos the timeout of the attempt; {@link Long#MAX_VALUE} for none, and after the head
   */
  @Nullable TimeUp timeUp(Operation<?> operation, long ownNanos) {
    long now = operation.now();
    boolean paused = sendingBody() || totalTimeoutOver;
    TimeUp ofOperation = ReachedLimit.of(operation, paused ? Long.MAX_VALUE : bodyNanos, now);
    if (ofOperation != null) {
      return ofOperation;
    }
    boolean own = ownNanos != Long.MAX_VALUE;
    if (own && ReachedLimit.isOver(operation, ownNanos - (now - beganNanos))) {
      return new TimeUp(TimeLimit.ATTEMPT_TIMEOUT, ownNanos);
    }
    return operation.transport().idleLeftNanos(now) == 0
        ? new TimeUp(TimeLimit.BODY_IDLE_TIMEOUT, operation.plan().nanos().bodyIdle())
        : null;
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
  long leftNanos(Operation<?> operation, int number, Phase open, long nowNanos) {
    if (operation.transport().boundsAttempts()) {
      return Long.MAX_VALUE;
    }
    long left = operation.state().remainingBoundNanos(nowNanos);
    boolean sending = sendingBody() && open != Phase.HEAD;
    if (!sending && !(open == Phase.HEAD && totalTimeoutOver)) {
      left = Math.min(left, operation.state().remainingTotalNanos(nowNanos - bodyNanos));
    }
    if (sending || open == Phase.HEAD) {
      left = Math.min(left, operation.transport().idleLeftNanos(nowNanos));
    }
    if (open != Phase.RUNNING) {
      return left;
    }
    long own = operation.state().ownTimeoutNanos(number);
    return own == Long.MAX_VALUE
        ? left
        : Math.min(left, Math.max(0, own - (nowNanos - beganNanos)));
  }
}
