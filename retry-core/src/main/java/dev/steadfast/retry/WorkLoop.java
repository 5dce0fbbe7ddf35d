package dev.steadfast.retry;

import java.lang.ref.WeakReference;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The retry loop of work on the calling thread to which nobody listens and which nothing guards: it
 * asks {@link RetryState} as {@link RetryLoop} does, and makes no object before there is something
 * to report. A first attempt that is accepted does not even take up the loop.
 *
 * <p>One object per thread, reused; confined to the operation that it is taken for.
 */
final class WorkLoop {
  private final Work work;
  private final RetryPlan plan;
  private final RetryState state;
  private final boolean timed;
  private final WorkHistory history = new WorkHistory();
  private final WeakReference<WorkLoop> self = new WeakReference<>(this);

  private long waitedNanos; // before the current attempt
  private boolean retryPending;

  WorkLoop(Work work) {
    this.work = work;
    this.plan = work.plan();
    this.timed = work.timed();
    this.state = RetryState.of(plan.policy(), work.account(), plan.environment().random());
  }

  boolean isOf(Work other) {
    return other.equals(work);
  }

  WeakReference<WorkLoop> self() {
    return self;
  }

  @SuppressWarnings("NullAway") // work may return null, where its type allows it
  static <T> T call(Work work, Callable<? extends T> callable, @Nullable Object[] slots)
      throws Exception {
    long beganNanos = work.timed() ? work.plan().environment().ticker().getAsLong() : 0;
    RetryBudget.Account account = work.account();
    account.operationBegan(beganNanos);
    T result = null;
    Throwable failure = null;
    Bound.surroundings(slots, work.layer());
    try {
      result = callable.call();
    } catch (Throwable thrown) {
      failure = thrown;
    }
    Bound.surroundings(slots, null);
    if (failure == null && work.acceptsAll()) {
      account.operationEnded(RetryBudget.Outcome.SUCCEEDED, null, beganNanos);
      return result;
    }
    WorkLoop loop = Bound.takeLoop(work);
    try {
      return loop.goOn(callable, result, failure, beganNanos);
    } finally {
      loop.history.clear();
      Bound.giveBack(loop);
    }
  }

  /** Goes on after the first attempt. */
  @SuppressWarnings("NullAway") // as above
  private <T> T goOn(
      Callable<? extends T> callable, T firstResult, @Nullable Throwable first, long beganNanos)
      throws Exception {
    T result = firstResult;
    Throwable failure = first;
    long startedNanos = beganNanos;
    state.resume(beganNanos);
    waitedNanos = 0;
    retryPending = false;
    history.begin(beganNanos);
    while (true) {
      RetryDecision decision;
      try {
        decision = decide(result, failure, startedNanos);
      } catch (Throwable broken) {
        if (failure != null) {
          RetryTrace.suppress(broken, failure); // what the attempt itself ended with
        }
        history.failed(broken);
        throw ended(StopReason.USER_CODE_FAILED, broken);
      }
      if (decision instanceof RetryDecision.Stop stop) {
        if (failure != null) {
          throw thrown(report(stop.reason()), failure);
        }
        if (stop.reason().gaveUp()) {
          report(stop.reason()); // for the log
        }
        return result;
      }
      pause((RetryDecision.Retry) decision);
      startedNanos = now();
      if (state.remainingNanos(startedNanos) == 0) {
        throw ended(StopReason.DEADLINE, CallEnds.failure(Exchange.End.DEADLINE, null));
      }
      state.startAttempt();
      retryPending = false;
      result = null;
      failure = null;
      try {
        result = Work.within(work.layer(), callable);
      } catch (Throwable thrown) {
        failure = thrown;
      }
    }
  }

  private RetryDecision decide(
      @Nullable Object result, @Nullable Throwable failure, long startedNanos) {
    long now = now();
    history.attempt(failure, startedNanos, now, waitedNanos);
    Verdict verdict = failure == null ? work.judgeResult(result) : work.judgeFailure(failure);
    history.judged(verdict);
    return state.next(verdict, now);
  }

  private void pause(RetryDecision.Retry retry) throws Exception {
    retryPending = true;
    waitedNanos = retry.delayNanos();
    history.waiting(waitedNanos);
    if (Listeners.logsRetries()) {
      Listeners.logRetry(work.info(), history.last(), retry);
    }
    try {
      if (waitedNanos > 0) {
        sleep();
      } else if (Thread.interrupted()) {
        throw new InterruptedException("interrupted before a retry");
      }
    } catch (InterruptedException interrupted) {
      throw ended(StopReason.INTERRUPTED, interrupted);
    } catch (RejectedExecutionException rejected) {
      throw ended(StopReason.REJECTED, CallEnds.failure(Exchange.End.REJECTED, rejected));
    }
  }

  // Again where a timer fires early: a delay is a floor.
  private void sleep() throws InterruptedException {
    RetryEnvironment environment = plan.environment();
    CountDownLatch never = new CountDownLatch(1);
    long dueNanos = environment.ticker().getAsLong() + waitedNanos;
    long left = waitedNanos;
    while (left > 0) {
      environment.scheduler().await(never, left);
      left = dueNanos - environment.ticker().getAsLong();
    }
  }

  private long now() {
    return timed ? plan.environment().ticker().getAsLong() : 0;
  }

  /** Ends the operation for a reason that no decision gave. */
  private Exception ended(StopReason reason, Throwable failure) {
    try {
      if (!state.stopped()) {
        state.abandon(reason, retryPending, now());
      }
    } catch (Throwable broken) {
      // A budget of the user's; the operation ends all the same.
      RetryTrace.suppress(failure, broken);
    }
    return thrown(report(reason), failure);
  }

  private RetryReport report(StopReason reason) {
    OperationInfo info = work.info();
    RetryReport report = history.report(reason, now(), info);
    if (reason.gaveUp() && report.attempts() > 1) {
      Listeners.logGivingUp(info, report);
    }
    return report;
  }

  /** The failure with its report, to be thrown. */
  private static Exception thrown(RetryReport report, Throwable failure) {
    RetryTrace.put(failure, report);
    if (failure instanceof Error error) {
      throw error;
    }
    return failure instanceof Exception exception ? exception : new ExecutionException(failure);
  }
}
