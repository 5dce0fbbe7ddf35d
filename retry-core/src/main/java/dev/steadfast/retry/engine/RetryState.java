package dev.steadfast.retry.engine;

import dev.steadfast.retry.DelayReason;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryBudget.Withdrawal;
import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.Verdict;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides what follows an attempt. One object per operation, used only by the thread that drives
 * it. It does no I/O and reads no clock.
 *
 * <p>The budget learns of the failure before the first step, because some budgets charge for
 * failures. The order of a decision:
 *
 * <ol>
 *   <li>accepted: deposit, stop
 *   <li>final, or possibly processed and not safe to repeat as it went over the wire: stop
 *   <li>no attempts left, or no paid repeats: stop
 *   <li>told not to retry, by a signal or by the layer above: stop
 *   <li>the server delay is above the ceiling: stop, the delay is exposed
 *   <li>delay = max(backoff, server delay + upward spread)
 *   <li>the delay and a minimal attempt would pass the deadline: stop now
 *   <li>guards are asked, not acquired: a refusal that is already known ends the operation here,
 *       while the response is still whole
 *   <li>withdraw from the budget: the only side effect of deciding, so last; nothing is withdrawn
 *       for the first resend after the connection died or refused the stream, or after another
 *       connection than the usual one was refused
 * </ol>
 */
final class RetryState {
  private final RetryPlan plan;
  private final RetryBudget.Account budget;
  private final Admission admission;

  // Both deadlines may wrap: only differences of them are used.
  private long deadlineNanos; // of the policy's total timeout
  // The bound that the caller has set for this operation; another thread may take a part of it
  // back.
  private volatile long boundNanos;
  private volatile boolean hasBound;
  private @Nullable CallerDeadline caller; // a part of the bound

  private int attempts;
  private short perhapsProcessed; // attempts, up to the largest short
  private @Nullable PastFailures past; // null: none that could be retried
  private boolean retryPending; // decided on, not begun
  private boolean ownedAbove; // a layer above owns the retries
  private boolean serverSaysDoNotRetry; // after the last attempt
  private boolean cutShort; // the last attempt, because the caller waits no longer
  private @Nullable StopReason stopped;
  private boolean unknownToBudget; // until an attempt begins
  private boolean runsAgain; // the budget hears of the end when the last run is over
  private RetryBudget.@Nullable Outcome untold; // the end of a run that may not be the last
  private boolean elsewhere; // the latest attempt takes another connection than the usual one

  RetryState(RetryPlan plan, RetryBudget.Account budget, Admission admission) {
    this.plan = plan;
    this.budget = budget;
    this.admission = admission;
  }

  /** The state of an operation without guards; call {@link #begin} first. */
  static RetryState of(RetryPolicy policy, RetryBudget.Account budget, LongSupplier random) {
    RetryEnvironment system = RetryEnvironment.system();
    RetryEnvironment drawing =
        new RetryEnvironment(system.ticker(), system.clock(), random, system.scheduler());
    RetryPlan plan = RetryPlan.of(RetryPolicy.defaults(), RetryBudget.unlimited(), drawing);
    return new RetryState(plan.withPolicy(policy), budget, Admission.FREE);
  }

  private PolicyNanos nanos() {
    return plan.nanos();
  }

  /** A layer above owns the retries: this operation makes one attempt. */
  void leaveRetriesToLayerAbove() {
    ownedAbove = true;
  }

  /**
   * Starts the operation's time.
   *
   * @param boundNanos a bound in addition to the policy's; {@link Long#MAX_VALUE} for none
   */
  void begin(long nowNanos, long boundNanos) {
    begin(nowNanos, boundNanos, true);
  }

  /**
   * As {@link #begin(long, long)}.
   *
   * @param told false if the budget hears nothing before an attempt begins
   */
  void begin(long nowNanos, long boundNanos, boolean told) {
    deadlineNanos = nowNanos + nanos().total();
    extendBound(nowNanos, boundNanos);
    unknownToBudget = !told;
    if (told) {
      budget.operationBegan(nowNanos);
    }
  }

  /**
   * An attempt begins.
   *
   * @param elsewhere whether it takes another connection than the client's usual one
   */
  void attemptBegins(long nowNanos, boolean elsewhere) {
    this.elsewhere = elsewhere;
    if (unknownToBudget) {
      unknownToBudget = false;
      budget.operationBegan(nowNanos);
    }
    startAttempt();
  }

