package dev.steadfast.retry;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The one retry loop. It drives an {@link Exchange} through its attempts, asks {@link RetryState}
 * what follows each of them, and waits: on the calling thread for {@link #run}, on the scheduler,
 * holding no thread, for {@link #start}.
 *
 * <p>For authors of adapters. One object per operation. The loop is confined: at any time one
 * thread drives it, and a compare-and-set hands it over. Only {@link #cancel} may come from
 * anywhere.
 *
 * @param <R> the response
 */
public final class RetryLoop<R> {
  private final RetryPlan plan;
  private final OperationInfo info;
  private final Exchange<R> exchange;
  private final RetryState state;
  private final OperationRecord record;
  private final CountDownLatch wake = new CountDownLatch(1);

  private @Nullable BiConsumer<@Nullable R, @Nullable Throwable> completion; // null: blocking
  private boolean retryPending; // decided on and paid for, not begun
  private @Nullable R result;
  private @Nullable Throwable failure;

  private volatile @Nullable StopReason cancelled; // by the caller: CANCELLED or INTERRUPTED
  private volatile @Nullable Attempt<R> current;
  private volatile @Nullable Pause pause;

  /**
   * An operation that has not begun.
   *
   * @param plan what applies to all operations
   * @param info what identifies this one
   * @param exchange how attempts are made
   */
  public RetryLoop(RetryPlan plan, OperationInfo info, Exchange<R> exchange) {
    this.plan = plan;
    this.info = info;
    this.exchange = exchange;
    this.record = new OperationRecord(info, plan.listeners());
    this.state =
        new RetryState(
            plan.policy(),
            plan.budget().account(info.origin()),
            new RetryState.Admission(plan.guards(), info.origin()),
            plan.environment().random());
  }

  /**
   * Carries the operation out on the calling thread.
   *
   * @param boundNanos a bound on the operation beside the policy's; {@link Long#MAX_VALUE} for none
   * @return the response
   * @throws Throwable the failure, with its report
   */
  public R run(long boundNanos) throws Throwable {
    begin(boundNanos);
    drive();
    Throwable thrown = failure;
    if (thrown != null) {
      throw thrown;
    }
    return result();
  }

  /**
   * Carries the operation out without a thread of its own.
   *
   * @param boundNanos a bound on the operation beside the policy's; {@link Long#MAX_VALUE} for none
   * @param completion gets the response or the failure, once
   */
  public void start(long boundNanos, BiConsumer<@Nullable R, @Nullable Throwable> completion) {
    this.completion = completion;
    begin(boundNanos);
    drive();
  }

  /**
   * As {@link #start(long, BiConsumer)}, with a future for the outcome. Cancelling it, or any
   * future derived from it, ends the operation; so does completing it from outside.
   *
   * @param boundNanos a bound on the operation beside the policy's; {@link Long#MAX_VALUE} for none
   * @param <T> the type that the caller sees
   * @param result makes the caller's result of the response
   * @return the future
   */
  public <T> CompletableFuture<T> start(long boundNanos, Function<R, @Nullable T> result) {
    OperationFuture<T> future = new OperationFuture<>(this);
    start(
        boundNanos,
        (response, thrown) -> {
          if (thrown != null) {
            future.fail(thrown);
          } else {
            future.succeed(result.apply(present(response)));
          }
        });
    return future.watched();
  }

  /** Ends the operation at once: its wait, its attempt, and all that would follow. */
  public void cancel() {
    cancel(StopReason.CANCELLED);
  }

  /** As {@link #cancel}, because the thread that waits for the result was interrupted. */
  public void interrupt() {
    cancel(StopReason.INTERRUPTED);
  }

  private void cancel(StopReason reason) {
    cancelled = reason;
    wake.countDown();
    Attempt<R> attempt = current;
    if (attempt != null) {
      attempt.end(Attempt.Phase.CANCELLED);
    }
    Pause waiting = pause;
    if (waiting != null) {
      waiting.cancel();
    }
  }

  private void begin(long boundNanos) {
    long now = now();
    state.begin(now, boundNanos);
    record.started(now);
  }

  /** Makes attempts for as long as they end on this thread. */
  private void drive() {
    Attempt<R> attempt;
    do {
      if (cancelled != null) {
        abandon(cancelReason(), cancellation());
        return;
      }
      if (state.remainingNanos(now()) == 0) {
        abandon(StopReason.DEADLINE, exchange.failure(Exchange.End.DEADLINE, null));
        return;
      }
      attempt = new Attempt<>(this, state.attempts() + 1);
      current = attempt;
      if (cancelled != null) {
        attempt.end(Attempt.Phase.CANCELLED); // the canceller may have missed it
      }
      try {
        exchange.start(attempt);
        if (!blocking()) {
          attempt.startQueueTimer();
        }
      } catch (Throwable thrown) {
        attempt.complete(null, thrown);
      }
      if (!attempt.overOnReturn()) {
        return; // who completes it goes on
      }
    } while (settle(attempt));
  }

  /** Goes on after an attempt that ended after start() had returned. */
  void goOn(Attempt<R> attempt) {
    if (settle(attempt)) {
      drive();
    }
  }

  /** Returns true if another attempt follows at once on this thread. */
  private boolean settle(Attempt<R> attempt) {
    current = null;
    Throwable userFailure = attempt.userFailure();
    if (userFailure != null) {
      return userCodeFailed(attempt, userFailure);
    }
    return switch (attempt.phase()) {
      case CANCELLED -> endOutside(attempt, cancelReason(), cancellation());
      case TIMED_OUT -> timedOut(attempt);
      case REFUSED -> endOutside(attempt, StopReason.GUARD_REFUSED, refusal(attempt));
      case REJECTED ->
          endOutside(
              attempt,
              StopReason.REJECTED,
              exchange.failure(Exchange.End.REJECTED, attempt.refusal()));
      default -> completed(attempt);
    };
  }

  private boolean completed(Attempt<R> attempt) {
    if (attempt.headDecision() instanceof RetryDecision.Stop stop) {
      return finish(stop.reason(), attempt.response(), attempt.failure());
    }
    if (attempt.headDecision() instanceof RetryDecision.Retry retry) {
      return pause(retry);
    }
    if (attempt.failure() != null) {
      attempt.countUnbegun(info); // else attempts that cannot be made would never be exhausted
    }
    return judged(attempt, attempt.response(), attempt.failure());
  }

  private boolean judged(Attempt<R> attempt, @Nullable R response, @Nullable Throwable thrown) {
    RetryDecision decision;
    try {
      Verdict verdict = verdict(attempt, response, thrown);
      decision = decide(attempt, verdict, response, thrown);
    } catch (Throwable broken) {
      if (thrown != null && !broken.equals(thrown)) {
        broken.addSuppressed(thrown); // what the attempt itself ended with
      }
      return userCodeFailed(attempt, broken);
    }
    if (decision instanceof RetryDecision.Retry retry) {
      if (response != null) {
        exchange.discard(response);
      }
      return pause(retry);
    }
    return finish(((RetryDecision.Stop) decision).reason(), response, thrown);
  }

  private Verdict verdict(Attempt<R> attempt, @Nullable R response, @Nullable Throwable thrown) {
    if (thrown != null) {
      return exchange.judge(thrown);
    }
    Verdict atHead = attempt.headVerdict();
    return atHead != null ? atHead : exchange.judge(present(response));
  }

  private RetryDecision decide(
      Attempt<R> attempt, Verdict verdict, @Nullable R response, @Nullable Throwable thrown) {
    long now = now();
    record(attempt, verdict, exchange.facts(response, thrown), thrown);
    RetryDecision decision = state.next(verdict, now);
    if (decision instanceof RetryDecision.Retry retry) {
      retryPending = true;
      if (response != null && !plan.guards().isEmpty()) {
        Exchange.Facts facts = exchange.facts(response, null);
        record.discarding(facts.status(), exchange.headers(response));
      }
      record.waiting(retry);
    }
    return decision;
  }

  private void record(
      Attempt<R> attempt, Verdict verdict, Exchange.Facts facts, @Nullable Throwable thrown) {
    long now = now();
    attempt.permits().answer(verdict, facts, record.elapsedNanos(now), thrown);
    attempt.recorded();
    record.attemptEnded(verdict, facts, thrown, now);
  }

  private boolean timedOut(Attempt<R> attempt) {
    if (state.remainingNanos(now()) > 0) {
      return judged(attempt, null, exchange.failure(Exchange.End.ATTEMPT_TIMEOUT, null));
    }
    return endOutside(attempt, StopReason.DEADLINE, exchange.failure(Exchange.End.DEADLINE, null));
  }

  private Throwable refusal(Attempt<R> attempt) {
    return new AttemptRefusedException(record.lastAnswer(), attempt.refusal());
  }

  private boolean userCodeFailed(Attempt<R> attempt, Throwable thrown) {
    R response = attempt.response();
    if (response != null) {
      exchange.discard(response);
    }
    return endOutside(attempt, StopReason.USER_CODE_FAILED, thrown);
  }

  /** Ends the operation for a reason that the attempt itself did not give. */
  private boolean endOutside(Attempt<R> attempt, StopReason reason, Throwable thrown) {
    if (attempt.toBeRecorded()) {
      FailureKind kind = reason == StopReason.DEADLINE ? FailureKind.TIMEOUT : FailureKind.OTHER;
      Verdict verdict = new Verdict.Permanent(reason, kind, Hint.none());
      record(attempt, verdict, exchange.facts(null, thrown), thrown);
    } else {
      attempt.permits().release();
    }
    return abandon(reason, thrown);
  }

  private boolean abandon(StopReason reason, Throwable thrown) {
    try {
      if (!state.stopped()) {
        state.abandon(reason, retryPending, now());
      }
    } catch (Throwable broken) {
      thrown.addSuppressed(broken); // a budget of the user's; the operation ends all the same
    }
    return finish(reason, null, thrown);
  }

  private StopReason cancelReason() {
    StopReason reason = cancelled;
    return reason == null ? StopReason.CANCELLED : reason;
  }

  private Throwable cancellation() {
    boolean interrupted = cancelled == StopReason.INTERRUPTED;
    return exchange.failure(interrupted ? Exchange.End.INTERRUPTED : Exchange.End.CANCELLED, null);
  }

  private boolean finish(StopReason reason, @Nullable R response, @Nullable Throwable thrown) {
    RetryReport report = record.ended(reason, now());
    if (thrown != null) {
      thrown.addSuppressed(new RetryTrace(report));
      failure = thrown;
    } else if (response != null) {
      result = exchange.deliver(response, report);
    }
    BiConsumer<@Nullable R, @Nullable Throwable> told = completion;
    if (told != null) {
      told.accept(result, failure);
    }
    return false;
  }

  /** Returns true if the wait is over already; false if it goes on elsewhere or ended it all. */
  private boolean pause(RetryDecision.Retry retry) {
    long dueNanos = now() + retry.delayNanos();
    if (blocking()) {
      return sleep(dueNanos);
    }
    if (retry.delayNanos() == 0) {
      return true;
    }
    Pause waiting = new Pause(dueNanos);
    pause = waiting;
    waiting.schedule(retry.delayNanos());
    if (cancelled != null) {
      waiting.cancel();
    }
    return false;
  }

  private boolean sleep(long dueNanos) {
    try {
      // At least once, to see an interrupt; and again, for some timers fire early and a hint is a
      // floor.
      long left = dueNanos - now();
      do {
        if (plan.environment().scheduler().await(wake, Math.max(0, left))) {
          return true; // cancelled: the loop sees it before the next attempt
        }
        left = dueNanos - now();
      } while (left > 0);
      return true;
    } catch (InterruptedException interrupted) {
      return abandon(
          StopReason.INTERRUPTED, exchange.failure(Exchange.End.INTERRUPTED, interrupted));
    } catch (RejectedExecutionException rejected) {
      return abandon(StopReason.REJECTED, exchange.failure(Exchange.End.REJECTED, rejected));
    }
  }

  /** A wait on the scheduler: ended by its time or by a cancellation, whichever claims it. */
  private final class Pause extends AtomicBoolean implements SystemScheduler.Rejectable {
    private static final long serialVersionUID = 1;

    private final long dueNanos;
    private volatile RetryScheduler.@Nullable Task task;

    Pause(long dueNanos) {
      this.dueNanos = dueNanos;
    }

    void schedule(long nanos) {
      try {
        task = plan.environment().scheduler().schedule(nanos, this);
      } catch (RejectedExecutionException rejected) {
        rejected(rejected);
      }
      if (get()) {
        stop();
      }
    }

    @Override
    public void run() {
      long left = dueNanos - now();
      if (left > 0) {
        schedule(left);
      } else if (compareAndSet(false, true)) {
        pause = null;
        drive();
      }
    }

    @Override
    public void rejected(RejectedExecutionException reason) {
      if (compareAndSet(false, true)) {
        pause = null;
        abandon(StopReason.REJECTED, exchange.failure(Exchange.End.REJECTED, reason));
      }
    }

    void cancel() {
      if (compareAndSet(false, true)) {
        pause = null;
        stop();
        exchange.execute(RetryLoop.this::drive); // sees the cancellation first of all
      }
    }

    private void stop() {
      RetryScheduler.Task scheduled = task;
      if (scheduled != null) {
        scheduled.cancel();
      }
    }
  }

  // What an attempt asks of its loop.

  Permits admit() {
    return Permits.acquire(plan.guards(), info.origin());
  }

  void attemptBegan(Attempt<R> attempt, Object request) {
    retryPending = false;
    state.startAttempt();
    record.attemptStarted(attempt.number(), request, now());
  }

  Verdict judgeHead(Attempt<R> attempt, R head) {
    Verdict verdict = exchange.judge(head);
    if (verdict instanceof Verdict.Accepted) {
      // The guards' part ends with the head; the attempt itself may still break with its body.
      attempt
          .permits()
          .answer(verdict, exchange.facts(head, null), record.elapsedNanos(now()), null);
    }
    return verdict;
  }

  RetryDecision decideAtHead(Attempt<R> attempt, Verdict verdict, R head) {
    return decide(attempt, verdict, head, null);
  }

  boolean blocking() {
    return completion == null;
  }

  void discard(R response) {
    exchange.discard(response);
  }

  void execute(Runnable continuation) {
    exchange.execute(continuation);
  }

  RetryScheduler.Task schedule(long nanos, Runnable task) {
    return plan.environment().scheduler().schedule(nanos, task);
  }

  /** The time that a timer has to keep for an attempt. */
  long timerNanos(int attempt) {
    return exchange.boundsAttempts() ? Long.MAX_VALUE : attemptTimeoutNanos(attempt);
  }

  long attemptTimeoutNanos(int attempt) {
    return state.attemptTimeoutNanos(attempt, now());
  }

  long remainingNanos() {
    return state.remainingNanos(now());
  }

  long now() {
    return plan.environment().ticker().getAsLong();
  }

  private R result() {
    return present(result);
  }

  private R present(@Nullable R value) {
    if (value == null) {
      throw new IllegalStateException("an attempt ended without a response: " + state);
    }
    return value;
  }
}
