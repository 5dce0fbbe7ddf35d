package dev.steadfast.retry.operations;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.RetryReport.Effect;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.Journaling.Codec;
import dev.steadfast.retry.operations.OperationJournal.Answer;
import dev.steadfast.retry.operations.OperationJournal.Claim;
import dev.steadfast.retry.operations.OperationJournal.Refusal;
import dev.steadfast.retry.operations.OperationJournal.RefusedException;
import dev.steadfast.retry.operations.OperationJournal.State;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes the result for a caller whose call sends nothing because of the journal's answer. */
record ClaimRefusal<R>(JournaledOperation operation, Codec<R> codec) {
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry");

  // Refusals that the journal has recorded, whatever the effect is.
  private static final Set<Refusal> NOTED =
      EnumSet.of(Refusal.UNKNOWN, Refusal.PARKED, Refusal.CANCELLED);

  /**
   * The end of an operation that is not sent.
   *
   * @param claim what the journal answered, null if it failed
   * @param thrown how it failed
   * @param reached whether the journal has answered this call before
   * @return null if it is sent
   */
  @Nullable EndWithoutSending<R> end(
      @Nullable Claim claim, @Nullable Throwable thrown, boolean reached) {
    if (claim == null) {
      // This call sent nothing. But an earlier call may have, and a claim may have been written.
      Throwable failed = Objects.requireNonNull(thrown);
      Effect effect = is(failed, Refusal.UNWRITABLE) ? Effect.NEVER_SENT : Effect.UNKNOWN;
      return !reached && sendsWithoutJournal(failed) ? null : notSent(effect, failed);
    }
    if (claim instanceof Claim.Granted) {
      return null;
    }
    Answer kept = claim instanceof Claim.Finished finished ? handedBack(finished) : null;
    byte[] body = kept == null ? null : kept.content().body().orElse(null);
    return kept == null || body == null
        ? notSent(effect(claim), exception(claim))
        : handedBack(effect(claim), kept, body);
  }

  private @Nullable Answer handedBack(Claim.Finished finished) {
    return isCaller(finished) ? finished.answer() : null;
  }

  private boolean isCaller(Claim.Finished finished) {
    return operation.journal().settings().handsBackToAll()
        || finished.caller().equals(operation.intent().caller());
  }

  private boolean sendsWithoutJournal(Throwable thrown) {
    if (is(thrown, Refusal.UNREACHABLE) && operation.journal().settings().sendsUnreachable()) {
      LOG.warn("sent without its journal, which is unreachable: {}", operation.info(), thrown);
      return true;
    }
    return false;
  }

  private static boolean is(Throwable thrown, Refusal refusal) {
    return thrown instanceof RefusedException refused && refused.refusal() == refusal;
  }

  private EndWithoutSending<R> notSent(Effect effect, Throwable thrown) {
    boolean noted = thrown instanceof RefusedException refused && NOTED.contains(refused.refusal());
    return failed(effect, noted, reason(thrown), thrown);
  }

  private EndWithoutSending<R> failed(
      Effect effect, boolean noted, StopReason reason, Throwable thrown) {
    boolean recorded = noted || effect == Effect.SUCCEEDED || effect == Effect.FAILED;
    RetryReport.Saved known = new RetryReport.Saved(effect, recorded, false, Optional.empty());
    return EndWithoutSending.failed(
        thrown, JournaledReport.notSent(reason, known, operation.info()));
  }

  private static StopReason reason(Throwable thrown) {
    if (!(thrown instanceof RefusedException refused)) {
      return StopReason.NOT_RETRYABLE;
    }
    return switch (refused.refusal()) {
      case IN_FLIGHT -> StopReason.IN_FLIGHT_ELSEWHERE;
      case OTHER_REQUEST -> StopReason.OTHER_REQUEST;
      case UNKNOWN -> StopReason.EARLIER_OUTCOME_UNKNOWN;
      case UNREACHABLE, UNWRITABLE, ANSWER_NOT_KEPT, OTHER_CALLER, PARKED, CANCELLED ->
          StopReason.JOURNAL_REFUSED;
    };
  }

  private EndWithoutSending<R> handedBack(Effect effect, Answer answer, byte[] body) {
    RetryReport report = JournaledReport.handedBack(effect, operation.info());
    try {
      return new EndWithoutSending<>(codec.restore(answer, body, report), null, report);
    } catch (Throwable refused) {
      return failed(effect, false, StopReason.USER_CODE_FAILED, refused);
    }
  }

  private RefusedException exception(Claim claim) {
    String what = operation.intent().id().toString();
    if (claim instanceof Claim.OtherRequest other) {
      return new RefusedException(operation.intent(), other);
    }
    if (claim instanceof Claim.Unknown) {
      String message =
          what + " may have been processed, and this call cannot send it again with its key";
      return refused(Refusal.UNKNOWN, message);
    }
    if (claim instanceof Claim.Stopped stopped) {
      boolean cancelled = stopped.state() == State.CANCELLED;
      return refused(
          cancelled ? Refusal.CANCELLED : Refusal.PARKED, what + " is " + stopped.state());
    }
    if (claim instanceof Claim.Finished finished && !isCaller(finished)) {
      String message =
          what + " has " + finished.state() + ", and its answer is that of another caller";
      return refused(Refusal.OTHER_CALLER, message);
    }
    if (claim instanceof Claim.Finished finished) {
      String message = what + " has " + finished.state() + ", and its answer is not kept";
      return refused(Refusal.ANSWER_NOT_KEPT, message);
    }
    return refused(Refusal.IN_FLIGHT, what + " is in flight elsewhere");
  }

  private static RefusedException refused(Refusal refusal, String message) {
    return new RefusedException(refusal, message, null);
  }

  // Whether the operation had its effect, as far as the journal knows.
  private static Effect effect(Claim claim) {
    if (claim instanceof Claim.Finished finished) {
      return finished.state() == State.SUCCEEDED ? Effect.SUCCEEDED : Effect.FAILED;
    }
    if (claim instanceof Claim.Stopped stopped) {
      return stopped.state() == State.CANCELLED ? Effect.NEVER_SENT : Effect.UNKNOWN;
    }
    return claim instanceof Claim.OtherRequest ? Effect.OTHER_REQUEST : Effect.UNKNOWN;
  }
}