  /** Begins an operation after its first attempt. Its budget knows that it began. */
  void beginAfterFirstAttempt(long beganNanos) {
    begin(beganNanos, Long.MAX_VALUE, false);
    unknownToBudget = false;
    attempts = 1;
  }

  /** Whether an attempt was a free resend. */
  boolean hasResent() {
    return resent() > 0;
  }

  /**
   * Begins another run of an operation that ended. The attempts and the time that are left go on; a
   * failure that is allowed once may be met once more.
   */
  void again(long nowNanos, long boundNanos, int perhapsProcessed) {
    this.perhapsProcessed = (short) Math.min(perhapsProcessed, Short.MAX_VALUE);
    stopped = null;
    retryPending = false;
    serverSaysDoNotRetry = false;
    cutShort = false;
    extendBound(nowNanos, boundNanos);
    untold = null;
    PastFailures before = past;
    Withdrawal held = before == null ? null : before.runsAgain();
    if (held != null) { // must be settled before another retry can take something
      budget.operationEnded(RetryBudget.Outcome.UNKNOWN, held, nowNanos);
      budget.operationBegan(nowNanos);
    }
  }

  /** The budget hears of the end by {@link #tellEnd} alone: the operation may run again. */
  void tellEndLater() {
    runsAgain = true;
  }

  /** Tells the budget of the end of the last run. */
  void tellEnd(long nowNanos) {
    RetryBudget.Outcome outcome = untold;
    if (outcome != null) {
      untold = null;
      budget.operationEnded(outcome, withdrawal(), nowNanos);
    }
  }

  /** Ends an operation. Its budget already knows of the success. */
  void acceptedAlready() {
    stopped = StopReason.ACCEPTED;
  }

  /**
   * Notes which part of the bound is the caller's. An attempt that this part cuts off does not
   * count as a failure.
   *
   * @param remainingNanos how long the caller waits; {@link Long#MAX_VALUE} if it does not say
   */
  void callerWaits(long nowNanos, long remainingNanos) {
    caller =
        remainingNanos == Long.MAX_VALUE ? null : new CallerDeadline(nowNanos + remainingNanos);
  }

  /** Whether time is up because the caller waits no longer, and by no other bound before that. */
  boolean cutByCaller(long nowNanos) {
    CallerDeadline by = caller;
    return by != null
        && by.isReached(nowNanos, nanos().minimumAttempt())
        && !(nanos().total() != Long.MAX_VALUE && by.isAfter(deadlineNanos))
        && !(hasBound && by.isAfter(boundNanos));
  }

  /** Puts a longer bound, or none, in the place of the one that the operation began with. */
  void extendBound(long nowNanos, long boundNanos) {
    this.boundNanos = nowNanos + boundNanos;
    hasBound = boundNanos != Long.MAX_VALUE; // until this is seen, it is 292 years away
  }

  /** Moves the end of the total timeout, which does not run while a request body is sent. */
  void extendTotalTimeout(long nanos) {
    deadlineNanos += nanos;
  }

  /** Counts an attempt that starts now, and returns its number, from 1. */
  int startAttempt() {
    requireRunning();
    retryPending = false;
    return ++attempts;
  }

  /** The attempt timeout of the policy; {@link Long#MAX_VALUE} for none. */
  long ownTimeoutNanos(int attempt) {
    return nanos().attempt(Math.max(1, counted(attempt)));
  }

  /** The time until the deadline: 0 if it has passed, {@link Long#MAX_VALUE} if there is none. */
  long remainingNanos(long nowNanos) {
    return Math.min(remainingTotalNanos(nowNanos), remainingBoundNanos(nowNanos));
  }

  /** The time that is left of the policy's total timeout, which may end before the body does. */
  long remainingTotalNanos(long nowNanos) {
    return nanos().total() != Long.MAX_VALUE
        ? Math.max(0, deadlineNanos - nowNanos)
        : Long.MAX_VALUE;
  }

  /** The time until the bound of this operation, which holds for bodies too. */
  long remainingBoundNanos(long nowNanos) {
    return hasBound ? Math.max(0, boundNanos - nowNanos) : Long.MAX_VALUE;
  }

