package dev.steadfast.retry.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.scope.RetryScope;
import dev.steadfast.retry.scope.ScopeOptions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which parts of a scope are sent, and to which servers. */
class PropagationTest {
  private static final String TOLD = "Do-Not-Retry";
  private static final String LEFT = "X-Request-Timeout-Ms";
  private static final List<String> NAMES = List.of(TOLD, "grpc-timeout", LEFT);

  private final LeapingTime time = new LeapingTime();

  private HttpRetry.Builder retry() {
    return HttpRetry.builder()
        .environment(time.environment())
        .budget(RetryBudget.unlimited())
        .policy(
            RetryPolicy.builder()
                .totalTimeout(Duration.ofSeconds(10))
                .backoff(Backoff.fixed(Duration.ofSeconds(1)))
                .build());
  }

  private static HttpOperation get(HttpRetry.Builder retry, String uri) {
    return retry.build().operation(TestRequest.of("GET", uri), RetryOptions.none());
  }

  private RetryScope scope(Map<String, String> headers) {
    ScopeOptions options = ScopeOptions.builder().environment(time.environment()).build();
    return RetryScope.enter(headers::get, null, options);
  }

  @ParameterizedTest
  @CsvSource({
    "https://api.example, https://api.example/orders",
    "https://api.example:443/, https://api.example/orders",
    "HTTPS://API.Example, https://api.example:443/orders?q=1",
    "http://api.example, http://api.example:80/",
    "http://a_b:8080, http://a_b:8080/x",
    "http://[::1]:8080, http://[::1]:8080/x"
  })
  void reachesTheOriginThatIsNamed(String named, String uri) {
    HttpOperation operation = get(retry().propagation(Propagation.to(named)), uri);
    assertTrue(operation.changesHeaders());
    assertEquals(NAMES, operation.headersOfOrigin());
    assertEquals(List.of("10000"), Wire.run(operation, TestResponse.of(200)).sent(LEFT));
  }

  @ParameterizedTest
  @CsvSource({
    "https://api.example, http://api.example/orders",
    "https://api.example, https://api.example:8443/orders",
    "https://api.example, https://evil.example/orders",
    "https://api.example, https://api.example.evil.example/orders",
    "https://api.example, https://api.example@evil.example/orders",
    "https://api.example, https://sub.api.example/orders"
  })
  void andNoOther(String named, String uri) {
    try (RetryScope scope = scope(Map.of(TOLD, "true", LEFT, "500"))) {
      assertTrue(scope.doNotRetry());
      HttpOperation operation =
          get(retry().propagation(Propagation.to(named).owningRetries()), uri);
      assertFalse(operation.changesHeaders());
      assertEquals(List.of(), operation.headersOfOrigin());
      assertEquals(List.of(Map.of()), Wire.run(operation, TestResponse.of(200)).sent());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "api.example",
        "api.example:443",
        "//api.example",
        "ftp://api.example",
        "https:///orders",
        "https://api.example/orders",
        "https://api.example?q",
        "https://api.example#f",
        "https://user@api.example",
        "https://api.example:x y",
        "https://*.example/*",
        "https://*.example",
        "https://user@orders_api",
        "https://api.example:65536"
      })
  void whatIsNoOriginIsRefused(String bad) {
    Exception refused = assertThrows(IllegalArgumentException.class, () -> Propagation.to(bad));
    assertTrue(refused.getMessage().startsWith("origin: \"" + bad), refused.getMessage());
  }

  @Test
  void noOriginIsRefused() {
    Exception refused = assertThrows(IllegalArgumentException.class, Propagation::to);
    assertEquals("origins: none (expected: one or more)", refused.getMessage());
  }

  @Test
  @SuppressWarnings({"NullAway", "DataFlowIssue"}) // what a caller without null checks may do
  void nullsAreRefused() {
    assertThrows(NullPointerException.class, () -> Propagation.to((String[]) null));
    assertThrows(NullPointerException.class, () -> Propagation.to((String) null));
    assertThrows(
        NullPointerException.class, () -> Propagation.to("https://a.example").withHeaders(null));
  }

  @Test
  void theTimeThatIsLeftShrinksFromAttemptToAttempt() {
    HttpOperation operation =
        get(retry().propagation(Propagation.to("https://api.example")), "https://api.example");
    Wire wire =
        Wire.run(operation, TestResponse.of(503), TestResponse.of(503), TestResponse.of(200));
    assertEquals(List.of("10000", "9000", "8000"), wire.sent(LEFT));
    assertEquals(List.of("10000000u", "9000000u", "8000000u"), wire.sent("grpc-timeout"));
    assertEquals(List.of("absent", "absent", "absent"), wire.sent(TOLD));
  }

