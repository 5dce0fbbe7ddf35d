package dev.steadfast.retry.resilience4j;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.http.HttpClassifier;
import dev.steadfast.retry.http.HttpClassifier.OperationView;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.ResponseView;
import dev.steadfast.retry.http.Signals;
import dev.steadfast.retry.http.StandardRules;
import dev.steadfast.retry.http.TransportFailure;
import dev.steadfast.retry.resilience4j.ScriptedCalls.Ending;
import dev.steadfast.retry.resilience4j.ScriptedCalls.Failed;
import dev.steadfast.retry.resilience4j.ScriptedCalls.Pending;
import dev.steadfast.retry.resilience4j.ScriptedCalls.Status;
import dev.steadfast.retry.scope.RetryScope;
import dev.steadfast.retry.scope.ScopeOptions;
import dev.steadfast.retry.testkit.FakeTime;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What a breaker counts. It is half-open with room for one attempt, so its state tells: closed
 * after a success, open after an error, half-open with room again if the permission was given back.
 */
class BreakerTableTest {
  private static final String URL = "https://api.example:443/";
  private static final String SUCCESS = "success";
  private static final String ERROR = "error";
  private static final String RELEASED = "released";

  static Stream<Arguments> table() {
    List<Arguments> rows = new ArrayList<>();
    for (int status : new int[] {200, 204, 304, 400, 401, 404, 408, 409, 412, 422, 425, 429}) {
      rows.add(Arguments.of(status + "", Status.of(status), SUCCESS));
    }
    rows.add(Arguments.of("429 + server delay", Status.of(429, "Retry-After", "1"), SUCCESS));
    rows.add(Arguments.of("409 + server delay", Status.of(409, "Retry-After", "1"), SUCCESS));
    for (int status : new int[] {500, 501, 502, 503, 504, 599}) {
      rows.add(Arguments.of(status + "", Status.of(status), ERROR));
    }
    rows.add(Arguments.of("503 + server delay", Status.of(503, "Retry-After", "1"), ERROR));
    rows.add(Arguments.of("503 + stop", Status.of(503, "x-should-retry", "false"), ERROR));
    rows.add(Arguments.of("200 from a cache", new Status(200, Map.of(), true), RELEASED));
    rows.add(Arguments.of("504 from a cache", new Status(504, Map.of(), true), RELEASED));
    for (FailureKind kind :
        List.of(
            FailureKind.DNS,
            FailureKind.CONNECT,
            FailureKind.TLS,
            FailureKind.TIMEOUT,
            FailureKind.CONNECTION_LOST,
            FailureKind.REFUSED_STREAM,
            FailureKind.BROKEN_BODY,
            FailureKind.OTHER)) {
      rows.add(Arguments.of(kind.toString(), failed(kind), ERROR));
    }
    rows.add(
        Arguments.of(
            "certificate not trusted", stopped(FailureKind.TLS, StopReason.NOT_RETRYABLE), ERROR));
    for (StopReason reason :
        List.of(
            StopReason.CANCELLED,
            StopReason.INTERRUPTED,
            StopReason.REJECTED,
            StopReason.BODY_CHANGED,
            StopReason.BODY_NOT_REPEATABLE)) {
      rows.add(
          Arguments.of(
              "ended by the client: " + reason, stopped(FailureKind.OTHER, reason), RELEASED));
    }
    return rows.stream();
  }

  private static Failed failed(FailureKind kind) {
    return new Failed(TransportFailure.of(kind));
  }

  private static Failed stopped(FailureKind kind, StopReason reason) {
    return new Failed(TransportFailure.permanent(kind, reason));
  }

  private final FakeTime time = new FakeTime();
  private final CircuitBreaker breaker;
  private final HttpRetry.Builder retry;

  BreakerTableTest() {
    CircuitBreakerRegistry registry =
        CircuitBreakerRegistry.of(
            CircuitBreakerConfig.custom()
                .slidingWindowSize(1)
                .minimumNumberOfCalls(1)
                .permittedNumberOfCallsInHalfOpenState(1)
                .build());
    breaker = registry.circuitBreaker("https://api.example:443");
    breaker.transitionToOpenState();
    breaker.transitionToHalfOpenState();
    retry =
        HttpRetry.builder()
            .environment(time.environment())
            .policy(
                RetryPolicy.builder().maxAttempts(1).totalTimeout(Duration.ofSeconds(5)).build())
            .guard(Resilience4jGuards.circuitBreaker(registry));
  }