  /** Whether there is a deadline. */
  boolean bounded() {
    return nanos().total() != Long.MAX_VALUE || hasBound;
  }

  /** How many of the attempts count against maxAttempts: a free resend does not. */
  private int counted(int made) {
    return made - resent();
  }

  private int resent() {
    return past == null ? 0 : past.resent;
  }

  private @Nullable Withdrawal withdrawal() {
    return past == null ? null : past.withdrawal;
  }

  /** How many attempts were started. */
  int attempts() {
    return attempts;
  }

  /** Decides what follows the attempt that ended. */
  RetryDecision next(Outcome outcome, long nowNanos) {
    requireRunning();
    Verdict verdict = outcome.verdict();
    cutShort = verdict.kind() == FailureKind.TIMEOUT && cutByCaller(nowNanos);
    if (verdict instanceof Verdict.Retryable failed) {
      serverSaysDoNotRetry = failed.doNotRetry();
      if (!cutShort) {
        budget.attemptFailed(failed.kind(), withdrawal(), nowNanos);
        past = past == null ? new PastFailures() : past;
        past.withdrawal = null; // spent with the attempt
      }
    }
    if (outcome.evidence().disposition().mayHaveActed() && perhapsProcessed < Short.MAX_VALUE) {
      perhapsProcessed++;
    }
    // 1 accepted: deposit, stop
    if (verdict instanceof Verdict.Accepted accepted) {
      RetryBudget.Outcome success =
          accepted.observed() ? RetryBudget.Outcome.SUCCEEDED : RetryBudget.Outcome.UNKNOWN;
      return end(StopReason.ACCEPTED, success, nowNanos);
    }
    // 2 final, or possibly processed and not safe to repeat as it went over the wire: stop
    if (verdict instanceof Verdict.Permanent permanent) {
      return fail(permanent.reason(), nowNanos);
    }
    Evidence.Safety safety = outcome.evidence().safety();
    if (!plan.word().allows(safety)) {
      return fail(StopReason.NOT_REPLAYABLE, nowNanos);
    }
    if (outcome.evidence().bodySpent()) {
      return fail(StopReason.BODY_NOT_REPEATABLE, nowNanos);
    }
    boolean detour = elsewhere && outcome.refusesConnection();
    past = past == null ? new PastFailures() : past;
    return afterSafeFailure((Verdict.Retryable) verdict, safety, detour, nowNanos);
  }

  /** Whether the number of paid repeats that the caller allows is used up. */
  boolean forbidsPaying(Evidence evidence) {
    return plan.word().forbidsPaying(evidence.safety(), perhapsProcessed);
  }

  /** Steps 3 to 9. */
  private RetryDecision afterSafeFailure(
      Verdict.Retryable failure, Evidence.Safety safety, boolean detour, long nowNanos) {
    PastFailures before = Objects.requireNonNull(past);
    boolean seen = before.seen(failure.kind());
    boolean stale = failure.kind() == FailureKind.STALE_CONNECTION && !seen;
    boolean safeAsSuch = safety.needsNoKey();
    // A stale connection says nothing about the server. Its one resend does not count as an
    // attempt, unless only a key or the caller's word makes it safe: the server may not honour it.
    // A connection that only the library wanted costs the operation no attempt either.
    boolean refusedThere = detour && !seen;
    boolean free = (stale && safeAsSuch) || refusedThere;
    // 3 no attempts left, or no paid repeats: stop
    if (failure.once() && seen) {
      return fail(StopReason.NOT_RETRYABLE, nowNanos);
    }
    boolean last = !free && counted(attempts) >= nanos().policy().maxAttempts();
    if (last || plan.word().forbidsPaying(safety, perhapsProcessed)) {
      return fail(StopReason.ATTEMPTS_EXHAUSTED, nowNanos);
    }
    // 4 told not to retry, by a signal or by the layer above: stop
    if (failure.doNotRetry() || (ownedAbove && !free)) {
      return fail(StopReason.DO_NOT_RETRY, nowNanos);
    }
    // 5 the server delay is above the ceiling: stop, the delay is exposed
    if (nanos().givesUpAt(failure.serverDelay())) {
      return fail(StopReason.SERVER_DELAY_TOO_LONG, nowNanos);
    }
    // 6 delay = max(backoff, server delay + upward spread)
    RetryDecision.Retry retry =
        stale
            ? Decisions.retry(0, DelayReason.STALE_CONNECTION)
            : before.delay(failure, plan, remainingNanos(nowNanos));
    // 7 the delay and a minimal attempt would pass the deadline: stop now
    if (!nanos().fits(retry.delayNanos(), remainingNanos(nowNanos))) {
      return fail(StopReason.DEADLINE, nowNanos);
    }
    // 8 guards are asked, not acquired: a known refusal ends the operation here
    AdmissionTime opening = admission.opening(nowNanos);
    if (opening.inNanos() > retry.delayNanos()) {
      if (!nanos().allows(opening, remainingNanos(nowNanos))) {
        return fail(StopReason.GUARD_REFUSED, nowNanos);
      }
      retry = nanos().waitFor(opening, remainingNanos(nowNanos), plan.environment().random());
    }
    // 9 withdraw from the budget: the only side effect of deciding, so last
    // The end of a connection, or of its free streams, is no outage of the server: all requests of
    // a burst may meet it. So one resend of each costs nothing, as plain clients make it, too.
    boolean ofConnection =
        switch (failure.kind()) {
          case STALE_CONNECTION, GOAWAY, REFUSED_STREAM -> true;
          default -> false;
        };
    boolean costsNothing = refusedThere || (ofConnection && !seen && safeAsSuch);
    if (!costsNothing) {
      Withdrawal taken = budget.tryWithdraw(failure.kind(), nowNanos);
      if (!taken.granted()) {
        return fail(StopReason.BUDGET_EXHAUSTED, nowNanos);
      }
      before.withdrawal = taken;
    }
    retryPending = true;
    before.resent += (short) (free ? 1 : 0);
    return retry;
  }

