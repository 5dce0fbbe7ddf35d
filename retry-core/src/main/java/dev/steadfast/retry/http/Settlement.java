package dev.steadfast.retry.http;

import dev.steadfast.retry.AttemptReport;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.RetryReport.Effect;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.OperationJournal.Answer;
import dev.steadfast.retry.http.OperationJournal.EarlierRequest;
import dev.steadfast.retry.http.OperationJournal.Repeat;
import dev.steadfast.retry.http.OperationJournal.State;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What the attempts of a journaled operation amount to: what its caller is told, and its state in
 * the journal. A caller is told "failed" only if that is proved. So an answer proves less if an
 * earlier attempt, of this or an earlier claim, may have been processed.
 *
 * <pre>
 * last answer                          no earlier effect possible   earlier effect possible
 * accepted                             succeeded                    succeeded; unknown after a 301
 *                                                                   or 302 that made it a GET
 * none, and nothing was processed      never sent: closed           unknown
 * 401, 403, 407, 421, 425, 429         failed: closed               unknown
 * 409 that asks to wait                unknown                      unknown
 * 307, 308, other 400 to 499           failed                       failed if it is a replay, or
 *                                                                   if the user's function says so;
 *                                                                   else unknown
 * 301, 302 to a method with effects    unknown                      unknown
 * 408, 500 and above, none but sent    unknown                      unknown
 * </pre>
 *
 * <p>An earlier effect may be that of an earlier claim, of an earlier attempt, or of a request from
 * which the client followed a redirect to the answer, or that an interceptor sent again. An earlier
 * attempt of this call had no effect if it was not sent, or if its answer was one of the third row
 * and it sent only that one request.
 *
 * <p>Unknown is settled by sending the same request again, where that is safe: then its state is
 * ready. Where it is not, its state is unknown.
 *
 * @param effect what the caller is told
 * @param state the state in the journal
 */
record Settlement(Effect effect, State state) {

  /**
   * What was sent, and what came of it.
   *
   * @param report what happened to the attempts
   * @param earlier what an earlier claim leaves open, or a request from which the server redirected
   *     to the answer
   * @param safeMethod whether the request has no effect whatever its answer, like GET
   * @param answer the last answer, null for none
   */
  record Facts(
      RetryReport report, EarlierRequest earlier, boolean safeMethod, @Nullable Answer answer) {
    private boolean ambiguous() {
      return earlier != EarlierRequest.NONE
          || report.outcomeUnknown()
          || (report.earlierAttemptMayHaveActed() && !earlierAttemptsWereRefused());
    }

    private boolean earlierAttemptsWereRefused() {
      List<AttemptReport> attempts = report.attemptReports();
      return !attempts.isEmpty()
          && attempts.size() == report.attempts() // of very many, only the last are kept
          && attempts.stream().limit(attempts.size() - 1).noneMatch(Facts::mayHaveActed);
    }

    private static boolean mayHaveActed(AttemptReport attempt) {
      boolean alone = attempt.deliveries().orElse(2) == 1; // no redirect, no challenge
      boolean refused =
          alone && attempt.status().isPresent() && refuses(attempt.status().getAsInt());
      return attempt.disposition().mayHaveActed() && !refused;
    }
  }

  /**
   * Applies the table.
   *
   * @param facts what was sent, and what came of it
   * @param provesFailure whether a 4xx shows that no earlier attempt had an effect
   */
  static Settlement of(Facts facts, Predicate<Answer> provesFailure) {
    RetryReport report = facts.report();
    Answer answer = facts.answer();
    if (answer == null) {
      boolean processed = report.serverMayHaveActed() || facts.ambiguous();
      return processed ? unknown() : new Settlement(Effect.NEVER_SENT, State.CLOSED);
    }
    int status = answer.status();
    if (status >= 300 && status < 400) {
      return redirected(facts, status);
    }
    if (report.reason() == StopReason.ACCEPTED && report.serverMayHaveActed()) {
      return facts.earlier() == EarlierRequest.UNANSWERED ? unknown() : succeeded();
    }
    if (facts.ambiguous()) {
      boolean proved = report.replayed() || provesFailure.test(answer);
      return clientError(status) && proved ? failed() : unknown();
    }
    if (refuses(status)) {
      return new Settlement(Effect.FAILED, State.CLOSED);
    }
    if (!report.serverMayHaveActed()) {
      return new Settlement(Effect.NEVER_SENT, State.CLOSED);
    }
    boolean inProgress = status == 409 && report.reason().gaveUp();
    boolean passedOn = status == 408; // perhaps, by a proxy that waited for the answer
    return clientError(status) && !inProgress && !passedOn ? failed() : unknown();
  }

  // The caller gets a redirect only where the client does not follow it.
  private static Settlement redirected(Facts facts, int status) {
    boolean notHere = status == 307 || status == 308;
    boolean done = !notHere && (facts.safeMethod() || status == 303 || status == 304);
    if (done) {
      return succeeded();
    }
    return notHere && !facts.ambiguous() ? failed() : unknown();
  }

  private static boolean clientError(int status) {
    return status >= 400 && status < 500;
  }

  // The server asks for credentials, for another connection or for fewer requests, and has not
  // processed this one.
  private static boolean refuses(int status) {
    return switch (status) {
      case 401, 403, 407, 421, 425, 429 -> true;
      default -> false;
    };
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
  Settlement resumable(Repeat repeat) {
    return state == State.UNKNOWN && repeat != Repeat.NEVER
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