  private String counted() {
    return switch (breaker.getState()) {
      case CLOSED -> SUCCESS;
      case OPEN -> ERROR;
      case HALF_OPEN -> breaker.tryAcquirePermission() ? RELEASED : "lost";
      default -> breaker.getState().toString();
    };
  }

  @ParameterizedTest(name = "{0}: {2}")
  @MethodSource("table")
  void counts(String name, Ending outcome, String expected) {
    awaitEnd(new ScriptedCalls(retry.build()).start(URL, outcome));
    assertEquals(expected, counted(), name);
  }

  @Test
  void aStaleConnectionIsNotRecorded_itsResendIs() {
    awaitEnd(
        new ScriptedCalls(retry.build())
            .start(URL, failed(FailureKind.STALE_CONNECTION), Status.of(200)));
    assertEquals(SUCCESS, counted());
    // The one success closed the breaker; another one would stand in its new count.
    assertEquals(0, breaker.getMetrics().getNumberOfBufferedCalls());
  }

  private static void awaitEnd(CompletableFuture<Status> call) {
    call.handle((status, failure) -> failure).join();
  }

  @Test
  void anAttemptThatIsCutOffByTheDeadline_isAnError() {
    CompletableFuture<Status> call = new ScriptedCalls(retry.build()).start(URL, new Pending());
    time.advance(Duration.ofSeconds(5));
    awaitEnd(call);
    assertEquals(ERROR, counted());
  }

  /**
   * Any caller of this process can choose that deadline, so it must not open a breaker for all
   * callers.
   */
  @Test
  void anAttemptThatIsCutOffByTheCallersDeadline_isNobodysFailure() {
    ScopeOptions options = ScopeOptions.builder().environment(time.environment()).build();
    CompletableFuture<Status> call;
    try (RetryScope scope = RetryScope.enter(Map.of("grpc-timeout", "15m")::get, null, options)) {
      call = new ScriptedCalls(retry.build()).start(URL, new Pending());
      assertEquals(Optional.of(Duration.ofMillis(15)), scope.remaining());
    }
    time.advance(Duration.ofMillis(15));
    awaitEnd(call);
    assertEquals(RELEASED, counted());
  }

  /** A client that ends an attempt by itself, when its caller waits no longer. */
  @Test
  void aTimeoutOfTheClientsAtTheCallersDeadline_isNobodysFailure() {
    assertEquals(RELEASED, timeoutAfter(Duration.ofMillis(15)));
  }

  @Test
  void aTimeoutOfTheClientsBeforeTheCallersDeadline_isAnError() {
    assertEquals(ERROR, timeoutAfter(Duration.ofMillis(14)));
  }

  private String timeoutAfter(Duration elapsed) {
    ScopeOptions options = ScopeOptions.builder().environment(time.environment()).build();
    Failed timeout = failed(FailureKind.TIMEOUT);
    try (RetryScope scope = RetryScope.enter(Map.of("grpc-timeout", "15m")::get, null, options)) {
      Ending ending = new ScriptedCalls.After(() -> time.advance(elapsed), timeout);
      CompletableFuture<Status> call = new ScriptedCalls(retry.build(), false).start(URL, ending);
      assertFalse(scope.doNotRetry());
      awaitEnd(call);
    }
    return counted();
  }

  @Test
  void aClassifierThatThrows_leavesNothingRecorded() {
    retry.classifier(
        new HttpClassifier() {
          @Override
          public Verdict onResponse(
              OperationView operation, ResponseView response, Signals signals) {
            throw new IllegalStateException("the user's");
          }

          @Override
          public Verdict onFailure(OperationView operation, TransportFailure failure) {
            return StandardRules.defaults().onFailure(operation, failure);
          }
        });
    awaitEnd(new ScriptedCalls(retry.build()).start(URL, Status.of(503)));
    assertEquals(RELEASED, counted());
  }
}
