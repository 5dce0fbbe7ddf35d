package dev.steadfast.retry.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.AttemptReport;
import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.ServerDelay;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.Verdict;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is kept of an operation for its report. */
class OperationRecordTest {
  private static final Evidence ANSWERED = evidence(Disposition.ANSWERED, 200);
  private static final Outcome ACCEPTED = new Outcome(Verdict.accepted(), ANSWERED);

  private final OperationRecord record = new OperationRecord();

  @BeforeEach
  void begin() {
    record.begin(1_000);
    record.attemptBegan(1, null, 1_200);
  }

  private static Evidence evidence(Disposition disposition, int status) {
    return Evidence.of(disposition, Evidence.Safety.IDEMPOTENT, status, 1);
  }

  private static Outcome failed(Disposition disposition, int status) {
    Verdict.Retryable verdict = Verdict.retryable(FailureKind.OTHER);
    return new Outcome(
        verdict.withServerDelay(ServerDelay.atLeast(Duration.ofSeconds(9))),
        evidence(disposition, status));
  }

  private RetryReport report(StopReason reason) {
    return record.report(reason, 1_700, OperationInfo.of("origin", "label"), "");
  }

  private AttemptReport ended(Outcome outcome, long nowNanos) {
    record.attemptEnded(outcome, null, nowNanos);
    return record.latest();
  }

  // Only a single attempt that was accepted needs nothing but its response.

  @Test
  void aCleanFirstAttempt_needsNoReport() {
    record.attemptEnded(ACCEPTED, null, 1_500);
    assertTrue(record.clean(StopReason.ACCEPTED));
    assertFalse(record.clean(StopReason.CANCELLED));
  }

  @Test
  void whatWasNeitherUnsentNorRefused_mayHaveBeenBilled() {
    record.attemptEnded(failed(Disposition.UNKNOWN, -1), new IOException("cancelled"), 1_300);
    record.attemptBegan(2, null, 1_400);
    record.attemptEnded(failed(Disposition.REFUSED, 429), null, 1_450);
    record.attemptBegan(3, null, 1_500);
    record.attemptEnded(failed(Disposition.UNSENT, -1), new IOException("x"), 1_550);
    assertEquals(1, report(StopReason.ATTEMPTS_EXHAUSTED).attemptsPerhapsBilled());
    record.attemptBegan(4, null, 1_600);
    record.attemptEnded(ACCEPTED, null, 1_650);
    assertEquals(2, report(StopReason.ACCEPTED).attemptsPerhapsBilled());
  }

  @Test
  void anAcceptedAnswerThatCameWithAFailure_isReported() {
    record.attemptEnded(ACCEPTED, new IOException("x"), 1_500);
    assertFalse(record.clean(StopReason.ACCEPTED));
  }

  @Test
  void anAnswerThatIsMarkedAsAReplay_isReported() {
    record.attemptEnded(new Outcome(Verdict.accepted(), ANSWERED.withReplay()), null, 1_500);
    assertFalse(record.clean(StopReason.ACCEPTED));
  }

  @Test
  void aSecondAttempt_isReported_thoughItWasAccepted() {
    ended(failed(Disposition.UNKNOWN, -1), 1_500);
    record.attemptBegan(2, null, 1_600);
    ended(ACCEPTED, 1_700);
    assertFalse(record.clean(StopReason.ACCEPTED));
    assertEquals(2, report(StopReason.ACCEPTED).attemptReports().size());
  }

  @Test
  void anAttempt_isReportedOnce() {
    AttemptReport report = ended(failed(Disposition.UNKNOWN, -1), 1_500);
    assertSame(report, record.latest());
    assertEquals(1, report(StopReason.NOT_RETRYABLE).attemptReports().size());
  }

  // What a report says.

  @Test
  void timesCountFromTheStart_whateverTheClockShows() {
    ended(failed(Disposition.UNKNOWN, -1), 1_500);
    RetryReport report = report(StopReason.NOT_RETRYABLE);
    AttemptReport attempt = report.last().orElseThrow();
    assertEquals(Duration.ofNanos(200), attempt.startedAfter());
    assertEquals(Duration.ofNanos(300), attempt.took());
    assertEquals(Duration.ofNanos(700), report.elapsed());
  }

  @Test
  void theLatestServerDelay_isExposed() {
    ended(failed(Disposition.ANSWERED, 503), 1_500);
    assertEquals(ServerDelay.atLeast(Duration.ofSeconds(9)), record.serverDelay());
  }

  @ParameterizedTest
  @CsvSource({
    "UNKNOWN,  -1,  NOT_RETRYABLE, true",
    "ANSWERED, 503, NOT_RETRYABLE, true",
    "ANSWERED, 404, NOT_RETRYABLE, false",
    "UNSENT,   -1,  NOT_RETRYABLE, false",
    "UNKNOWN,  -1,  ACCEPTED,      false"
  })
  void theOutcomeIsUnknown_ifAnyAttemptWasAmbiguous_andNoneWasAccepted(
      Disposition disposition, int status, StopReason reason, boolean unknown) {
    ended(failed(disposition, status), 1_500);
    record.attemptBegan(2, null, 1_600);
    boolean accepted = reason == StopReason.ACCEPTED;
    ended(accepted ? ACCEPTED : failed(Disposition.UNSENT, -1), 1_700);
    assertEquals(unknown, report(reason).outcomeUnknown());
  }

  @Test
  void anAcceptedAnswer_leavesNothingUnknown_thoughTheOperationEndsOtherwise() {
    ended(ACCEPTED, 1_500);
    assertEquals(false, report(StopReason.CANCELLED).outcomeUnknown());
  }
}
