package dev.steadfast.retry.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.AttemptReport;
import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.RetryReport.Effect;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.OperationJournal.Answer;
import dev.steadfast.retry.http.OperationJournal.Content;
import dev.steadfast.retry.http.OperationJournal.EarlierRequest;
import dev.steadfast.retry.http.OperationJournal.Repeat;
import dev.steadfast.retry.http.OperationJournal.State;
import dev.steadfast.retry.internal.CleanReport;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The table of {@link Settlement}, row by row. */
class SettlementTest {

  /** A report that says only what the table asks for. */
  private record Attempts(
      StopReason reason,
      boolean serverMayHaveActed,
      boolean earlierAttemptMayHaveActed,
      boolean replayed,
      List<AttemptReport> attemptReports)
      implements RetryReport {
    Attempts(StopReason reason, boolean acted, boolean earlierActed, boolean replayed) {
      this(reason, acted, earlierActed, replayed, List.of());
    }

    @Override
    public int attempts() {
      return Math.max(1, attemptReports.size());
    }

    @Override
    public Optional<AttemptReport> last() {
      return Optional.empty();
    }

    @Override
    public Duration elapsed() {
      return Duration.ZERO;
    }

    @Override
    public Duration waited() {
      return Duration.ZERO;
    }

    @Override
    public Optional<Duration> serverDelay() {
      return Optional.empty();
    }

    @Override
    public boolean outcomeUnknown() {
      return false;
    }

    @Override
    public Optional<String> idempotencyKey() {
      return Optional.empty();
    }
  }

  private static Answer answer(int status) {
    return new Answer(status, new Content(Map.of(), new byte[0]));
  }

  private static Settlement of(Attempts attempts, boolean earlierClaim, int status) {
    return of(attempts, earlierClaim, "POST", status);
  }

  private static Settlement of(Attempts attempts, boolean earlierClaim, String method, int status) {
    Answer last = status == 0 ? null : answer(status);
    boolean safe = method.equals("GET");
    EarlierRequest earlier = earlierClaim ? EarlierRequest.MAY_HAVE_ACTED : EarlierRequest.NONE;
    return Settlement.of(new Settlement.Facts(attempts, earlier, safe, last), proof -> false);
  }

  private static Settlement of(StopReason reason, boolean earlier, int status) {
    Settlement byAttempt = of(new Attempts(reason, true, earlier, false), false, status);
    Settlement byClaim = of(new Attempts(reason, true, false, false), earlier, status);
    assertEquals(byAttempt, byClaim, "whichever was earlier");
    return byClaim;
  }

