package dev.steadfast.retry.httpclient;

import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

/**
 * Interrupts the thread that waits in {@code send}, and takes the interrupt back when {@code send}
 * has returned: a thread that the user interrupts stays interrupted, any other does not. One object
 * per attempt, made on that thread.
 *
 * <p>A thread has one interrupt flag. Where an interrupt of the user's and one of ours meet within
 * one {@code send}, before it has seen the first of them, nothing tells them apart: it counts as
 * ours, and {@code send} ends by the limit that was reached.
 */
final class SendInterrupt {
  // Why it is like this: docs/decisions/threads-and-timers.md#what-ends-an-attempt
  private static final AtomicReferenceFieldUpdater<SendInterrupt, Stage> STATE =
      AtomicReferenceFieldUpdater.newUpdater(SendInterrupt.class, Stage.class, "state");

  private enum Stage {
    /** The thread is in {@code send}. */
    ARMED,
    /** The thread runs code of the user's there, which gets no interrupt of ours. */
    USER_CODE,
    /** The thread does so, and is to be interrupted afterwards. */
    USER_CODE_THEN_FIRE,
    FIRING,
    FIRED,
    /** The thread is out of {@code send}, or the user has interrupted it: too late for ours. */
    OVER
  }

  private final Thread thread = Thread.currentThread();
  private volatile Stage state = Stage.ARMED;

  /** Interrupts the thread, unless it is out of {@code send}; may be called by any thread. */
  void fire() {
    while (true) {
      Stage now = state;
      if (now == Stage.ARMED && STATE.compareAndSet(this, now, Stage.FIRING)) {
        state = interrupted();
        return;
      }
      if (now == Stage.USER_CODE && STATE.compareAndSet(this, now, Stage.USER_CODE_THEN_FIRE)) {
        return;
      }
      if (now != Stage.ARMED && now != Stage.USER_CODE) {
        return;
      }
    }
  }

  private Stage interrupted() {
    if (thread.isInterrupted()) {
      return Stage.OVER; // by the user; that interrupt ends the send as well
    }
    thread.interrupt();
    return Stage.FIRED;
  }

  /**
   * Code of the user's begins to run on the calling thread. An interrupt of ours that has come
   * before, and that {@code send} has not seen, waits until {@link #leaveUserCode}.
   *
   * @return whether {@link #leaveUserCode} has to be called afterwards
   */
  boolean enterUserCode() {
    if (!Thread.currentThread().equals(thread)) {
      return false;
    }
    if (STATE.compareAndSet(this, Stage.ARMED, Stage.USER_CODE)) {
      return true;
    }
    boolean ours = fired() && Thread.interrupted();
    if (ours) {
      state = Stage.USER_CODE_THEN_FIRE; // once it has fired, only this thread goes on
    }
    return ours;
  }

  void leaveUserCode() {
    if (!STATE.compareAndSet(this, Stage.USER_CODE, Stage.ARMED)) {
      state = Stage.ARMED;
      fire();
    }
  }

  /**
   * The thread is out of {@code send}; called by it.
   *
   * @param consumed whether {@code send} threw an {@link InterruptedException}
   * @return whether our interrupt caused that exception; if not, an interrupt of ours is cleared
   */
  boolean over(boolean consumed) {
    if (STATE.compareAndSet(this, Stage.ARMED, Stage.OVER)) {
      return false;
    }
    return fired() && (consumed || Thread.interrupted());
  }

  private boolean fired() {
    while (state == Stage.FIRING) {
      Thread.onSpinWait(); // another thread is between two steps
    }
    return state == Stage.FIRED;
  }
}
