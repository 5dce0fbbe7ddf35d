package dev.steadfast.retry.operations;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.RetryReport.Effect;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.engine.Evidence.Safety;
import dev.steadfast.retry.engine.Replayable;
import dev.steadfast.retry.engine.RetryTransport.LastStep;
import dev.steadfast.retry.http.Journaling.Codec;
import dev.steadfast.retry.http.Journaling.EarlierRequest;
import dev.steadfast.retry.http.ResponseView;
import dev.steadfast.retry.internal.CleanReport;
import dev.steadfast.retry.operations.OperationJournal.Answer;
import dev.steadfast.retry.operations.OperationJournal.Claim;
import dev.steadfast.retry.operations.OperationJournal.Content;
import dev.steadfast.retry.operations.OperationJournal.Ending;
import dev.steadfast.retry.operations.OperationJournal.State;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes what the journal and the caller are told at the end of an operation. Immutable. */
record EndRecorder<R>(JournaledOperation operation, Codec<R> codec) {
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry");

  /** The result of the attempts, to be noted in the journal. */
  record Noted(
      Claim.@Nullable Granted granted,
      RetryReport report,
      Safety safety,
      Settlement settlement,
      Ending ending) {
    /** Whether the caller has cancelled or was interrupted, so that it waits no longer. */
    boolean isLeft() {
      StopReason reason = report.reason();
      return reason == StopReason.CANCELLED || reason == StopReason.INTERRUPTED;
    }
  }

  /**
   * The result of an operation.
   *
   * @param granted the claim, null if the journal could not be reached
   * @param end how its attempts ended
   * @param unsafe whether a request went out in a form that must not be repeated
   */
  Noted of(Claim.@Nullable Granted granted, LastStep<R> end, boolean unsafe) {
    RetryReport told = end.report();
    RetryReport report = told == null ? CleanReport.of(operation.info()) : told;
    R value = end.response();
    Answer answer = null;
    Settlement settlement;
    try {
      answer = value == null ? null : kept(value);
      Settlement.Facts facts = new Settlement.Facts(report, earlier(granted, value), answer);
      settlement = Settlement.of(facts, operation.journal().settings().provesFailure());
    } catch (Throwable broken) { // the user's function, or a body of an interceptor's making
      LOG.warn("it cannot be told how {} ended, so it counts as unknown", operation.info(), broken);
      settlement = Settlement.unknown();
    }
    Safety safety = safety(unsafe);
    settlement = settlement.resumable(safety);
    if (granted != null && granted.delivered()) {
      settlement = settlement.delivered();
    }
    Answer kept = answer == null || settlement.isFinished() ? answer : answer.statusAlone();
    Duration serverDelay = report.serverDelay().orElse(null);
    Ending ending = new Ending(settlement.state(), kept, report.attempts(), serverDelay);
    return new Noted(granted, report, safety, settlement, ending);
  }

  private EarlierRequest earlier(Claim.@Nullable Granted granted, @Nullable R value) {
    boolean claimed = granted != null && granted.mayHaveActed();
    EarlierRequest earlier = claimed ? EarlierRequest.MAY_HAVE_ACTED : EarlierRequest.NONE;
    return value == null || operation.hasSafeMethod()
        ? earlier
        : earlier.and(codec.earlierRequest(value));
  }

  private Answer kept(R value) {
    ResponseView head = codec.head(value);
    return new Answer(head.status(), new Content(head.headerMap(), codec.body(value)));
  }

  // A request that went out without its key, or with another one, is not protected by it.
  private Safety safety(boolean unsafe) {
    boolean usersWord = operation.plan().replayable() == Replayable.ALWAYS;
    return unsafe && !usersWord ? Safety.UNSAFE : operation.intent().terms().safety();
  }

  /** Tells the journal. Returns false if it does not have the end. */
  boolean tell(Claim.Granted granted, Ending ending) {
    try {
      boolean held = operation.journal().ended(operation.intent(), granted, ending);
      if (!held) {
        LOG.warn("another process has taken over {}", operation.info());
      }
      return held;
    } catch (Throwable lost) { // the caller has an answer, whatever the journal throws
      LOG.warn("the journal was not told that {} ended", operation.info(), lost);
      return false;
    }
  }

  /** Gives a claim back with which nothing was sent. */
  void release(Claim.Granted granted) {
    State state = granted.mayHaveActed() ? State.READY : State.CLOSED;
    Runnable task = () -> tell(granted, new Ending(state, null, 0, null));
    try {
      operation.journal().executor().orElse(Runnable::run).execute(task);
    } catch (RuntimeException refused) {
      LOG.warn("the journal could not be told: {}", operation.info(), refused);
    }
  }

  /**
   * The report for the caller.
   *
   * @param recorded whether the journal has the end
   * @param claimedNanos when the claim was begun
   */
  RetryReport report(Noted noted, boolean recorded, long claimedNanos) {
    Effect effect = noted.settlement().effect();
    Effect sure = recorded || effect == Effect.SUCCEEDED ? effect : Effect.UNKNOWN;
    boolean earlier = noted.granted() != null && noted.granted().mayHaveActed();
    RetryReport.Saved saved =
        new RetryReport.Saved(sure, recorded, false, resumableUntil(noted, sure, claimedNanos));
    return new JournaledReport(noted.report(), null, earlier, saved);
  }

  private Optional<Instant> resumableUntil(Noted noted, Effect effect, long claimedNanos) {
    Claim.@Nullable Granted granted = noted.granted();
    Duration left = granted == null ? null : granted.windowLeft();
    if (effect != Effect.UNKNOWN || noted.safety() == Safety.UNSAFE || left == null) {
      return Optional.empty();
    }
    Instant now = operation.plan().environment().clock().get();
    return Optional.of(now.plus(left).minusNanos(operation.now() - claimedNanos));
  }
}
