package dev.steadfast.retry.engine;

import dev.steadfast.retry.AttemptRefusedException;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.OtherPath;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.ServerDelay;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.Verdict;
import java.time.Duration;
import java.util.Objects;
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
  private RetryTransport<R> transport; // of this run
  private final RetryState state;
  private final boolean runsAgain; // its end is told when it is closed
  private final OperationRecord record = new OperationRecord();
  private GuardPermits permits = GuardPermits.none(); // of the attempt that runs
  private AdmissionTime opening =
      AdmissionTime.NOW; // what the guards said when they were last asked
  private long dueNanos; // when the next attempt is due, or was when the guards were asked
  // The last answer that another attempt follows, if a guard may refuse that one.
  private @Nullable PackedAnswer answered;

  // The end of the last run, of an operation that may run again.
  private @Nullable StopReason lastReason;
  private @Nullable RetryReport lastReport;

  Operation(RetryPlan plan, OperationInfo info, RetryTransport<R> transport) {
    this(plan, info, transport, false);
  }

  /**
   * An operation that may run again.
   *
   * @param runsAgain whether its end is told when it is closed, and not when its run ends
   */
  Operation(RetryPlan plan, OperationInfo info, RetryTransport<R> transport, boolean runsAgain) {
    this.plan = plan;
    this.info = info;
    this.transport = transport;
    this.runsAgain = runsAgain;
    this.state = new RetryState(plan, plan.account(info.origin()), this);
    if (runsAgain) {
      state.tellEndLater();
    }
  }

  OperationInfo info() {
    return info;
  }

  RetryTransport<R> transport() {
    return transport;
  }

  RetryState state() {
    return state;
  }

  RetryPlan plan() {
    return plan;
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
    state.begin(now, bound, !transport.hasLastStep()); // with a last step, perhaps nothing is sent
    state.extendTotalTimeout(-transport.spentNanos());
    record.begin(now);
    if (listeners().any()) {
      listeners().operationStarted(info);
    }
  }

  /** Begins another run, after one that has ended. */
  void beginAgain(RetryTransport<R> next, long boundNanos) {
    transport = next;
    long now = now();
    CallContext callContext = plan.callContext();
    long callerWaits = callContext == null ? Long.MAX_VALUE : callContext.remainingNanos();
    record.runAgain();
    opening = AdmissionTime.NOW;
    answered = null;
    state.again(now, Math.min(boundNanos, callerWaits), record.perhapsProcessed());
  }

  /** Begins an operation without listeners after its first attempt. */
  void beginAfterFirstAttempt(long beganNanos) {
    state.beginAfterFirstAttempt(beganNanos);
    record.begin(beganNanos);
    record.attemptBegan(1, null, beganNanos);
  }

  /** Has the listeners bind to this thread what belongs to an attempt. */
  Runnable enterAttempt(int number, Runnable undo) {
    return listeners().any() ? listeners().enterAttempt(info, number, undo) : undo;
  }

  /** Starts an attempt in the context that other operations within it are to see. */
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
    return state.bounded() ? state.remainingNanos(now()) : Long.MAX_VALUE; // the clock costs time
  }

  void extendBound(long boundNanos) {
    long nowNanos = now();
    state.extendBound(nowNanos, Math.min(boundNanos, transport.mostNanos(nowNanos)));
  }

  // The way of an attempt.

  @Override
  public AdmissionTime opening(long nowNanos) {
    opening = permits.opening(plan.guards(), info, nowNanos);
    return opening;
  }

  /** Passes the guards, or throws. */
  void admit() {
    if (!plan.guards().isEmpty()) {
      dueNanos = now();
      permits = GuardPermits.of(plan.guards().size());
      permits.acquire(plan.guards(), info, dueNanos);
    }
  }

  void attemptBegan(int number, Object request, @Nullable OtherPath path, long nowNanos) {
    state.attemptBegins(nowNanos, path != null);
    record.attemptBegan(number, path, nowNanos);
    if (listeners().any()) {
      listeners().attemptStarted(info, number, request);
    }
  }

  OperationRecord record() {
    return record;
  }

  /** How the attempt ended, by the head of its response. */
  Outcome outcomeAtHead(R head) {
    Outcome outcome = transport.outcome(head);
    acceptedAtHead(outcome.verdict());
    return outcome;
  }

  /** The meaning of a head that may not be the last one of its attempt. */
  Verdict verdictAtHead(R head) {
    Verdict verdict = transport.verdict(head);
    acceptedAtHead(verdict);
    return verdict;
  }

  private void acceptedAtHead(Verdict verdict) {
    if (verdict instanceof Verdict.Accepted && !plan.guards().isEmpty()) {
      // The guards' part ends with the head; the attempt itself may still break with its body.
      permits.accepted(verdict, record.attemptNanos(now()));
    }
  }

  RetryDecision decide(Outcome outcome, @Nullable R response, @Nullable Throwable thrown) {
    long now = now();
    ended(outcome, thrown, now);
    RetryDecision decision = state.next(outcome, now);
    if (decision instanceof RetryDecision.Retry retry) {
      if (response != null && !plan.guards().isEmpty()) {
        answered = PackedAnswer.of(outcome, transport.headers(response));
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

  /** Records the end of an attempt that was ended from outside. */
  void endedOutside(StopReason reason, Throwable thrown) {
    if (record.attemptRuns()) {
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
      permits.answer(outcome, GuardPermits.AttemptTiming.of(plan, state, record, now), thrown);
    }
    record.attemptEnded(outcome, thrown, now);
    if (listeners().any()) {
      listeners().attemptEnded(info, Objects.requireNonNull(record.latest()));
    }
  }

  private void waiting(RetryDecision.Retry retry, long nowNanos) {
    dueNanos = nowNanos + retry.delayNanos();
    record.waiting(retry.delayNanos());
    Listeners.logRetry(info, record, retry);
    if (listeners().any()) {
      listeners().waiting(info, Duration.ofNanos(retry.delayNanos()), retry.why());
    }
  }

  /** How long to wait for the next attempt. The delay is counted from the decision. */
  long leftToWaitNanos() {
    return dueNanos - now();
  }

  /** The wait of an attempt that was put off. No listener is told. */
  RetryDecision putOff(RetryDecision wait) {
    dueNanos = now() + (wait instanceof RetryDecision.Retry retry ? retry.delayNanos() : 0);
    return wait;
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

  /**
   * The exception that the caller gets if a guard refuses an attempt: it tells of the last answer.
   */
  Throwable refusal(@Nullable Throwable cause) {
    PackedAnswer last = answered;
    return last == null ? new AttemptRefusedException(cause) : last.refusal(cause);
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

  /** Ends an operation that no decision has ended; a retry that was not begun is refunded. */
  void abandon(StopReason reason, Throwable thrown) {
    try {
      if (!state.stopped()) {
        state.abandon(reason, now());
      }
    } catch (Throwable broken) {
      // The user's budget may throw. The operation still ends.
      SuppressedExceptions.add(thrown, broken);
    }
  }

  /**
   * Ends the operation or one of its runs. Tells everybody, unless {@link #close} does that.
   *
   * @param thrown whether the caller gets an exception, which carries the report
   * @return the report; null if no listener needs it
   */
  @Nullable RetryReport ended(StopReason reason, boolean thrown) {
    if (runsAgain) {
      lastReason = reason;
      lastReport = report(reason, thrown);
      return lastReport;
    }
    tellEnd(reason);
    RetryReport report = report(reason, thrown);
    tellEnd(report);
    return report;
  }

  /** Tells everybody of the end of an operation that may run again. */
  void close() {
    StopReason reason = lastReason;
    if (reason == null) {
      return;
    }
    try {
      state.tellEnd(now());
    } catch (Throwable broken) { // the budget or the clock is the user's
      LOG.warn("the budget could not be told of the end: {}", this, broken);
    }
    tellEnd(reason);
    tellEnd(lastReport);
  }

  private void tellEnd(StopReason reason) {
    transport.over();
    if (!plan.guards().isEmpty()) {
      GuardPermits.operationEnded(plan.guards(), info);
    }
    CallContext callContext = plan.callContext();
    if (callContext != null && !plan.optional() && state.gaveUp(reason)) {
      callContext.gaveUp(reason);
    }
  }

  private @Nullable RetryReport report(StopReason reason, boolean thrown) {
    boolean told = listeners().any() || reason != StopReason.ACCEPTED || thrown;
    if (!told && (record.clean(reason) || !transport.carriesReports())) {
      return null;
    }
    long now = now();
    StopDetail because = new StopDetail(plan, state, now, permits.refuser(opening));
    return record.report(reason, now, info, because.of(reason, record.outcome()));
  }

  private void tellEnd(@Nullable RetryReport report) {
    if (report == null) {
      return;
    }
    if (report.reason() != StopReason.ACCEPTED) {
      listeners().logEnd(info, report, now(), plan.replayable());
    }
    if (listeners().any() && !transport.hasLastStep()) {
      listeners().ended(info, report);
    }
  }

  /** Whether it was one attempt that was accepted: then no response need carry a report. */
  boolean clean(StopReason reason) {
    return record.clean(reason);
  }

  /** Whether there are listeners, or a log line for each attempt. */
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
