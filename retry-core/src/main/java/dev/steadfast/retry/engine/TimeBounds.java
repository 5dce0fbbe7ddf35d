package dev.steadfast.retry.engine;

import dev.steadfast.retry.TimeLimit;
import dev.steadfast.retry.threads.WorkerThread;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * The part of an attempt that knows its time. While the request body is sent, the total timeout
 * does not run. Safe for use by many threads.
 *
 * <p>This and {@link AttemptSettlement} are base classes, because every attempt has one of each: so
 * they cost no objects.
 *
 * @param <R> the response
 */
abstract class TimeBounds<R> {
  private volatile long beganNanos;
  private volatile @Nullable BodyTime body; // null: no request body was sent
  private volatile boolean totalTimeoutOver; // at the head: the body is not bounded by it

  /** The time of request bodies. */
  private static final class BodyTime {
    private static final AtomicIntegerFieldUpdater<BodyTime> STATE =
        AtomicIntegerFieldUpdater.newUpdater(BodyTime.class, "state");
    private static final int NONE = 0;
    private static final int SENDING = 1;
    private static final int ENDING = 2; // a thread adds up the time that it took

    private long tookNanos; // how long bodies took; not yet added to the total timeout
    private long startNanos; // of the latest
    private volatile int state = NONE;

    /** A body ends once, by whichever thread comes first; others change nothing. */
    void ended(long nowNanos) {
      if (STATE.compareAndSet(this, SENDING, ENDING)) {
        tookNanos += nowNanos - startNanos;
        state = NONE; // last: a thread that reads it sees the time above, too
      }
    }

    long take() {
      while (state == ENDING) {
        WorkerThread.giveWay(); // for the few steps of another thread
      }
      long took = tookNanos;
      if (took > 0) {
        tookNanos = 0;
      }
      return took;
    }
  }

  abstract Operation<R> operation();

  /** The number of the attempt, from 1. */
  public abstract int number();

  /** The attempt leaves the client's queue, or waits for another head. */
  void timeBegins(long nowNanos) {
    beganNanos = nowNanos;
  }

  /** The body of the latest head is not left to the caller, unless that is said again. */
  void timeAtHead() {
    totalTimeoutOver = false;
  }

  boolean sendingBody() {
    BodyTime time = body;
    return time != null && time.state != BodyTime.NONE;
  }

  void bodyBegins(long nowNanos) {
    BodyTime known = body;
    BodyTime time = known == null ? new BodyTime() : known;
    time.startNanos = nowNanos;
    time.state = BodyTime.SENDING;
    body = time;
  }

  void bodyEnds(long nowNanos) {
    BodyTime time = body;
    if (time != null) {
      time.ended(nowNanos);
    }
  }

  /** Takes out what request bodies took, to be added to the operation's total timeout. */
  long takeBodyNanos() {
    BodyTime time = body;
    return time == null ? 0 : time.take();
  }

  private long bodyNanos() {
    BodyTime time = body;
    return time == null ? 0 : time.tookNanos;
  }

  public void leaveBodyToCaller() {
    totalTimeoutOver = true;
  }

  /** As {@link Attempt#remainingNanos}. */
  public long remainingNanos() {
    Operation<R> operation = operation();
    if (!operation.state().bounded()) {
      return Long.MAX_VALUE; // saves reading the clock
    }
    long now = operation.now();
    long bound = operation.state().remainingBoundNanos(now);
    return sendingBody() || totalTimeoutOver
        ? bound
        : Math.min(bound, operation.state().remainingTotalNanos(now - bodyNanos()));
  }

  /**
   * As {@link Attempt#timeUp}.
   *
   * @param ownNanos the timeout of the attempt; {@link Long#MAX_VALUE} for none, and after the head
   */
  @Nullable TimeUp timeUp(long ownNanos) {
    Operation<R> operation = operation();
    long now = operation.now();
    boolean paused = sendingBody() || totalTimeoutOver;
    TimeUp ofOperation = ReachedLimit.of(operation, paused ? Long.MAX_VALUE : bodyNanos(), now);
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
   * @param open its phase
   * @param nowNanos the time
   * @return nanoseconds, 0 if the time is up; {@link Long#MAX_VALUE} for no bound
   */
  long leftNanos(Phase open, long nowNanos) {
    Operation<R> operation = operation();
    if (operation.transport().boundsAttempts()) {
      return Long.MAX_VALUE;
    }
    long left = operation.state().remainingBoundNanos(nowNanos);
    boolean sending = sendingBody() && open != Phase.HEAD;
    if (!sending && !(open == Phase.HEAD && totalTimeoutOver)) {
      left = Math.min(left, operation.state().remainingTotalNanos(nowNanos - bodyNanos()));
    }
    if (sending || open == Phase.HEAD) {
      left = Math.min(left, operation.transport().idleLeftNanos(nowNanos));
    }
    if (open != Phase.RUNNING) {
      return left;
    }
    long own = operation.state().ownTimeoutNanos(number());
    return own == Long.MAX_VALUE
        ? left
        : Math.min(left, Math.max(0, own - (nowNanos - beganNanos)));
  }
}
