package dev.steadfast.retry.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.Retrier;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.scope.RetryScope;
import dev.steadfast.retry.scope.ScopeOptions;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which ends of calls are reported upward: those after which the layer above should not retry. */
class GaveUpTest {
  private static final Wire.Failure LOST =
      Wire.failure(FailureKind.CONNECTION_LOST, Disposition.UNKNOWN);
  private static final Wire.Failure STALE =
      Wire.failure(FailureKind.STALE_CONNECTION, Disposition.UNSENT);

  private final LeapingTime time = new LeapingTime();
  private final HttpRetry.Builder retry =
      HttpRetry.builder().environment(time.environment()).budget(RetryBudget.unlimited());
  private RetryScope scope = scope(Map.of());

  @AfterEach
  void leave() {
    scope.close();
  }

  private RetryScope scope(Map<String, String> headers) {
    ScopeOptions options = ScopeOptions.builder().environment(time.environment()).build();
    return RetryScope.enter(headers::get, null, options);
  }

  private void told() {
    scope.close();
    scope = scope(Map.of("Do-Not-Retry", "true"));
  }

  private static TestResponse busy() {
    return TestResponse.of(503);
  }

  private static TestResponse stop() {
    return busy().header("x-should-retry", "false");
  }

  private void assertTells(boolean gaveUp, StopReason reason, Object... script) {
    assertTells(gaveUp, reason, TestRequest.of("GET"), script);
  }

  private void assertTells(
      boolean gaveUp, StopReason reason, TestRequest request, Object... script) {
    Wire wire = Wire.run(retry.build().operation(request, RetryOptions.none()), script);
    assertEquals(reason, wire.report().reason());
    assertEquals(gaveUp, scope.gaveUp());
    assertEquals(gaveUp ? Map.of("x-should-retry", "false") : Map.of(), scope.responseHeaders());
  }

  // What counts.

  @Test
  void attemptsThatWereUsedUp() {
    assertTells(true, StopReason.ATTEMPTS_EXHAUSTED, busy(), busy(), LOST);
  }

  @Test
  void notWhatTheRequestDoesNotDependOn() {
    RetryOptions optional = RetryOptions.builder().optional().build();
    Wire wire =
        Wire.run(retry.build().operation(TestRequest.of("GET"), optional), busy(), busy(), busy());
    assertEquals(StopReason.ATTEMPTS_EXHAUSTED, wire.report().reason());
    assertFalse(scope.gaveUp());
    assertEquals(Map.of(), scope.responseHeaders());
  }

  @Test
  void aDeadlineAfterARetry() {
    retry.policy(RetryPolicy.valueOf("maxAttempts=9; backoff=fixed(3s); totalTimeout=5s"));
    assertTells(true, StopReason.DEADLINE, busy());
  }

  @Test
  void aBudgetThatIsEmpty() {
    retry.budget(origin -> new NoTokens());
    assertTells(true, StopReason.BUDGET_EXHAUSTED, busy());
  }

  @Test
  void aGuardThatRefuses() {
    retry.guard(new Shut());
    assertTells(true, StopReason.GUARD_REFUSED, busy());
  }

  @Test
  void aServerDelayThatIsTooLong() {
    assertTells(true, StopReason.SERVER_DELAY_TOO_LONG, busy().header("Retry-After", "3600"));
  }

  @Test
  void aServerThatSaysSo() {
    assertTells(true, StopReason.DO_NOT_RETRY, stop());
  }

  @Test
  void aServerThatSaysSoToAClientThatRetriesNothing() {
    retry.policy(RetryPolicy.noRetry());
    assertTells(true, StopReason.ATTEMPTS_EXHAUSTED, stop());
  }

  @Test
  void aServerThatSaysSoWhereALayerAboveRetries() {
    told();
    assertTells(true, StopReason.DO_NOT_RETRY, stop());
  }

  // What does not.

  @Test
  void whatSucceeds() {
    assertTells(false, StopReason.ACCEPTED, busy(), TestResponse.of(200));
  }

  @Test
  void whatIsLeftToTheLayerAbove() {
    told();
    assertTells(false, StopReason.DO_NOT_RETRY, busy());
    assertTells(false, StopReason.DO_NOT_RETRY, LOST);
  }

  @Test
  void aFirstFailureThatNobodyRetried() {
    retry.policy(RetryPolicy.noRetry());
    assertTells(false, StopReason.ATTEMPTS_EXHAUSTED, busy());
    retry.policy(RetryPolicy.valueOf("maxAttempts=9; backoff=fixed(3s); totalTimeout=2s"));
    assertTells(false, StopReason.DEADLINE, busy());
  }

