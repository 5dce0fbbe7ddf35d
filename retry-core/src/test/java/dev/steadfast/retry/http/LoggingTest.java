package dev.steadfast.retry.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.http.HttpClassifier.OperationView;
import dev.steadfast.retry.testsupport.CapturedLog;
import dev.steadfast.retry.testsupport.CapturedLog.Line;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** What reaches the log, and what of a secret reaches any text. */
class LoggingTest {
  private static final String KEY = "order-4711-payment";
  private static final String TARGET = "https://user:hush@api.example/pay/7?token=hush#hush";
  private static final Wire.Failure LOST =
      Wire.failure(FailureKind.CONNECTION_LOST, Disposition.UNKNOWN);

  private final HttpRetry.Builder retry =
      HttpRetry.builder()
          .environment(new LeapingTime().environment())
          .budget(RetryBudget.unlimited())
          .idempotencyKeys(IdempotencyKeys.from(request -> KEY))
          .policy(
              RetryPolicy.builder()
                  .maxAttempts(3)
                  .backoff(Backoff.fixed(Duration.ofMillis(100)))
                  .build());

  private HttpOperation operation() {
    return retry.build().operation(TestRequest.of("POST", TARGET), RetryOptions.none());
  }

  private List<Line> logged(Object... script) {
    return CapturedLog.of(() -> Wire.run(operation(), script));
  }

  private static String digest() throws NoSuchAlgorithmException {
    byte[] hash = MessageDigest.getInstance("SHA-256").digest(KEY.getBytes(StandardCharsets.UTF_8));
    return String.format("%02x%02x%02x%02x", hash[0], hash[1], hash[2], hash[3]);
  }

  private static TestResponse status(int status) {
    return TestResponse.of(status);
  }

  private static List<Level> levels(List<Line> lines) {
    return lines.stream().map(Line::level).toList();
  }

  @Test
  void theTestsOwnBindingIsInUse() {
    assertInstanceOf(CapturedLog.class, LoggerFactory.getILoggerFactory());
  }

  @Test
  void oneDebugLinePerRetryAndOneWarningWhenGivingUp() throws NoSuchAlgorithmException {
    String who = "POST https://api.example:443/pay/7 key#" + digest();
    assertEquals(
        List.of(
            new Line(Level.DEBUG, who + ": attempt 1 ended with 503, next in 100ms (backoff)"),
            new Line(Level.DEBUG, who + ": attempt 2 ended with 500, next in 2s (server delay)"),
            new Line(
                Level.WARN,
                who
                    + ": gave up, and may have taken effect: 3 attempts in 2.1s,"
                    + " attempts exhausted: maxAttempts=3 [#1 503 in 0s, #2 500 in 0s, #3 429 in 0s]")),
        logged(status(503), TestResponse.of(500).header("Retry-After", "2"), status(429)));
  }

  @Test
  void aSuccessAfterARetryWarnsNobody() {
    assertEquals(List.of(Level.DEBUG), levels(logged(status(503), status(201))));
  }

  @Test
  void aCleanOperationLogsNothing() {
    assertEquals(List.of(), logged(status(201)));
  }

  @Test
  void anEndWithoutARetryIsOneLine_andAWarningIfItMayHaveTakenEffect() {
    assertEquals(List.of(Level.DEBUG), levels(logged(status(404))));
    TestResponse told = status(503).header("x-should-retry", "false");
    assertEquals(List.of(Level.WARN), levels(logged(told)));
    assertEquals(List.of(Level.WARN), levels(logged(status(503).header("Retry-After", "3600"))));
    assertEquals(List.of(Level.DEBUG), levels(logged(status(429).header("Retry-After", "3600"))));
  }

  @Test
  void aFinalAnswerAfterARetryIsAWarningIfAnEarlierAttemptMayHaveTakenEffect() {
    assertEquals(List.of(Level.DEBUG, Level.WARN), levels(logged(status(503), status(404))));
    assertEquals(List.of(Level.DEBUG, Level.DEBUG), levels(logged(status(429), status(404))));
  }

