package dev.steadfast.retry.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.testsupport.CapturedLog;
import dev.steadfast.retry.testsupport.CapturedLog.Line;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;

/** The log answers the question why an operation was not retried, or not once more. */
class WhyNotRetriedTest {
  private static final Wire.Failure LOST =
      Wire.failure(FailureKind.CONNECTION_LOST, Disposition.UNKNOWN);
  private static final Wire.Failure STALE =
      Wire.failure(FailureKind.STALE_CONNECTION, Disposition.UNKNOWN);

  private static final Wire.Failure FINAL =
      new Wire.Failure(
          TransportFailure.permanent(FailureKind.TLS, StopReason.NOT_RETRYABLE),
          Disposition.UNSENT);

  private final HttpRetry.Builder retry =
      HttpRetry.builder()
          .environment(new LeapingTime().environment())
          .budget(RetryBudget.unlimited())
          .policy(RetryPolicy.valueOf("maxAttempts=3; backoff=fixed(100ms)"));

  private static TestResponse status(int status) {
    return TestResponse.of(status);
  }

  private static TestRequest request(String method) {
    return TestRequest.of(method, "https://api.example/x");
  }

  private List<Line> logged(String method, Object... script) {
    return logged(request(method), RetryOptions.none(), script);
  }

  private List<Line> logged(TestRequest request, RetryOptions options, Object... script) {
    HttpRetry built = retry.build();
    return CapturedLog.of(() -> Wire.run(built.operation(request, options), script));
  }

  /** The text after the name of the operation and before the list of its attempts. */
  private static String told(List<Line> lines) {
    String text = lines.get(lines.size() - 1).text();
    assertTrue(text.contains(" [#"), text);
    return text.substring(text.indexOf("/x: ") + 4, text.indexOf(" [#"));
  }

  private static void assertOneLine(Level level, String expected, List<Line> lines) {
    assertEquals(1, lines.size(), lines::toString);
    assertEquals(level, lines.get(0).level(), lines::toString);
    assertEquals(expected, told(lines));
  }

  // What ends an operation after one attempt.

  @Test
  void aFinalStatus_isNamed() {
    assertOneLine(
        Level.DEBUG,
        "failed: 1 attempt in 0s, not retryable: the rules take status 404 as final",
        logged("GET", status(404)));
  }

  @Test
  void aFinalFailure_isNamed() {
    assertOneLine(
        Level.DEBUG,
        "failed: 1 attempt in 0s, not retryable: the rules take this failure as final",
        logged("GET", FINAL));
  }

  @Test
  void aFailureThatIsRetriedOnce_isNamed() {
    assertEquals(
        "failed: 2 attempts in 100ms, not retryable: a failure of this kind is retried once",
        told(logged("GET", status(425), status(425))));
  }

  @Test
  void anUnsafeRequest_namesTheLaw() {
    assertOneLine(
        Level.WARN,
        "failed, and may have taken effect: 1 attempt in 0s, not replayable: neither the method"
            + " nor a key makes it safe to send the request again",
        logged("POST", LOST));
  }

  @Test
  void theCallersWord_isNamed() {
    RetryOptions never = RetryOptions.builder().replayable(false).build();
    assertEquals(
        "failed: 1 attempt in 0s, not replayable: RetryOptions.replayable(false)",
        told(logged(request("GET"), never, status(503)))
            .replace(", and may have taken effect", ""));
  }

  @Test
  void thePolicy_isNamed() {
    retry.policy(RetryPolicy.noRetry());
    assertOneLine(
        Level.DEBUG,
        "gave up: 1 attempt in 0s, attempts exhausted: maxAttempts=1",
        logged("GET", status(503)));
  }

  @Test
  void theServersWord_isNamed() {
    assertOneLine(
        Level.DEBUG,
        "gave up: 1 attempt in 0s, told not to retry: the answer says so",
        logged("GET", status(503).header("x-should-retry", "false")));
  }

  @Test
  void theServersDelay_isNamed() {
    assertOneLine(
        Level.DEBUG,
        "gave up: 1 attempt in 0s, the server's delay is above the ceiling: 3600s asked, at most 60s",
        logged("GET", status(503).header("Retry-After", "3600")));
  }

