package dev.steadfast.retry.engine;

import dev.steadfast.retry.threads.WorkerThread;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides who ends an attempt. Its client, its timer and a cancellation may try to end it at the
 * same time, and one compare-and-set on the {@link Phase} lets one of them do so. Run by the timer,
 * it checks whether the time of the attempt is up. Safe for use by many threads.
 *
 * @param <R> the response
 */
abstract class AttemptSettlement<R> extends TimeBounds<R> implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry");

  @SuppressWarnings("rawtypes") // an updater knows the class of the field and no more
  private static final AtomicReferenceFieldUpdater<AttemptSettlement, Phase> PHASE =
      AtomicReferenceFieldUpdater.newUpdater(AttemptSettlement.class, Phase.class, "phase");

  @SuppressWarnings("rawtypes") // as above
  private static final AtomicReferenceFieldUpdater<AttemptSettlement, @Nullable DeferredEvent>
      POSTPONED =
          AtomicReferenceFieldUpdater.newUpdater(
              AttemptSettlement.class, DeferredEvent.class, "postponed");

  @SuppressWarnings("rawtypes") // as above
  private static final AtomicReferenceFieldUpdater<AttemptSettlement, @Nullable RecheckTimer>
      TIMER =
          AtomicReferenceFieldUpdater.newUpdater(
              AttemptSettlement.class, RecheckTimer.class, "timer");

  private volatile Phase phase;
  private volatile @Nullable DeferredEvent<R> postponed; // null: nothing
  private volatile @Nullable Runnable canceller;
  private volatile @Nullable RecheckTimer timer;
  private volatile boolean ended; // what the attempt ended with can be read
  private volatile @Nullable SettledAttempt settled; // by the thread of the timers

  AttemptSettlement(Phase phase) {
    this.phase = phase;
  }

  /** Whether the calling thread waits for the outcome. */
  abstract boolean waits();

  abstract void userCodeFailed(Throwable thrown);

  /** Called once, by the winner: what the attempt ended with. */
  abstract void endedWith(@Nullable R response, @Nullable Throwable failure);

  /** Called after {@link #endedWith}: the operation goes on. */
  abstract void handOver();

  Phase phase() {
    return phase;
  }

  /** Keeps other threads from settling the attempt until {@link #reopen} or {@link #fail}. */
  boolean busyAfter(Phase before) {
    return PHASE.compareAndSet(this, before, Phase.BUSY);
  }

  /** Ends the attempt while it is busy. */
  void fail(Phase end, @Nullable Throwable reason) {
    endWith(null, reason);
    phase = end;
    handOver();
  }

  /** Called by whoever has settled the attempt, before anything that may take long. */
  private void endWith(@Nullable R response, @Nullable Throwable failure) {
    endedWith(response, failure);
    ended = true;
    RecheckTimer.stopIfAny(timer);
  }

  /**
   * Waits, once the attempt is settled, until what it ended with can be read. Nobody hands over to
   * the calling thread of a blocking operation: it may leave the client at the moment at which
   * another thread settles the attempt.
   */
  void awaitEnd() {
    while (phase.settled() && !ended) {
      WorkerThread.giveWay(); // for the next step of that thread
    }
  }

  /** Handles what came in the meantime. Returns whether the attempt goes on. */
  boolean reopen(Phase open) {
    phase = open;
    DeferredEvent<R> later = postponed;
    if (later != null) {
      handle(later);
    }
    return phase == open;
  }

  private void handle(DeferredEvent<R> later) {
    DeferredEvent.End end = later.end();
    if (end != null) {
      end(end.phase(), end.reason());
    } else if (later.takeLook()) {
      run();
    }
    DeferredEvent.Completion<R> completion = later.takeCompletion();
    if (completion != null) {
      complete(completion.response(), completion.failure());
    }
    later.handled();
  }

  /** The client is done. */
  public void complete(@Nullable R response, @Nullable Throwable failure) {
    Phase now = phase;
    while (!now.settled()) {
      if (now == Phase.BUSY) {
        DeferredEvent<R> later = postponed();
        later.complete(response, failure);
        if (phase == Phase.BUSY || later.takeCompletion() == null) {
          if (waits()) {
            later.awaitEnd(() -> ended);
          }
          return; // the thread that is busy sees it
        }
      } else if (PHASE.compareAndSet(this, now, Phase.COMPLETED)) {
        endWith(response, failure);
        handOver();
        return;
      }
      now = phase;
    }
    if (response != null) {
      operation().discard(response);
    }
  }

  /** Called by the timer: ends the attempt if its time is up, sets the timer again if not. */
  @Override
  public void run() {
    Phase now = phase;
    while (!now.settled()) {
      if (now == Phase.BUSY) {
        postponed().look();
        if (phase == Phase.BUSY) {
          return; // the thread that is busy looks
        }
      } else if (isTimeUp(now)) {
        end(Phase.TIMED_OUT, null, now);
      } else if (phase == now) { // else a later phase's timer may have been replaced
        return;
      }
      now = phase;
    }
    SettledAttempt before = settled;
    if (before != null && WorkerThread.isSettling()) {
      before.handOver(); // there was no memory for it
    }
  }

  /** Sets a timer if there is time left. */
  private boolean isTimeUp(Phase open) {
    try {
      long now = operation().now();
      if (leftNanos(open, now) == 0) {
        return true;
      }
      setTimer(now, open);
    } catch (Throwable rejected) {
      if (rejected instanceof OutOfMemoryError full && WorkerThread.isSettling()) {
        throw full; // the timer comes again
      }
      timerRejected(rejected);
    }
    return false;
  }

  /**
   * Has the attempt look at its time when it is reopened. Only the thread that is busy calls it.
   */
  void lookWhenReopened() {
    postponed().look();
  }

  /** Ends the attempt from outside. */
  void end(Phase end, @Nullable Throwable reason) {
    Phase now = phase;
    while (!now.settled()) {
      if (now == Phase.BUSY) {
        postponed().end(end, reason);
        if (phase == Phase.BUSY) {
          return; // the thread that is busy sees it
        }
      } else {
        end(end, reason, now);
      }
      now = phase;
    }
  }

  private void end(Phase end, @Nullable Throwable reason, Phase before) {
    SettledAttempt byTimer = WorkerThread.isSettling() ? new SettledAttempt(this) : null;
    if (!PHASE.compareAndSet(this, before, end)) {
      return;
    }
    endWith(null, reason);
    if (byTimer != null) {
      settled = byTimer;
      byTimer.handOver();
      return;
    }
    boolean later = end == Phase.CANCELLED; // not on the canceller's thread
    boolean waits = waits(); // then the calling thread comes back, and goes on
    if (later && !waits) {
      Callbacks.afterCancel(operation(), this::handOver);
    }
    stopOnTheWire(); // code of the user's may block there
    if (!later && !waits) {
      handOver();
    }
  }

  /** As {@link CancellableStep#help}. */
  public void help() {
    SettledAttempt byTimer = settled;
    if (byTimer != null) {
      byTimer.goOn();
    }
  }

  private DeferredEvent<R> postponed() {
    DeferredEvent<R> later = postponed;
    while (later == null) {
      POSTPONED.compareAndSet(this, null, new DeferredEvent<>());
      later = postponed;
    }
    return later;
  }

  public void onCancel(Runnable canceller) {
    this.canceller = canceller;
    if (phase.stopped()) {
      stopOnTheWire();
    }
  }

  // The client may throw here. The operation must still go on or end.
  void stopOnTheWire() {
    Runnable stop = canceller;
    try {
      if (stop != null) {
        stop.run();
      }
    } catch (Throwable broken) {
      LOG.warn("an attempt could not be stopped; the operation goes on without it", broken);
    }
  }

  /**
   * Sets the timer anew, as the time that is left has changed. Other threads than that of the
   * attempt call it: the attempt may reach another phase meanwhile.
   */
  void watch() {
    Phase open = phase;
    if (open.open()) {
      watchPhase(open);
      if (phase != open) {
        run(); // the timer of the later phase may have been replaced
      }
    }
  }

  /** Sets the timer of a phase, or ends the attempt if that fails. */
  void watchPhase(Phase open) {
    try {
      setTimer(operation().now(), open);
    } catch (Throwable rejected) {
      timerRejected(rejected);
    }
  }

  /** Sets a timer for the end of the attempt's time, unless one is set that comes before. */
  void setTimer(long nowNanos, Phase open) {
    boolean sending;
    do {
      sending = sendingBody();
      long left = leftNanos(open, nowNanos);
      if (left != Long.MAX_VALUE) {
        replaceTimer(nowNanos, left);
      } else if (!sending) { // no need to stop it: a timer follows the body
        RecheckTimer.stopIfAny(timer);
      }
    } while (sending != sendingBody()); // the time that is left has changed meanwhile
  }

  private void replaceTimer(long nowNanos, long leftNanos) {
    RecheckTimer running = timer;
    long due = nowNanos + leftNanos;
    if (running != null && running.comesBy(due)) {
      return;
    }
    RecheckTimer next = new RecheckTimer(this, due);
    if (!TIMER.compareAndSet(this, running, next)) {
      replaceTimer(nowNanos, leftNanos); // another thread has set one
      return;
    }
    RecheckTimer.stopIfAny(running);
    next.start(operation(), leftNanos);
    if (phase.settled()) {
      next.stop(); // the attempt has ended meanwhile
    }
  }

  /** The attempt does not go on, because it might never end without a timer. */
  private void timerRejected(Throwable reason) {
    if (!(reason instanceof RejectedExecutionException)) {
      userCodeFailed(reason);
    }
    end(Phase.REJECTED, reason);
  }
}
