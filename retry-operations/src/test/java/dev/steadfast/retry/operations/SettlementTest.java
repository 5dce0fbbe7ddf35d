package dev.steadfast.retry.operations;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.RetryReport.Effect;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.engine.Evidence.Safety;
import dev.steadfast.retry.http.HttpClassifier;
import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.Journaling.EarlierRequest;
import dev.steadfast.retry.http.LeapingTime;
import dev.steadfast.retry.http.ResponseView;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.http.Signals;
import dev.steadfast.retry.http.StandardRules;
import dev.steadfast.retry.http.TestRequest;
import dev.steadfast.retry.http.TestResponse;
import dev.steadfast.retry.http.TransportFailure;
import dev.steadfast.retry.http.Wire;
import dev.steadfast.retry.internal.CleanReport;
import dev.steadfast.retry.operations.OperationJournal.Answer;
import dev.steadfast.retry.operations.OperationJournal.Content;
import dev.steadfast.retry.operations.OperationJournal.Settings;
import dev.steadfast.retry.operations.OperationJournal.State;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The table of {@link Settlement}, row by row. */
class SettlementTest {

  private static final Object LOST = Wire.failure(FailureKind.CONNECTION_LOST, Disposition.UNKNOWN);

  private static Answer answer(int status) {
    return new Answer(status, new Content(Map.of(), new byte[0]));
  }

  /** What happened to attempts that ended so, the last one in the given words. */
  private static RetryReport report(HttpClassifier rules, String method, Object... script) {
    HttpRetry retry =
        HttpRetry.builder()
            .policy(RetryPolicy.builder().maxAttempts(script.length).build())
            .budget(RetryBudget.unlimited())
            .idempotencyKeys(IdempotencyKeys.randomUuid())
            .classifier(rules)
            .environment(new LeapingTime().environment())
            .build();
    HttpOperation operation = retry.operation(TestRequest.of(method), RetryOptions.none());
    return Wire.run(operation, script).report();
  }

  private static RetryReport report(Object... script) {
    return report(StandardRules.defaults(), "POST", script);
  }

  private static Settlement of(RetryReport report, EarlierRequest earlier, int status) {
    Answer last = status == 0 ? null : answer(status);
    return Settlement.of(new Settlement.Facts(report, earlier, last), proof -> false);
  }

  private static Settlement alone(RetryReport report, int status) {
    return of(report, EarlierRequest.NONE, status);
  }

  private static Settlement afterEffect(Object last, int status) {
    Settlement byAttempt = alone(report(LOST, last), status);
    Settlement byClaim = of(report(last), EarlierRequest.MAY_HAVE_ACTED, status);
    assertEquals(byAttempt, byClaim, "whichever was earlier");
    return byClaim;
  }

