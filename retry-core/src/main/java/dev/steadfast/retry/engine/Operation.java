package dev.steadfast.retry.engine;

import dev.steadfast.retry.AttemptRefusedException;
import dev.steadfast.retry.AttemptReport;
import dev.steadfast.retry.ContextCapture;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.RetryScheduler;
import dev.steadfast.retry.ServerDelay;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.internal.CallContext;
import java.time.Duration;
import java.util.Objects;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One operation: passes what happens to it on to its state, its guards, its record and its
 * listeners. Confined like the loop that it belongs to; an attempt calls it only on the thread that
 * owns the attempt at that time.
 */
final class Operation<R> implements Admission {
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry");

  private final RetryPlan plan;
  private final OperationInfo info;
  private final RetryTransport<R> transport;
  private final RetryState state;
  private final OperationRecord record = new OperationRecord();
  private GuardPermits permits = GuardPermits.none(); // of the attempt that runs
  private long dueNanos; // when the next attempt is due, or was when the guards were asked
  private AttemptRefusedException.@Nullable LastAnswer lastAnswer;

  Operation(RetryPlan plan, OperationInfo info, RetryTransport<R> transport) {
    this.plan = plan;
    this.info = info;
    this.transport = transport;
    this.state = new RetryState(plan, FundedAbove.account(plan, info.origin()), this);
  }

  OperationInfo info() {
    return info;
  }

  RetryTransport<R> transport() {
    return transport;
  }

  /** For its time; what changes it goes through here. */
  RetryState state() {
    return state;
  }

  @Nullable ContextCapture context() {
    return plan.context();
  }

  void begin(long boundNanos) {
    long now = now();
    long bound = boundNanos;
    CallContext callContext = plan.callContext();
    if (callContext != null) {
      long callerWaits = callContext.remainingNanos();
      bound = Math.min(bound, callerWaits);
      state.callerWaits(now, callerWaits);
      if (callContext.doNotRetry()) {
        state.leaveRetriesToLayerAbove();
      }
    }
    state.begin(now, bound);
    record.begin(now);
    if (listeners().any()) {
      listeners().operationStarted(info);
    }
  }

  /** Begins with an operation that has no listener, after its first attempt. */
  void beginAfterFirstAttempt(long beganNanos) {
    state.beginAfterFirstAttempt(beganNanos);
    record.begin(beganNanos);
    record.attemptBegan(1, beganNanos);
  }

  /** Has the listeners bind to this thread what belongs to an attempt. */
  Runnable enterAttempt(int number, Runnable undo) {
    return listeners().enterAttempt(info, number, undo);
  }

  /** Has other operations that the attempt begins on this thread see what is for them. */
  void startAttempt(Attempt<R> attempt) throws Exception {
    CallContext callContext = plan.callContext();
    if (callContext == null) {
      transport.start(attempt);
      return;
    }
    CallContext before = CallContext.bind(callContext.beyond());
    try {
      transport.start(attempt);
    } finally {
      CallContext.bind(before);
    }
  }

  // Time.

  long now() {
    return plan.environment().ticker().getAsLong();
  }

  long remainingNanos() {
    return state.bounded() ? state.remainingNanos(now()) : Long.MAX_VALUE; // reading it costs time
  }

  void extendBound(long boundNanos) {
    long nowNanos = now();
    state.extendBound(nowNanos, Math.min(boundNanos, transport.mostNanos(nowNanos)));
  }

  RetryScheduler scheduler() {
    return plan.environment().scheduler();
  }

  // The way of an attempt.

  @Override
  public Opening opening(long nowNanos) {
    return permits.opening(plan.guards(), info, nowNanos);
  }

  /** Passes the guards, or throws. */
  void admit() {
    if (!plan.guards().isEmpty()) {
      dueNanos = now();
      permits = GuardPermits.of(plan.guards().size());
      permits.acquire(plan.guards(), info, dueNanos);
    }
  }

  void attemptBegan(int number, Object request, long nowNanos) {
    state.startAttempt();
    record.attemptBegan(number, nowNanos);
    if (listeners().any()) {
      listeners().attemptStarted(info, number, request);
    }
  }

  /** Whether an attempt has begun and its end is not recorded yet. */
  boolean attemptRuns() {
    return record.attemptRuns();
  }

  /** How the attempt ended, by the head of its response. */
  Outcome outcomeAtHead(R head) {
    Outcome outcome = transport.outcome(head);
    if (outcome.verdict() instanceof Verdict.Accepted && !plan.guards().isEmpty()) {
      // The guards' part ends with the head; the attempt itself may still break with its body.
      permits.accepted(outcome.verdict(), record.attemptNanos(now()));
    }
    return outcome;
  }

  RetryDecision decide(Outcome outcome, @Nullable R response, @Nullable Throwable thrown) {
    long now = now();
    ended(outcome, thrown, now);
    RetryDecision decision = state.next(outcome, now);
    if (decision instanceof RetryDecision.Retry retry) {
      if (response != null && !plan.guards().isEmpty()) {
        keepForRefusal(outcome.evidence(), response);
      }
      waiting(retry, now);
    }
    return decision;
  }

