package dev.steadfast.retry;

import org.jspecify.annotations.Nullable;

/**
 * The books of one operation: its time, its decisions, its record. Confined like the loop that it
 * belongs to; what an {@link Attempt} asks of it comes from whoever owns the attempt then.
 */
final class Operation<R> implements RetryState.Admission {
  private final RetryPlan plan;
  private final Exchange<R> exchange;
  private final RetryState state;
  private final OperationRecord record;
  private boolean retryPending; // decided on and paid for, not begun
  private boolean toldByServer;

  Operation(RetryPlan plan, OperationInfo info, Exchange<R> exchange) {
    this.plan = plan;
    this.exchange = exchange;
    this.record = new OperationRecord(info, plan.listeners());
    this.state =
        new RetryState(plan.policy(), account(plan, info), this, plan.environment().random());
  }

  private static RetryBudget.Account account(RetryPlan plan, OperationInfo info) {
    RetryBudget.Account account = plan.budget().account(info.origin());
    Surroundings around = plan.surroundings();
    return around != null && around.funds(plan.budget()) ? new FundedAbove(account) : account;
  }

  Exchange<R> exchange() {
    return exchange;
  }

  OperationInfo info() {
    return record.info();
  }

  void begin(long boundNanos) {
    long now = now();
    long bound = boundNanos;
    Surroundings surroundings = plan.surroundings();
    if (surroundings != null) {
      bound = Math.min(bound, surroundings.remainingNanos());
      if (surroundings.doNotRetry()) {
        state.doNotRetry();
      }
    }
    state.begin(now, bound);
    record.started(now);
  }

  /** Has other operations that the attempt begins on this thread see what is for them. */
  void startAttempt(Attempt<R> attempt) throws Exception {
    Surroundings surroundings = plan.surroundings();
    if (surroundings == null) {
      exchange.start(attempt);
      return;
    }
    Surroundings before = Surroundings.bind(surroundings.beyond());
    try {
      exchange.start(attempt);
    } finally {
      Surroundings.bind(before);
    }
  }

  // Time.

  long now() {
    return plan.environment().ticker().getAsLong();
  }

  long remainingNanos() {
    return state.remainingNanos(now());
  }

  long attemptTimeoutNanos(int attempt) {
    return state.attemptTimeoutNanos(attempt, now());
  }

  /** Whether an attempt has no time of its own, so that its timer is that of the deadline. */
  boolean attemptEndsAtDeadline(int attempt) {
    return !state.boundsAttempt(attempt);
  }

  /** The time that a timer has to keep for an attempt. */
  long timerNanos(int attempt) {
    return exchange.boundsAttempts() ? Long.MAX_VALUE : attemptTimeoutNanos(attempt);
  }

  RetryScheduler scheduler() {
    return plan.environment().scheduler();
  }

  // The way of an attempt.

  int nextAttempt() {
    return state.attempts() + 1;
  }

  @Override
  public RetryState.Opening opening() {
    return Permits.opening(plan.guards(), info());
  }

  Permits admit() {
    return Permits.acquire(plan.guards(), info());
  }

  void attemptBegan(int number, Object request) {
    retryPending = false;
    state.startAttempt();
    record.attemptStarted(number, request, now());
  }

  Verdict judgeHead(Attempt<R> attempt, R head) {
    Verdict verdict = exchange.judge(head);
    if (verdict instanceof Verdict.Accepted && !plan.guards().isEmpty()) {
      // The guards' part ends with the head; the attempt itself may still break with its body.
      attempt
          .permits()
          .answer(verdict, exchange.facts(head, null), record.elapsedNanos(now()), null);
    }
    return verdict;
  }

  RetryDecision decide(
      Attempt<R> attempt, Verdict verdict, @Nullable R response, @Nullable Throwable thrown) {
    Exchange.Facts facts = exchange.facts(response, thrown);
    write(attempt, verdict, facts, thrown);
    toldByServer = verdict instanceof Verdict.Retryable failed && failed.toldNotToRetry();
    RetryDecision decision = state.next(verdict, now());
    if (decision instanceof RetryDecision.Retry retry) {
      retryPending = true;
      if (response != null && !plan.guards().isEmpty()) {
        record.discarding(facts.status(), exchange.headers(response));
      }
      record.waiting(retry);
    }
    return decision;
  }

  /** Books the end of an attempt for a reason that it did not give itself. */
  void endedOutside(Attempt<R> attempt, StopReason reason, Throwable thrown) {
    if (attempt.toBeRecorded()) {
      FailureKind kind = reason == StopReason.DEADLINE ? FailureKind.TIMEOUT : FailureKind.OTHER;
      Verdict verdict = new Verdict.Permanent(reason, kind, Hint.none());
      R answer = attempt.response(); // given to a function of the user's, which failed
      Exchange.Facts facts =
          answer == null ? exchange.facts(null, thrown) : exchange.facts(answer, null);
      write(attempt, verdict, facts, thrown);
    } else {
      attempt.permits().release();
    }
  }

  private void write(
      Attempt<R> attempt, Verdict verdict, Exchange.Facts facts, @Nullable Throwable thrown) {
    long now = now();
    attempt.permits().answer(verdict, facts, record.elapsedNanos(now), thrown);
    attempt.recorded();
    record.attemptEnded(verdict, facts, thrown, now);
  }

  /** The wait for guards that refused an attempt, null if it is not worth it. */
  RetryDecision.@Nullable Retry readmission() {
    RetryDecision.Retry wait = state.readmission(now());
    if (wait != null) {
      record.waiting(wait);
    }
    return wait;
  }

  Throwable refusal(Attempt<R> attempt) {
    return new AttemptRefusedException(record.lastAnswer(), attempt.refusal());
  }

  // The end.

  /** Ends what no decision has ended; a retry that was paid for and not begun is given back. */
  void abandon(StopReason reason) {
    if (!state.stopped()) {
      state.abandon(reason, retryPending, now());
    }
  }

  RetryReport ended(StopReason reason) {
    Surroundings surroundings = plan.surroundings();
    if (surroundings != null && gaveUp(reason)) {
      surroundings.gaveUp(reason);
    }
    return record.ended(reason, now());
  }

  // Not what a layer above said to leave to it, nor a first failure that nobody retried.
  private boolean gaveUp(StopReason reason) {
    return switch (reason) {
      case BUDGET_EXHAUSTED, GUARD_REFUSED, HINT_TOO_LONG -> true;
      case TOLD_NOT_TO_RETRY -> toldByServer;
      case ATTEMPTS_EXHAUSTED, DEADLINE -> toldByServer || state.retried();
      default -> false;
    };
  }

  /** Whether a response need carry no report. */
  boolean clean() {
    return record.clean();
  }

  @Override
  public String toString() {
    return info() + ", " + state;
  }
}