  @ParameterizedTest
  @CsvSource({
    // last answer, told and kept: nothing earlier, something earlier
    "200, -, SUCCEEDED, SUCCEEDED, SUCCEEDED, SUCCEEDED",
    "401, -, FAILED,    CLOSED,    UNKNOWN,   UNKNOWN",
    "403, -, FAILED,    CLOSED,    UNKNOWN,   UNKNOWN",
    "425, -, FAILED,    CLOSED,    UNKNOWN,   UNKNOWN",
    "429, -, FAILED,    CLOSED,    UNKNOWN,   UNKNOWN",
    "402, -, FAILED,    FAILED,    UNKNOWN,   UNKNOWN",
    "404, -, FAILED,    FAILED,    UNKNOWN,   UNKNOWN",
    "409, -, FAILED,    FAILED,    UNKNOWN,   UNKNOWN",
    "409, Retry-After: 1,         UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN",
    "409, Retry-After: 3600,      UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN",
    "409, x-should-retry: true,   UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN",
    "404, Retry-After: 1,         FAILED,  FAILED,  UNKNOWN, UNKNOWN",
    "422, -, FAILED,    FAILED,    UNKNOWN,   UNKNOWN",
    "407, -, FAILED,    CLOSED,    UNKNOWN,   UNKNOWN",
    "408, -, UNKNOWN,   UNKNOWN,   UNKNOWN,   UNKNOWN",
    "499, -, UNKNOWN,   UNKNOWN,   UNKNOWN,   UNKNOWN",
    "421, -, FAILED,    CLOSED,    UNKNOWN,   UNKNOWN",
    "500, -, UNKNOWN,   UNKNOWN,   UNKNOWN,   UNKNOWN",
    "503, -, UNKNOWN,   UNKNOWN,   UNKNOWN,   UNKNOWN",
    "301, -, UNKNOWN,   UNKNOWN,   UNKNOWN,   UNKNOWN",
    "302, -, UNKNOWN,   UNKNOWN,   UNKNOWN,   UNKNOWN",
    "303, -, SUCCEEDED, SUCCEEDED, SUCCEEDED, SUCCEEDED",
    "307, -, FAILED,    FAILED,    UNKNOWN,   UNKNOWN",
    "308, -, FAILED,    FAILED,    UNKNOWN,   UNKNOWN"
  })
  void failedNeedsProof(
      int status, String header, Effect told, State kept, Effect toldAfter, State keptAfter) {
    TestResponse last = TestResponse.of(status, header.equals("-") ? List.of() : List.of(header));
    assertEquals(new Settlement(told, kept), alone(report(last), status));
    assertEquals(new Settlement(toldAfter, keptAfter), afterEffect(last, status));
  }

  /** A status that its rules do not accept is no success, and one that they accept is. */
  @Test
  void theRulesOfTheUserSayWhatASuccessIs() {
    HttpClassifier accepting = (Answering) (operation, answer) -> Verdict.accepted();
    Settlement succeeded = new Settlement(Effect.SUCCEEDED, State.SUCCEEDED);
    assertEquals(succeeded, alone(report(accepting, "POST", TestResponse.of(404)), 404));
    HttpClassifier giving = (Answering) (operation, answer) -> Verdict.permanent();
    Settlement unknown = new Settlement(Effect.UNKNOWN, State.UNKNOWN);
    assertEquals(unknown, alone(report(giving, "POST", TestResponse.of(200)), 200));
  }

  @FunctionalInterface
  private interface Answering extends HttpClassifier {
    Verdict judge(OperationView operation, ResponseView answer);

    @Override
    default Verdict onResponse(OperationView operation, ResponseView answer, Signals signals) {
      return judge(operation, answer);
    }

    @Override
    default Verdict onFailure(OperationView operation, TransportFailure failure) {
      return StandardRules.defaults().onFailure(operation, failure);
    }
  }

  @Test
  void aLostAnswerIsUnknown() {
    Settlement unknown = new Settlement(Effect.UNKNOWN, State.UNKNOWN);
    assertEquals(unknown, afterEffect(LOST, 0));
    assertEquals(unknown, alone(report(LOST), 0));
  }

  @Test
  void whatWasNotProcessedIsNeverSent() {
    Object unsent = Wire.failure(FailureKind.CONNECT, Disposition.UNSENT);
    TestResponse nack = TestResponse.of(503).header("finagle-http-nack", "");
    Settlement never = new Settlement(Effect.NEVER_SENT, State.CLOSED);
    Settlement unknown = new Settlement(Effect.UNKNOWN, State.UNKNOWN);
    assertEquals(never, alone(report(unsent), 0));
    assertEquals(unknown, afterEffect(unsent, 0));
    assertEquals(never, alone(report(nack), 503));
    assertEquals(unknown, afterEffect(nack, 503));
    HttpClassifier claiming =
        (Answering) (operation, answer) -> Verdict.retryable(FailureKind.OTHER).withNothingDone();
    assertEquals(
        new Settlement(Effect.FAILED, State.CLOSED),
        alone(report(claiming, "POST", TestResponse.of(400)), 400),
        "the server says no, and a rule says that it did nothing");
  }

  private static TestResponse replay(int status) {
    return TestResponse.of(status).header("Idempotent-Replayed", "true");
  }