  /** Records an attempt that was accepted. The budget already knows of its end. */
  void acceptedAlready(R response) {
    Outcome outcome = transport.outcome(response);
    record.attemptEnded(outcome, null, now());
    state.acceptedAlready();
  }

  /** Books the end of the attempt for a reason that it did not give itself. */
  void endedOutside(StopReason reason, Throwable thrown) {
    if (attemptRuns()) {
      FailureKind kind = reason == StopReason.DEADLINE ? FailureKind.TIMEOUT : FailureKind.OTHER;
      Verdict verdict = new Verdict.Permanent(reason, kind, ServerDelay.none());
      ended(new Outcome(verdict, transport.evidence()), thrown, now());
    } else {
      permits.release();
    }
  }

  private void ended(Outcome outcome, @Nullable Throwable thrown, long now) {
    if (outcome.verdict().kind() == FailureKind.TIMEOUT && state.cutByCaller(now)) {
      permits.release(); // it says nothing about the server
    } else if (permits.any()) {
      permits.answer(outcome, ending(now), thrown);
    }
    record.attemptEnded(outcome, thrown, now);
    if (listeners().any()) {
      listeners().attemptEnded(info, Objects.requireNonNull(record.latest()));
    }
  }

  private AttemptEnding ending(long now) {
    long left = state.remainingNanos(now) - plan.nanos().minimumAttempt();
    long own = state.ownTimeoutNanos(state.attempts());
    long may = plan.nanos().longestAttempt(own, transport.headTimeoutNanos());
    return new AttemptEnding(record.attemptNanos(now), now, left, may);
  }

  /** Keeps what a guard's refusal of the next attempt would tell of this answer. */
  private void keepForRefusal(Evidence evidence, R response) {
    int status = evidence.status();
    lastAnswer =
        new AttemptRefusedException.LastAnswer(
            status < 0 ? OptionalInt.empty() : OptionalInt.of(status),
            transport.headers(response),
            record.serverDelay());
  }

  private void waiting(RetryDecision.Retry retry, long nowNanos) {
    dueNanos = nowNanos + retry.delayNanos();
    record.waiting(retry.delayNanos());
    AttemptReport latest = Listeners.logsRetries() ? record.latest() : null;
    if (latest != null) {
      Listeners.logRetry(info, latest, retry);
    }
    if (listeners().any()) {
      listeners().waiting(info, Duration.ofNanos(retry.delayNanos()), retry.why());
    }
  }

  /** How long to wait for the next attempt. The delay is counted from the decision. */
  long leftToWaitNanos() {
    return dueNanos - now();
  }

  /** The wait for guards that refused an attempt, null if it is not worth it. */
  RetryDecision.@Nullable Retry readmission() {
    // The guards are asked about the time of the refusal. A moment later the one that refused may
    // answer 0, and 0 from that guard means that it does not know when it admits an attempt.
    RetryDecision.Retry wait = state.readmission(dueNanos);
    if (wait != null) {
      waiting(wait, dueNanos);
    }
    return wait;
  }

  Throwable refusal(@Nullable Throwable cause) {
    return new AttemptRefusedException(lastAnswer, cause);
  }

  /** Frees what a response holds, where nothing follows that could report a failure of it. */
  void discard(R response) {
    try {
      transport.discard(response);
    } catch (Throwable broken) {
      LOG.warn("a response that nobody gets could not be freed: {}", this, broken);
    }
  }

  // The end.

  /** Ends what no decision has ended; a retry that was paid for and not begun is given back. */
  void abandon(StopReason reason, Throwable thrown) {
    try {
      if (!state.stopped()) {
        state.abandon(reason, now());
      }
    } catch (Throwable broken) {
      // The user's budget may throw. The operation still ends.
      Suppressed.add(thrown, broken);
    }
  }

  /**
   * Tells everybody of the end.
   *
   * @param thrown whether the caller gets an exception, which carries the report
   * @return the report; null if no listener needs it
   */
  @Nullable RetryReport ended(StopReason reason, boolean thrown) {
    transport.over();
    GuardPermits.operationEnded(plan.guards(), info);
    CallContext callContext = plan.callContext();
    if (callContext != null && !plan.optional() && state.gaveUp(reason)) {
      callContext.gaveUp(reason);
    }
    boolean told = listeners().any() || reason.gaveUp() || thrown;
    if (!told && (record.clean(reason) || !transport.carriesReports())) {
      return null;
    }
    long now = now();
    RetryReport report = record.report(reason, now, info, plan.nanos().maxServerDelay());
    listeners().logEnd(info, report, now);
    if (listeners().any() && transport.endsOperation(report)) {
      listeners().ended(info, report);
    }
    return report;
  }

  /** Whether it was one attempt that was accepted: then no response need carry a report. */
  boolean clean(StopReason reason) {
    return record.clean(reason);
  }

  /** Whether somebody listens, or reads a line about each attempt. */
  boolean isHeard() {
    return listeners().any() || Listeners.logsRetries();
  }

  private Listeners listeners() {
    return plan.listeners();
  }

  @Override
  public String toString() {
    return info + ", " + state;
  }
}