  @Test
  void anAttemptIsGivenNoMoreThanItsOwnTimeout() {
    HttpRetry.Builder retry =
        retry()
            .policy(
                RetryPolicy.builder()
                    .attemptTimeout(Duration.ofSeconds(2))
                    .totalTimeout(Duration.ofSeconds(10))
                    .build())
            .propagation(Propagation.to("https://api.example"));
    Wire wire = Wire.run(get(retry, "https://api.example"), TestResponse.of(200));
    assertEquals(List.of("2000"), wire.sent(LEFT));
  }

  @Test
  void withoutAnyDeadlineNoTimeIsSent() {
    HttpRetry.Builder retry =
        retry()
            .policy(RetryPolicy.builder().noTotalTimeout().build())
            .propagation(Propagation.to("https://api.example").owningRetries());
    Wire wire = Wire.run(get(retry, "https://api.example"), TestResponse.of(200));
    assertEquals(List.of(Map.of(TOLD, "true")), wire.sent());
  }

  @Test
  void aScopePassesOnWhatItWasTold() {
    try (RetryScope scope = scope(Map.of(TOLD, "true", LEFT, "500"))) {
      HttpOperation operation =
          get(retry().propagation(Propagation.to("https://api.example")), "https://api.example");
      Wire wire = Wire.run(operation, TestResponse.of(503));
      assertEquals(List.of("true"), wire.sent(TOLD));
      assertEquals(List.of("500"), wire.sent(LEFT));
      assertFalse(scope.gaveUp());
    }
  }

  @Test
  void whoOwnsTheRetriesSaysSoWithoutAnyScope() {
    HttpRetry.Builder retry =
        retry().propagation(Propagation.to("https://api.example").owningRetries());
    Wire wire =
        Wire.run(get(retry, "https://api.example"), TestResponse.of(503), TestResponse.of(200));
    assertEquals(List.of("true", "true"), wire.sent(TOLD)); // and retries itself
  }

  @Test
  void theCallersOwnHeadersStay() {
    TestRequest request =
        TestRequest.of("GET").header("do-not-retry", "never").header("x-request-timeout-ms", "7");
    HttpRetry retry =
        retry().propagation(Propagation.to("https://api.example").owningRetries()).build();
    HttpOperation operation = retry.operation(request, RetryOptions.none());
    Wire wire = Wire.run(operation, TestResponse.of(200));
    assertEquals(List.of(Map.of("grpc-timeout", "10000000u")), wire.sent());
    assertEquals(List.of("grpc-timeout"), operation.headersOfOrigin());
  }

  @Test
  void meshesHaveTheirOwnNames() {
    HttpRetry.Builder retry =
        retry()
            .propagation(
                Propagation.to("https://api.example")
                    .owningRetries()
                    .withHeaders(ScopeHeaders.envoy()));
    Wire wire = Wire.run(get(retry, "https://api.example"), TestResponse.of(200));
    assertEquals(
        List.of(Map.of("x-envoy-max-retries", "0", "x-envoy-expected-rq-timeout-ms", "10000")),
        wire.sent());
  }

  @Test
  void nobodyIsToldByDefault() {
    try (RetryScope scope = scope(Map.of(TOLD, "true", LEFT, "500"))) {
      assertTrue(scope.doNotRetry());
      HttpOperation operation = get(retry(), "https://api.example");
      assertFalse(operation.changesHeaders());
      assertEquals(List.of(), operation.headersOfOrigin());
    }
  }

  @Test
  void theKeyIsOfItsOriginToo() {
    HttpRetry retry =
        retry()
            .idempotencyKeys(IdempotencyKeys.randomUuid())
            .propagation(Propagation.to("https://api.example"))
            .build();
    HttpOperation operation = retry.operation(TestRequest.of("POST"), RetryOptions.none());
    assertEquals(
        List.of(TOLD, "grpc-timeout", LEFT, "Idempotency-Key"), operation.headersOfOrigin());
  }

  @ParameterizedTest
  @CsvSource({
    // the first request, the one that follows, whether both go to one server
    "http://api.example:80, http://api.example:80, true",
    "http://api.example:80, https://api.example:443, true",
    "https://api.example:443, http://api.example:80, false",
    "http://api.example:80, https://api.example:8443, false",
    "http://api.example:8080, https://api.example:443, false",
    "http://api.example:81, https://api.example:443, false",
    "http://api.example:80, https://other.example:443, false",
    "https://api.example:443, https://api.example:444, false",
    "http://[::1]:80, https://[::1]:443, true"
  })
  void theKeyLeavesNoServer(String first, String now, boolean same) {
    HttpRetry retry = retry().idempotencyKeys(IdempotencyKeys.randomUuid()).build();
    HttpOperation operation = retry.operation(TestRequest.of("POST"), RetryOptions.none());
    assertEquals(
        same ? List.of() : List.of("Idempotency-Key"), operation.foreignHeaders(first, now));
  }
}