  @Test
  void everyWayToGiveUpAfterARetryWarnsOnce() {
    List<Level> expected = List.of(Level.DEBUG, Level.WARN);
    TestResponse again = status(503);
    assertEquals(expected, levels(logged(again, status(503).header("x-should-retry", "false"))));
    assertEquals(expected, levels(logged(again, status(503).header("Retry-After", "61"))));
    assertEquals(expected, levels(logged(again, status(503).header("Retry-After", "30"))));
    assertEquals(List.of(Level.DEBUG, Level.DEBUG, Level.WARN), levels(logged(again, again, LOST)));
  }

  @Test
  void aListenerThatThrowsIsLoggedAndChangesNothing() {
    retry.listener(
        new RetryListener() {
          @Override
          public void ended(OperationInfo operation, RetryReport report) {
            throw new IllegalStateException("own mistake");
          }
        });
    List<Line> lines = logged(status(503), status(201));
    assertEquals(List.of(Level.DEBUG, Level.WARN), levels(lines));
    assertTrue(lines.get(1).text().contains("own mistake"));
  }

  // Secrets.

  private static void assertTellsNothing(String text) {
    assertFalse(text.contains(KEY), text);
    assertFalse(text.contains("hush"), text);
    assertFalse(text.contains("user"), text);
    assertFalse(text.contains("token"), text);
    assertFalse(text.contains("4711"), text);
  }

  @Test
  void theLogTellsNoSecret() {
    TestResponse echo = status(503).header("Idempotency-Key", KEY).header("Location", TARGET);
    List<Line> lines = logged(echo, LOST, echo);
    assertEquals(3, lines.size());
    lines.forEach(line -> assertTellsNothing(line.text()));
  }

  @Test
  void noTextTellsTheKeyOrTheQuery() {
    List<Object> texts = new ArrayList<>();
    OperationView[] seen = new OperationView[1];
    StandardRules rules = StandardRules.defaults();
    retry.classifier(
        new HttpClassifier() {
          @Override
          public Verdict onResponse(OperationView view, ResponseView response, Signals signals) {
            seen[0] = view;
            return rules.onResponse(view, response, signals);
          }

          @Override
          public Verdict onFailure(OperationView view, TransportFailure failure) {
            return rules.onFailure(view, failure);
          }
        });
    RetryOptions options = RetryOptions.builder().idempotencyKey(KEY).build();
    HttpRetry configured =
        retry.oncePerOperation("X-Tenant", (request, start) -> Optional.of("hush")).build();
    HttpOperation operation =
        configured.operation(
            TestRequest.of("POST", TARGET).header("Authorization", "hush"), options);
    Wire wire = Wire.run(operation, status(503).header("Set-Cookie", "hush"), LOST);
    Throwable thrown = wire.thrown();
    texts.addAll(List.of(configured, options, operation, operation.info(), operation.plan()));
    texts.addAll(List.of(IdempotencyKeys.from(request -> KEY), seen[0], wire.report()));
    texts.addAll(wire.report().attemptReports());
    texts.addAll(wire.outcomes());
    texts.addAll(List.of(thrown, thrown.getSuppressed()[0]));
    texts.add(Wire.outcome(operation, status(200).header("Idempotency-Key", KEY)));
    texts.forEach(each -> assertTellsNothing(each.toString()));
    assertEquals(Optional.of(KEY), wire.report().idempotencyKey(), "for those who ask for it");
  }

  @Test
  void aRefusalTellsNoKey() {
    for (String bad :
        new String[] {KEY + "\n", KEY + "\u00e9", KEY + "k".repeat(255), " " + KEY, KEY + " "}) {
      HttpRetry minting =
          HttpRetry.builder().idempotencyKeys(IdempotencyKeys.from(request -> bad)).build();
      assertTellsNothing(
          assertThrows(
                  IllegalArgumentException.class,
                  () -> minting.operation(TestRequest.of("POST"), RetryOptions.none()))
              .toString());
    }
    TestRequest own = TestRequest.of("POST").header("Idempotency-Key", KEY + "\r\nX: 1");
    assertTellsNothing(
        assertThrows(
                IllegalArgumentException.class,
                () -> HttpRetry.defaults().operation(own, RetryOptions.none()))
            .toString());
    assertTellsNothing(
        assertThrows(
                IllegalArgumentException.class,
                () -> RetryOptions.builder().idempotencyKey(KEY + "\u0000"))
            .toString());
    assertTellsNothing(
        assertThrows(
                IllegalArgumentException.class, () -> IdempotencyKeys.composite(KEY + ":", "a"))
            .toString());
  }
}