  @Test
  void theTotalTimeout_isNamed() {
    assertOneLine(
        Level.DEBUG,
        "gave up: 1 attempt in 0s, deadline: the next wait does not fit in the 30s left of"
            + " totalTimeout=30s",
        logged("GET", status(503).header("Retry-After", "40")));
  }

  @Test
  void theDeadlineOfTheCall_isNamed() {
    RetryOptions soon = RetryOptions.builder().deadline(java.time.Duration.ofMillis(50)).build();
    assertOneLine(
        Level.DEBUG,
        "gave up: 1 attempt in 0s, deadline: the next wait does not fit in the 50ms left of"
            + " the deadline or timeout of this call",
        logged(request("GET"), soon, status(503)));
  }

  @Test
  void theBudget_isNamed() {
    retry.budget(RetryBudget.perOrigin(0.1));
    HttpRetry built = retry.build();
    for (int i = 0; i < 20; i++) {
      Wire.run(built.operation(request("GET"), RetryOptions.none()), status(503));
    }
    List<Line> lines =
        CapturedLog.of(
            () -> Wire.run(built.operation(request("GET"), RetryOptions.none()), status(503)));
    assertTrue(told(lines).endsWith("retry budget exhausted"), lines::toString);
  }

  @Test
  void theGuard_isNamed() {
    retry.guard(new Shut());
    List<Line> lines = logged("GET", status(200));
    assertEquals(1, lines.size(), lines::toString);
    assertEquals(Level.DEBUG, lines.get(0).level());
    assertTrue(
        lines
            .get(0)
            .text()
            .endsWith("/x: gave up: 0 attempts in 0s, refused by a guard: shut for repairs"),
        lines::toString);
  }

  // What counts, and how each attempt failed.

  /** The resend on a stale connection is an attempt, but none that maxAttempts counts. */
  @Test
  void anAttemptThatDoesNotCount_isExplained() {
    String told = told(logged("GET", STALE, status(503), status(503), status(503)));
    assertTrue(
        told.endsWith(
            "4 attempts in 200ms, attempts exhausted: maxAttempts=3, and one resend on a stale"
                + " connection that does not count"),
        told);
  }

  @Test
  void eachFailure_hasItsKindAndItsMessage() {
    List<Line> lines = logged("GET", LOST, LOST, LOST);
    assertTrue(
        lines
            .get(0)
            .text()
            .endsWith(
                "attempt 1 ended with Broken \"broken\" (connection lost), next in 100ms (backoff)"),
        lines::toString);
    assertTrue(
        lines
            .get(2)
            .text()
            .contains("[#1 Broken \"broken\" (connection lost) in 0s, #2 Broken \"broken\""),
        lines::toString);
  }

  // The warnings.

  @Test
  void aHarmlessOperation_doesNotUseUpTheWarningOfAPayment() {
    HttpRetry built = retry.build();
    List<Line> lines =
        CapturedLog.of(() -> {
          Wire.run(built.operation(request("GET"), RetryOptions.none()), status(503));
          Wire.run(built.operation(request("POST"), RetryOptions.none()), LOST);
        });
    List<Line> warnings = lines.stream().filter(each -> each.level() == Level.WARN).toList();
    assertEquals(2, warnings.size(), lines::toString);
    assertTrue(warnings.get(1).text().startsWith("POST "), lines::toString);
  }

  @Test
  void aReadWhoseAnswerIsLost_hasNoEffect() {
    retry.policy(RetryPolicy.noRetry());
    for (String method : List.of("GET", "HEAD", "OPTIONS", "QUERY")) {
      assertEquals(Level.DEBUG, logged(method, LOST).get(0).level(), method);
    }
    for (String method : List.of("POST", "PUT", "DELETE", "PATCH")) {
      assertEquals(Level.WARN, logged(method, LOST).get(0).level(), method);
    }
    RetryOptions writes = RetryOptions.builder().replayable(false).build();
    assertEquals(Level.WARN, logged(request("GET"), writes, LOST).get(0).level());
  }

  @Test
  void anAcceptedOperation_saysNothing() {
    assertEquals(List.of(), logged("POST", status(201)));
  }
}