  /**
   * Ends the operation from outside: cancelled, interrupted, out of time. The budget gets back the
   * token of a retry that did not start.
   */
  RetryDecision.Stop abandon(StopReason reason, long nowNanos) {
    requireRunning();
    boolean failed = reason == StopReason.DEADLINE && !cutByCaller(nowNanos);
    PastFailures before = past;
    Withdrawal unused = withdrawal();
    try {
      if (retryPending && before != null && unused != null) {
        before.withdrawal = null;
        budget.refund(unused, nowNanos);
      }
    } finally { // the budget may be the user's, and throw
      end(reason, failed ? RetryBudget.Outcome.FAILED : RetryBudget.Outcome.UNKNOWN, nowNanos);
    }
    return Decisions.stop(reason);
  }

  /**
   * Whether the operation ended in a way that a layer above must know of: its retries failed, or
   * its server, guard or budget says that retrying does harm. It is false if the layer above owns
   * the retries, and after a first failure that was not retried.
   */
  boolean gaveUp(StopReason reason) {
    return Decisions.gaveUp(reason, serverSaysDoNotRetry, counted(attempts) > 1);
  }

  /** The wait for guards that refused an attempt which was to start; null if it is not worth it. */
  RetryDecision.@Nullable Retry readmission(long nowNanos) {
    AdmissionTime opening = admission.opening(nowNanos);
    // A guard may refuse and yet give no time to wait, because it does not know when it will admit
    // an attempt. Then the operation does not wait.
    return opening.inNanos() > 0 && nanos().allows(opening, remainingNanos(nowNanos))
        ? nanos().waitFor(opening, remainingNanos(nowNanos), plan.environment().random())
        : null;
  }

  private RetryDecision.Stop fail(StopReason reason, long nowNanos) {
    boolean unknown = cutShort || Decisions.byCaller(reason);
    return end(
        reason, unknown ? RetryBudget.Outcome.UNKNOWN : RetryBudget.Outcome.FAILED, nowNanos);
  }

  private RetryDecision.Stop end(StopReason reason, RetryBudget.Outcome outcome, long nowNanos) {
    stopped = reason;
    untold = unknownToBudget ? null : outcome;
    if (!runsAgain) {
      tellEnd(nowNanos);
    }
    return Decisions.stop(reason);
  }

  private void requireRunning() {
    if (stopped != null) {
      throw new IllegalStateException("the operation ended after " + this);
    }
  }

  boolean stopped() {
    return stopped != null;
  }

  @Override
  public String toString() {
    return attempts + " attempts, " + (stopped == null ? "running" : stopped.toString());
  }
}