  @Test
  void theResendOnAStaleConnection() {
    retry.policy(RetryPolicy.noRetry());
    assertTells(false, StopReason.ATTEMPTS_EXHAUSTED, STALE, busy());
    told();
    assertTells(false, StopReason.ATTEMPTS_EXHAUSTED, STALE, busy());
    retry.policy(RetryPolicy.defaults());
    assertTells(false, StopReason.DO_NOT_RETRY, STALE, busy());
  }

  @Test
  void whatNoRetryCanMend() {
    assertTells(false, StopReason.NOT_RETRYABLE, TestResponse.of(404));
    assertTells(false, StopReason.NOT_REPLAYABLE, TestRequest.of("POST"), LOST);
  }

  @Test
  void anExpiredDeadline() {
    scope.close();
    scope = scope(Map.of("X-Request-Timeout-Ms", "0"));
    assertTells(false, StopReason.DEADLINE, busy());
  }

  @Test
  void whatIsCancelled() {
    CompletableFuture<Object> never = new CompletableFuture<>();
    CompletableFuture<Object> call = Retrier.builder().build().callAsync(() -> never);
    call.cancel(true);
    assertTrue(never.isCancelled());
    assertFalse(scope.gaveUp());
  }

  // Which layers learn of it.

  @Test
  void scopesAroundAreToldToo() {
    try (RetryScope inner = scope(Map.of())) {
      try (RetryScope beside = scope(Map.of())) {
        assertFalse(beside.gaveUp());
      }
      Wire.run(retry.build().operation(TestRequest.of("GET"), RetryOptions.none()), stop());
      assertTrue(inner.gaveUp());
    }
    assertTrue(scope.gaveUp());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aRetrierAroundTellsOfItself(boolean recovers) throws Exception {
    int[] calls = {0};
    Retrier retrier =
        Retrier.builder()
            .environment(time.environment())
            .budget(RetryBudget.unlimited())
            .retryResults(status -> status.equals(503))
            .build();
    HttpRetry http = retry.build();
    int end =
        retrier.call(() -> {
          HttpOperation call = http.operation(TestRequest.of("GET"), RetryOptions.none());
          boolean last = recovers && ++calls[0] == 2;
          Wire wire = Wire.run(call, last ? TestResponse.of(200) : stop());
          assertEquals(1, wire.sent().size());
          return last ? 200 : 503;
        });
    assertEquals(recovers ? 200 : 503, end);
    assertEquals(!recovers, scope.gaveUp());
  }

  /** It does not retry, so the answer to its call is passed on to the layer that does. */
  @Test
  void aRetrierThatIsToldNotToRetryPassesOnWhatTheServerSaid() throws Exception {
    told();
    Retrier retrier = Retrier.builder().environment(time.environment()).build();
    HttpRetry http = retry.build();
    retrier.call(
        () -> Wire.run(http.operation(TestRequest.of("GET"), RetryOptions.none()), busy()).sent());
    assertFalse(scope.gaveUp());
    retrier.call(
        () -> Wire.run(http.operation(TestRequest.of("GET"), RetryOptions.none()), stop()).sent());
    assertTrue(scope.gaveUp());
  }

  @Test
  void theHeaderOfTheAnswerCanBeChosen() {
    ScopeOptions options =
        ScopeOptions.builder()
            .headers(ScopeHeaders.standard().withGaveUp("Stripe-Should-Retry", "false"))
            .environment(time.environment())
            .build();
    try (RetryScope inner = RetryScope.enter(name -> null, null, options)) {
      Wire.run(retry.build().operation(TestRequest.of("GET"), RetryOptions.none()), stop());
      assertEquals(Map.of("Stripe-Should-Retry", "false"), inner.responseHeaders());
      assertEquals(Map.of("x-should-retry", "false"), scope.responseHeaders());
    }
  }

  /** What a scope answers, the clients above obey. */
  @Test
  void theClientAboveObeys() {
    Wire.run(retry.build().operation(TestRequest.of("GET"), RetryOptions.none()), stop());
    Map<String, String> answer = scope.responseHeaders();
    scope.close();
    TestResponse above = busy();
    answer.forEach(above::header);
    Wire wire =
        Wire.run(retry.build().operation(TestRequest.of("GET"), RetryOptions.none()), above);
    assertEquals(1, wire.sent().size());
    assertEquals(StopReason.DO_NOT_RETRY, wire.report().reason());
  }
}