  @ParameterizedTest
  @CsvSource({
    // last answer, why it ended, told and kept: nothing earlier, something earlier
    "200, ACCEPTED,           SUCCEEDED, SUCCEEDED, SUCCEEDED, SUCCEEDED",
    "404, ACCEPTED,           SUCCEEDED, SUCCEEDED, SUCCEEDED, SUCCEEDED",
    "401, NOT_RETRYABLE,      FAILED,    CLOSED,    UNKNOWN,   UNKNOWN",
    "403, NOT_RETRYABLE,      FAILED,    CLOSED,    UNKNOWN,   UNKNOWN",
    "425, ATTEMPTS_EXHAUSTED, FAILED,    CLOSED,    UNKNOWN,   UNKNOWN",
    "429, ATTEMPTS_EXHAUSTED, FAILED,    CLOSED,    UNKNOWN,   UNKNOWN",
    "402, NOT_RETRYABLE,      FAILED,    FAILED,    UNKNOWN,   UNKNOWN",
    "404, NOT_RETRYABLE,      FAILED,    FAILED,    UNKNOWN,   UNKNOWN",
    "409, NOT_RETRYABLE,      FAILED,    FAILED,    UNKNOWN,   UNKNOWN",
    "409, ATTEMPTS_EXHAUSTED, UNKNOWN,   UNKNOWN,   UNKNOWN,   UNKNOWN",
    "409, DEADLINE,           UNKNOWN,   UNKNOWN,   UNKNOWN,   UNKNOWN",
    "422, KEY_REUSED,         FAILED,    FAILED,    UNKNOWN,   UNKNOWN",
    "407, NOT_RETRYABLE,      FAILED,    CLOSED,    UNKNOWN,   UNKNOWN",
    "408, NOT_REPLAYABLE,     UNKNOWN,   UNKNOWN,   UNKNOWN,   UNKNOWN",
    "421, NOT_RETRYABLE,      FAILED,    CLOSED,    UNKNOWN,   UNKNOWN",
    "500, NOT_REPLAYABLE,     UNKNOWN,   UNKNOWN,   UNKNOWN,   UNKNOWN",
    "503, ATTEMPTS_EXHAUSTED, UNKNOWN,   UNKNOWN,   UNKNOWN,   UNKNOWN",
    "301, ACCEPTED,           UNKNOWN,   UNKNOWN,   UNKNOWN,   UNKNOWN",
    "302, ACCEPTED,           UNKNOWN,   UNKNOWN,   UNKNOWN,   UNKNOWN",
    "303, ACCEPTED,           SUCCEEDED, SUCCEEDED, SUCCEEDED, SUCCEEDED",
    "307, ACCEPTED,           FAILED,    FAILED,    UNKNOWN,   UNKNOWN",
    "308, ACCEPTED,           FAILED,    FAILED,    UNKNOWN,   UNKNOWN",
    "200, ATTEMPTS_EXHAUSTED, UNKNOWN,   UNKNOWN,   UNKNOWN,   UNKNOWN",
    "0,   ATTEMPTS_EXHAUSTED, UNKNOWN,   UNKNOWN,   UNKNOWN,   UNKNOWN",
    "0,   CANCELLED,          UNKNOWN,   UNKNOWN,   UNKNOWN,   UNKNOWN"
  })
  void failedNeedsProof(
      int status, StopReason reason, Effect told, State kept, Effect toldAfter, State keptAfter) {
    assertEquals(new Settlement(told, kept), of(reason, false, status));
    assertEquals(new Settlement(toldAfter, keptAfter), of(reason, true, status));
  }

  @ParameterizedTest
  @CsvSource({"0, DEADLINE", "503, ATTEMPTS_EXHAUSTED", "400, NOT_RETRYABLE"})
  void whatWasNotProcessedIsNeverSent(int status, StopReason reason) {
    Attempts attempts = new Attempts(reason, false, false, false);
    assertEquals(new Settlement(Effect.NEVER_SENT, State.CLOSED), of(attempts, false, status));
    assertEquals(new Settlement(Effect.UNKNOWN, State.UNKNOWN), of(attempts, true, status));
  }

  @Test
  void theReplayOfAFailureProvesIt() {
    Attempts replayed = new Attempts(StopReason.NOT_RETRYABLE, true, true, true);
    assertEquals(new Settlement(Effect.FAILED, State.FAILED), of(replayed, true, 402));
    assertEquals(Effect.UNKNOWN, of(replayed, true, 500).effect(), "a 5xx proves nothing");
  }

  @Test
  void theUsersWordProvesIt() {
    Attempts attempts = new Attempts(StopReason.NOT_RETRYABLE, true, true, false);
    Settlement settlement =
        Settlement.of(
            new Settlement.Facts(attempts, EarlierRequest.MAY_HAVE_ACTED, false, answer(404)),
            last -> last.status() == 404);
    assertEquals(new Settlement(Effect.FAILED, State.FAILED), settlement);
  }

  @ParameterizedTest
  @ValueSource(ints = {301, 302, 303, 304})
  void aRedirectIsTheAnswerToARequestWithoutEffect(int status) {
    Attempts attempts = new Attempts(StopReason.ACCEPTED, true, false, false);
    assertEquals(Effect.SUCCEEDED, of(attempts, false, "GET", status).effect());
  }

