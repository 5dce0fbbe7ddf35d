package dev.steadfast.retry.operations;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.RetryReport.Effect;
import dev.steadfast.retry.engine.AnswerProof;
import dev.steadfast.retry.engine.Evidence.Safety;
import dev.steadfast.retry.http.Journaling.EarlierRequest;
import dev.steadfast.retry.operations.OperationJournal.Answer;
import dev.steadfast.retry.operations.OperationJournal.State;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The sum of the attempts of a journaled operation: what its caller is told, and its state in the
 * journal. {@link RetryReport#effect} tells what the attempts of this call prove. That proves less
 * if an earlier claim, or a request before a redirect, may have had an effect: then a failure
 * counts only if it is marked as a replay, or if the user's function says so.
 *
 * <p>The state is closed, so that the same call may begin again, if nothing was processed, or if
 * the server may take the same request another time: after {@link AnswerProof#REFUSED}, 403 and
 * 429.
 *
 * <p>Unknown is settled by sending the same request again, where that is safe: then its state is
 * ready. Where it is not, its state is unknown.
 *
 * @param effect what the caller is told
 * @param state the state in the journal
 */
record Settlement(Effect effect, State state) {

  /**
   * The requests that were sent, and their results.
   *
   * @param report what happened to the attempts
   * @param earlier what an earlier claim leaves open, or a request from which the server redirected
   *     to the answer
   * @param answer the last answer, null for none
   */
  record Facts(RetryReport report, EarlierRequest earlier, @Nullable Answer answer) {
    private int status() {
      return answer == null ? -1 : answer.status();
    }

    /** The effect that the attempts of this call prove. */
    private Effect own() {
      if (answer != null) {
        return report.effect(answer.status());
      }
      return report.serverMayHaveActed() ? Effect.UNKNOWN : Effect.NEVER_SENT;
    }

    private boolean beginsAgain() {
      boolean refused = AnswerProof.of(status()) == AnswerProof.REFUSED;
      boolean another = refused || status() == 403 || status() == 429;
      return !report.serverMayHaveActed() || (another && !report.replayed());
    }
  }

  /**
   * Decides.
   *
   * @param facts what was sent, and what came of it
   * @param provesFailure whether a 4xx shows that no earlier attempt had an effect
   */
  static Settlement of(Facts facts, Predicate<Answer> provesFailure) {
    Effect own = facts.own();
    boolean alone = facts.earlier() == EarlierRequest.NONE;
    if (own == Effect.SUCCEEDED) {
      return facts.earlier() == EarlierRequest.UNANSWERED ? unknown() : succeeded();
    }
    if (alone && own != Effect.UNKNOWN) {
      return facts.beginsAgain() ? new Settlement(own, State.CLOSED) : failed();
    }
    boolean replayed = own == Effect.FAILED && facts.report().replayed();
    return replayed || proves(provesFailure, facts.answer()) ? failed() : unknown();
  }

  private static boolean proves(Predicate<Answer> provesFailure, @Nullable Answer answer) {
    return answer != null
        && answer.status() >= 400
        && answer.status() < 500
        && provesFailure.test(answer);
  }

  private static Settlement succeeded() {
    return new Settlement(Effect.SUCCEEDED, State.SUCCEEDED);
  }

  private static Settlement failed() {
    return new Settlement(Effect.FAILED, State.FAILED);
  }

  static Settlement unknown() {
    return new Settlement(Effect.UNKNOWN, State.UNKNOWN);
  }

  boolean isFinished() {
    return state == State.SUCCEEDED || state == State.FAILED;
  }

  /** The same, but ready to be sent again if it is unknown and sending it again is safe. */
  Settlement resumable(Safety safety) {
    return state == State.UNKNOWN && safety != Safety.UNSAFE
        ? new Settlement(effect, State.READY)
        : this;
  }

  /** The same for an enlisted operation: unless it is over, its caller is told "accepted". */
  Settlement delivered() {
    return state == State.READY || state == State.CLOSED
        ? new Settlement(Effect.ACCEPTED, state)
        : this;
  }
}
