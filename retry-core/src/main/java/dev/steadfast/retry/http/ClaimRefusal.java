package dev.steadfast.retry.http;

import dev.steadfast.retry.RetryReport.Effect;
import dev.steadfast.retry.http.OperationJournal.Claim;
import dev.steadfast.retry.http.OperationJournal.Refusal;
import dev.steadfast.retry.http.OperationJournal.RefusedException;
import dev.steadfast.retry.http.OperationJournal.State;

/** What a caller is told if its call sends nothing because of what the journal answered. */
final class ClaimRefusal {
  private ClaimRefusal() {}

  static RefusedException of(Claim claim, JournaledOperation operation) {
    String what = operation.intent().id().toString();
    if (claim instanceof Claim.OtherRequest other) {
      String asked = operation.info().label();
      String message = what + " is another request: " + other.existing() + ", and not " + asked;
      return refused(Refusal.OTHER_REQUEST, message);
    }
    if (claim instanceof Claim.Unknown) {
      String message =
          what + " may have been processed, and this call cannot send it again with its key";
      return refused(Refusal.UNKNOWN, message);
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

  /** Whether the operation had its effect, as far as the journal knows. */
  static Effect effect(Claim claim) {
    if (claim instanceof Claim.Finished finished) {
      return finished.state() == State.SUCCEEDED ? Effect.SUCCEEDED : Effect.FAILED;
    }
    return claim instanceof Claim.OtherRequest ? Effect.NEVER_SENT : Effect.UNKNOWN;
  }
}