  @ParameterizedTest
  @CsvSource({
    "301, POST, GET,  UNKNOWN",
    "302, PUT,  GET,  UNKNOWN",
    "302, PUT,  PUT,  SUCCEEDED",
    "303, POST, GET,  SUCCEEDED",
    "308, POST, POST, SUCCEEDED",
    "401, POST, POST, SUCCEEDED",
  })
  void aSuccessAfterARedirect(int status, String method, String next, Effect effect) {
    Attempts attempts = new Attempts(StopReason.ACCEPTED, true, false, false);
    EarlierRequest earlier = EarlierRequest.before(status, method, next);
    for (EarlierRequest other : EarlierRequest.values()) {
      Settlement settlement =
          Settlement.of(
              new Settlement.Facts(attempts, earlier.and(other), false, answer(200)), no -> false);
      Effect expected = other == EarlierRequest.UNANSWERED ? Effect.UNKNOWN : effect;
      assertEquals(expected, settlement.effect(), other::toString);
    }
  }

  /** An earlier attempt that was answered. */
  private record Answered(OptionalInt status, OptionalInt deliveries) implements AttemptReport {
    @Override
    public int number() {
      return 1;
    }

    @Override
    public Duration startedAfter() {
      return Duration.ZERO;
    }

    @Override
    public Duration took() {
      return Duration.ZERO;
    }

    @Override
    public Duration waitedBefore() {
      return Duration.ZERO;
    }

    @Override
    public Optional<Throwable> failure() {
      return Optional.empty();
    }

    @Override
    public Optional<FailureKind> kind() {
      return Optional.empty();
    }

    @Override
    public Disposition disposition() {
      return Disposition.ANSWERED;
    }

    @Override
    public String outcome() {
      return status.toString();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "429, 1, FAILED",
    "401, 1, FAILED",
    "429, 2, UNKNOWN", // after a redirect or a challenge
    "429, 0, UNKNOWN",
    "408, 1, UNKNOWN",
    "503, 1, UNKNOWN",
    "409, 1, UNKNOWN"
  })
  void anEarlierAttemptThatWasRefusedHadNoEffect(int earlier, int deliveries, Effect told) {
    OptionalInt sent = deliveries == 0 ? OptionalInt.empty() : OptionalInt.of(deliveries);
    List<AttemptReport> attempts =
        List.of(
            new Answered(OptionalInt.of(earlier), sent),
            new Answered(OptionalInt.of(402), OptionalInt.of(1)));
    Attempts report = new Attempts(StopReason.NOT_RETRYABLE, true, true, false, attempts);
    assertEquals(told, of(report, false, 402).effect());
  }

  @ParameterizedTest
  @EnumSource
  void aDeliveredOneIsSentUntilItIsFinished(State state) {
    Settlement settled = new Settlement(Effect.UNKNOWN, state).delivered();
    boolean unfinished = state == State.READY || state == State.CLOSED;
    assertEquals(unfinished ? Effect.ACCEPTED : Effect.UNKNOWN, settled.effect());
    assertEquals(state, settled.state(), "closed: the journal knows that nothing was sent");
  }

  @ParameterizedTest
  @CsvSource({"KEYED, READY", "IDEMPOTENT, READY", "NEVER, UNKNOWN"})
  void unknownIsSettledBySendingAgainWhereThatIsSafe(Repeat repeat, State state) {
    Settlement unknown = of(StopReason.ATTEMPTS_EXHAUSTED, false, 503);
    assertEquals(new Settlement(Effect.UNKNOWN, state), unknown.resumable(repeat));
    Settlement failed = of(StopReason.NOT_RETRYABLE, false, 402);
    assertEquals(failed, failed.resumable(repeat));
  }

  @ParameterizedTest
  @EnumSource
  void theReportSaysWhatTheJournalKnows(Effect effect) {
    RetryReport.Saved saved = new RetryReport.Saved(effect, true, false, Optional.empty());
    RetryReport report = new JournaledReport(CleanReport.of(null), null, false, saved);
    assertEquals(effect, report.effect(404));
    Effect asked = effect == Effect.UNKNOWN ? Effect.FAILED : effect;
    assertEquals(asked, report.effect(404, status -> Effect.FAILED));
  }
}