  @Test
  void theReplayOfAFailureProvesIt() {
    Settlement failed = new Settlement(Effect.FAILED, State.FAILED);
    assertEquals(failed, afterEffect(replay(402), 402));
    assertEquals(failed, afterEffect(replay(403), 403));
    assertEquals(failed, alone(report(replay(403)), 403), "each further call would get it again");
    assertEquals(Effect.UNKNOWN, afterEffect(replay(500), 500).effect(), "a 5xx proves nothing");
    assertEquals(Effect.UNKNOWN, afterEffect(replay(408), 408).effect(), "nor does a 408");
  }

  @Test
  void theUsersWordProvesIt() {
    RetryReport report = report(LOST, TestResponse.of(404));
    Predicate<Answer> proof =
        Settings.defaults()
            .withProofOfFailure(last -> last.status() == 404)
            .handingBackToAll()
            .provesFailure();
    for (EarlierRequest earlier : EarlierRequest.values()) {
      Settlement settlement =
          Settlement.of(new Settlement.Facts(report, earlier, answer(404)), proof);
      assertEquals(new Settlement(Effect.FAILED, State.FAILED), settlement);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {301, 302, 303, 304})
  void aRedirectIsTheAnswerToARequestWithoutEffect(int status) {
    RetryReport report = report(StandardRules.defaults(), "GET", TestResponse.of(status));
    assertEquals(Effect.SUCCEEDED, alone(report, status).effect());
  }

  @ParameterizedTest
  @CsvSource({
    "301, POST, GET,  UNANSWERED",
    "302, PUT,  GET,  UNANSWERED",
    "302, PUT,  PUT,  MAY_HAVE_ACTED",
    "302, GET,  GET,  NONE",
    "303, POST, GET,  MAY_HAVE_ACTED",
    "307, POST, POST, NONE",
    "308, POST, POST, NONE",
    "401, POST, POST, NONE",
    "408, POST, POST, MAY_HAVE_ACTED",
    "503, POST, POST, MAY_HAVE_ACTED",
  })
  void whatARedirectLeavesOpen(int status, String method, String next, EarlierRequest left) {
    assertEquals(left, EarlierRequest.before(status, method, next));
  }

  @Test
  void aSuccessIsItsOwn_unlessAnotherRequestHadIt() {
    RetryReport report = report(TestResponse.of(200));
    for (EarlierRequest earlier : EarlierRequest.values()) {
      boolean others = earlier == EarlierRequest.UNANSWERED;
      assertEquals(others ? Effect.UNKNOWN : Effect.SUCCEEDED, of(report, earlier, 200).effect());
    }
  }

  @ParameterizedTest
  @CsvSource({
    "429, -,              FAILED",
    "401, -,              FAILED",
    "404, -,              FAILED",
    "409, -,              UNKNOWN", // the rules take it as in progress
    "409, Retry-After: 1, UNKNOWN",
    "408, -,              UNKNOWN",
    "499, -,              UNKNOWN",
    "503, -,              UNKNOWN"
  })
  void anEarlierAttemptThatWasRefusedHadNoEffect(int earlier, String header, Effect told) {
    TestResponse first = TestResponse.of(earlier, header.equals("-") ? List.of() : List.of(header));
    HttpClassifier rules = StandardRules.builder().alsoRetry(earlier).build();
    assertEquals(told, alone(report(rules, "POST", first, TestResponse.of(402)), 402).effect());
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
  @CsvSource({"KEYED, READY", "IDEMPOTENT, READY", "UNSAFE, UNKNOWN"})
  void unknownIsSettledBySendingAgainWhereThatIsSafe(Safety safety, State state) {
    Settlement unknown = alone(report(TestResponse.of(503)), 503);
    assertEquals(new Settlement(Effect.UNKNOWN, state), unknown.resumable(safety));
    Settlement failed = alone(report(TestResponse.of(402)), 402);
    assertEquals(failed, failed.resumable(safety));
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
