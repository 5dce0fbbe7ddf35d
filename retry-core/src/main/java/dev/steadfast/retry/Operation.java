package dev.steadfast.retry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * The books of one operation: its time, its decisions, its record. Confined like the loop that it
 * belongs to; what an {@link Attempt} asks of it comes from whoever owns the attempt then. A clean
 * first attempt that nobody listens to leaves nothing behind.
 *
 * <p>One object, for every call has one, and one for the record beside it would be two.
 */
final class Operation<R> implements RetryState.Admission {
  private static final int MOST_REPORTS = 100;

  private final RetryPlan plan;
  private final OperationInfo info;
  private final Exchange<R> exchange;
  private final RetryState state;
  private boolean retryPending; // decided on and paid for, not begun
  private boolean toldByServer;

  // The record.
  private long startNanos;
  private long attemptStartNanos;
  private long waitBeforeNanos;
  private long waitedNanos;
  private int attempts;
  private boolean mayHaveActed;
  private boolean earlierMayHaveActed;
  private boolean replayed;
  private boolean clean;
  private Hint hint = Hint.none();
  private AttemptRefusedException.LastAnswer lastAnswer = AttemptRefusedException.LastAnswer.NONE;
  private @Nullable AttemptReport first; // most waits follow one attempt
  private List<AttemptReport> others = List.of();

  Operation(RetryPlan plan, OperationInfo info, Exchange<R> exchange) {
    this.plan = plan;
    this.info = info;
    this.exchange = exchange;
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
    return info;
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
    startNanos = now;
    if (listeners().any()) {
      listeners().operationStarted(info);
    }
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
    return Permits.opening(plan.guards(), info);
  }

  Permits admit() {
    return Permits.acquire(plan.guards(), info);
  }

  void attemptBegan(int number, Object request) {
    retryPending = false;
    state.startAttempt();
    attempts = number;
    attemptStartNanos = now();
    if (listeners().any()) {
      listeners().attemptStarted(info, number, request);
    }
  }

  Verdict judgeHead(Attempt<R> attempt, R head) {
    Verdict verdict = exchange.judge(head);
    if (verdict instanceof Verdict.Accepted && !plan.guards().isEmpty()) {
      // The guards' part ends with the head; the attempt itself may still break with its body.
      attempt
          .permits()
          .answer(verdict, exchange.facts(head, null), now() - attemptStartNanos, null);
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
        discarding(facts, response);
      }
      waiting(retry);
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
    attempt.permits().answer(verdict, facts, now - attemptStartNanos, thrown);
    attempt.recorded();
    keep(verdict, facts, thrown, now);
  }

  /** The wait for guards that refused an attempt, null if it is not worth it. */
  RetryDecision.@Nullable Retry readmission() {
    RetryDecision.Retry wait = state.readmission(now());
    if (wait != null) {
      waiting(wait);
    }
    return wait;
  }

  Throwable refusal(Attempt<R> attempt) {
    return new AttemptRefusedException(lastAnswer, attempt.refusal());
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
    return report(reason, now());
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

  private RetryReport report(StopReason reason, long nowNanos) {
    clean = reason == StopReason.ACCEPTED && attempts == 1 && !replayed;
    if (clean && !listeners().any()) {
      return RetryReport.clean();
    }
    RetryReport report =
        new RetryReport(
            reason,
            new RetryReport.Totals(attempts, nowNanos - startNanos, waitedNanos, hint),
            reports(),
            new RetryReport.Flags(mayHaveActed, earlierMayHaveActed, replayed),
            info);
    if (reason.gaveUp() && attempts > 1) {
      Listeners.logGivingUp(info, report);
    }
    if (listeners().any()) {
      listeners().ended(info, report);
    }
    return report;
  }

  /** Whether it was one attempt that was accepted: then no response need carry a report. */
  boolean clean() {
    return clean;
  }

  // The record.

  private Listeners listeners() {
    return plan.listeners();
  }

  /** Where the attempt that ended is worth a report. */
  private void keep(
      Verdict verdict, Exchange.Facts facts, @Nullable Throwable failure, long nowNanos) {
    boolean observed = !(verdict instanceof Verdict.Accepted accepted) || accepted.observed();
    if (!observed) {
      attempts = 0; // answered by a cache: no attempt was made
    }
    earlierMayHaveActed = mayHaveActed;
    mayHaveActed |= observed && facts.sendState().mayHaveActed();
    replayed = facts.replayed();
    hint = hint(verdict);
    if (unremarkable(verdict)) {
      return;
    }
    AttemptReport report =
        new AttemptReport(
            attempts,
            new AttemptReport.Timing(
                attemptStartNanos - startNanos, nowNanos - attemptStartNanos, waitBeforeNanos),
            new AttemptReport.Result(
                facts.status(),
                failure,
                Permits.kind(verdict),
                facts.sendState(),
                facts.deliveries()));
    keep(report);
    if (listeners().any()) {
      listeners().attemptEnded(info, report);
    }
  }

  private boolean unremarkable(Verdict verdict) {
    return attempts <= 1 && verdict instanceof Verdict.Accepted && !listeners().any() && !replayed;
  }

  private static Hint hint(Verdict verdict) {
    if (verdict instanceof Verdict.Retryable retryable) {
      return retryable.hint();
    }
    return verdict instanceof Verdict.Permanent permanent ? permanent.hint() : Hint.none();
  }

  private void keep(AttemptReport report) {
    if (first == null) {
      first = report;
      return;
    }
    if (others.isEmpty()) {
      others = new ArrayList<>();
    }
    others.add(report);
    if (others.size() == MOST_REPORTS) {
      first = others.remove(0);
    }
  }

  private List<AttemptReport> reports() {
    if (first == null) {
      return List.of();
    }
    List<AttemptReport> all = new ArrayList<>(1 + others.size());
    all.add(first);
    all.addAll(others);
    return all;
  }

  /** Keeps what a guard's refusal of the next attempt would tell of this answer. */
  private void discarding(Exchange.Facts facts, R response) {
    OptionalInt status = facts.status() < 0 ? OptionalInt.empty() : OptionalInt.of(facts.status());
    lastAnswer = new AttemptRefusedException.LastAnswer(status, exchange.headers(response), hint);
  }

  private void waiting(RetryDecision.Retry retry) {
    waitBeforeNanos = retry.delayNanos();
    waitedNanos = Durations.saturatedAdd(waitedNanos, retry.delayNanos());
    AttemptReport latest = others.isEmpty() ? first : others.get(others.size() - 1);
    if (latest != null) {
      Listeners.logRetry(info, latest, retry);
    }
    if (listeners().any()) {
      listeners().waiting(info, Duration.ofNanos(retry.delayNanos()), retry.why());
    }
  }

  @Override
  public String toString() {
    return info + ", " + state;
  }
}
