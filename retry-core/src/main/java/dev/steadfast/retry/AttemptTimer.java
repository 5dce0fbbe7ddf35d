package dev.steadfast.retry;

import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** Ends an attempt when its time is up in the phase that this timer guards. */
final class AttemptTimer implements Runnable {
  private final Attempt<?> attempt;
  private final long dueNanos;
  private final boolean ofDeadline;
  private volatile Attempt.Phase guarded;
  private volatile RetryScheduler.@Nullable Task task;
  private volatile boolean stopped;
  private volatile boolean due;

  private AttemptTimer(Attempt<?> attempt, Attempt.Phase guarded, long nanos, boolean ofDeadline) {
    this.attempt = attempt;
    this.guarded = guarded;
    this.dueNanos = attempt.operation().now() + nanos;
    this.ofDeadline = ofDeadline;
  }

  /** A timer for what is left until the operation's deadline. */
  static AttemptTimer ofDeadline(Attempt<?> attempt, Attempt.Phase guarded, long nanos) {
    return new AttemptTimer(attempt, guarded, nanos, true);
  }

  /** A timer for the attempt's own time. */
  static AttemptTimer ofAttempt(Attempt<?> attempt, Attempt.Phase guarded, long nanos) {
    return new AttemptTimer(attempt, guarded, nanos, false);
  }

  boolean ofDeadline() {
    return ofDeadline;
  }

  Attempt.Phase guarded() {
    return guarded;
  }

  /** Goes on for another phase. */
  void guard(Attempt.Phase next) {
    guarded = next;
  }

  /** Whether the time is up. */
  boolean due() {
    return due;
  }

  void start(long nanos) {
    task = attempt.operation().scheduler().schedule(nanos, this);
    if (stopped) {
      stop();
    }
  }

  void startOrEnd(long nanos) {
    try {
      start(nanos);
    } catch (RejectedExecutionException rejected) {
      attempt.timerRejected(rejected);
    }
  }

  void stop() {
    stopped = true;
    RetryScheduler.Task scheduled = task;
    if (scheduled != null) {
      scheduled.cancel();
    }
  }

  @Override
  public void run() {
    if (stopped) {
      return;
    }
    long early = dueNanos - attempt.operation().now();
    if (early > 0) {
      startOrEnd(early); // some schedulers run a task early
    } else {
      due = true;
      attempt.end(Attempt.Phase.TIMED_OUT, guarded);
    }
  }
}
