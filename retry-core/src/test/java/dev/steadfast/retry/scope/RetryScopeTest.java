package dev.steadfast.retry.scope;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.engine.CallContext;
import dev.steadfast.retry.http.ScopeHeaders;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Entering and leaving, and what is in force in between. */
class RetryScopeTest {
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5); // about to wrap
  private final RetryEnvironment environment =
      new RetryEnvironment(
          nanos::get,
          RetryEnvironment.system().clock(),
          RetryEnvironment.system().random(),
          RetryEnvironment.system().scheduler());
  private final ScopeOptions options = ScopeOptions.builder().environment(environment).build();

  @AfterEach
  void nothingIsLeftOnTheThread() {
    assertEquals(Optional.empty(), RetryScope.current());
    assertNull(CallContext.current());
  }

  private RetryScope enter(Map<String, String> headers) {
    return RetryScope.enter(headers::get, null, options);
  }

  private RetryScope millis(long millis) {
    return enter(Map.of("X-Request-Timeout-Ms", Long.toString(millis)));
  }

  private static Map<String, String> told() {
    return Map.of("Do-Not-Retry", "true");
  }

  private static Optional<Duration> ofMillis(long millis) {
    return Optional.of(Duration.ofMillis(millis));
  }

  // What is in force.

  @Test
  void aRequestThatSaysNothingImposesNothing() {
    try (RetryScope scope = enter(Map.of())) {
      assertSame(scope, RetryScope.current().orElseThrow());
      assertFalse(scope.doNotRetry());
      assertEquals(Optional.empty(), scope.remaining());
      assertEquals(Optional.empty(), scope.parentKey());
      assertEquals(OptionalInt.empty(), scope.attempt());
      assertFalse(scope.gaveUp());
      assertEquals(Map.of(), scope.responseHeaders());
      assertEquals("RetryScope(doNotRetry=false, remaining=unbounded)", scope.toString());
    }
  }

  @Test
  void theTimeThatIsLeftRunsOut() {
    try (RetryScope scope = millis(100)) {
      assertEquals(ofMillis(100), scope.remaining());
      nanos.addAndGet(40_000_000);
      assertEquals(ofMillis(60), scope.remaining());
      assertEquals("RetryScope(doNotRetry=false, remaining=PT0.06S)", scope.toString());
      nanos.addAndGet(60_000_000);
      assertEquals(ofMillis(0), scope.remaining());
      nanos.addAndGet(Long.MAX_VALUE / 2);
      assertEquals(ofMillis(0), scope.remaining());
    }
  }

  @Test
  void theLongestTimeOfAllDoesNotOverflow() {
    try (RetryScope scope = enter(Map.of("grpc-timeout", "2562047H"))) {
      assertEquals(Optional.of(Duration.ofHours(2_562_047)), scope.remaining());
      nanos.addAndGet(1);
      assertEquals(Optional.of(Duration.ofHours(2_562_047).minusNanos(1)), scope.remaining());
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 50, 100, 1000})
  void ofScopesWithinScopesTheMinimumHolds(long inner) {
    try (RetryScope outermost = millis(100)) {
      try (RetryScope within = millis(inner)) {
        assertEquals(ofMillis(Math.min(100, inner)), within.remaining());
        try (RetryScope bare = enter(Map.of())) {
          assertEquals(ofMillis(Math.min(100, inner)), bare.remaining());
          nanos.addAndGet(10_000_000);
          assertEquals(ofMillis(Math.max(0, Math.min(100, inner) - 10)), bare.remaining());
        }
      }
      assertEquals(ofMillis(90), outermost.remaining());
    }
  }

  @Test
  void whatIsToldOutsideHoldsInside() {
    try (RetryScope outer = enter(told())) {
      try (RetryScope inner = enter(Map.of("Do-Not-Retry", "false"))) {
        assertTrue(inner.doNotRetry());
      }
      assertTrue(outer.doNotRetry());
    }
    try (RetryScope outer = enter(Map.of())) {
      try (RetryScope inner = enter(told())) {
        assertTrue(inner.doNotRetry());
      }
      assertFalse(outer.doNotRetry());
    }
  }

  @Test
  void keyAndAttemptAreReadFromWhoIsTrusted() {
    Map<String, String> headers = Map.of("Idempotency-Key", "k", "X-Attempt", "2");
    try (RetryScope unknown = enter(headers)) {
      assertEquals(Optional.empty(), unknown.parentKey());
      assertEquals(OptionalInt.empty(), unknown.attempt());
    }
    try (RetryScope principal = RetryScope.enter(headers::get, "acme", options)) {
      assertEquals(Optional.of("k"), principal.parentKey());
      assertEquals(OptionalInt.of(2), principal.attempt());
    }
    ScopeOptions trusting = ScopeOptions.builder().trustInbound(true).build();
    try (RetryScope gateway = RetryScope.enter(headers::get, null, trusting)) {
      assertEquals(Optional.of("k"), gateway.parentKey());
      assertEquals(OptionalInt.of(2), gateway.attempt());
    }
  }

  @Test
  void theNamesOfTheHeadersCanBeChosen() {
    ScopeOptions envoy = ScopeOptions.builder().headers(ScopeHeaders.envoy()).build();
    try (RetryScope scope =
        RetryScope.enter(Map.of("x-envoy-max-retries", "0")::get, null, envoy)) {
      assertTrue(scope.doNotRetry());
    }
    assertEquals(
        "ScopeOptions(x-envoy-max-retries, null, x-envoy-expected-rq-timeout-ms;"
            + " trustInbound=false; minimumDeadline=0s; service=; operation=null)",
        envoy.toString());
  }

  /** A caller that leaves next to nothing has no work begun that can only be cut off. */
  @Test
  void aDeadlineIsAtLeastTheMinimum() {
    ScopeOptions atLeast =
        ScopeOptions.builder()
            .environment(environment)
            .minimumDeadline(Duration.ofMillis(50))
            .build();
    for (long millis : new long[] {0, 15, 49, 50, 51, 1000}) {
      String left = Long.toString(millis);
      try (RetryScope scope =
          RetryScope.enter(Map.of("X-Request-Timeout-Ms", left)::get, null, atLeast)) {
        assertEquals(ofMillis(Math.max(50, millis)), scope.remaining());
      }
    }
    try (RetryScope scope = RetryScope.enter(name -> null, null, atLeast)) {
      assertEquals(Optional.empty(), scope.remaining());
    }
  }

  /** Whether a proxy has merged the lines of a header or repeats one: all of it is read. */
  @ParameterizedTest
  @ValueSource(
      strings = {"true,true", "true, true", "false, true", "TRUE ,junk", "junk,,true", "true,"})
  void ofSeveralWordsTheStrictestHolds(String merged) {
    try (RetryScope scope = enter(Map.of("Do-Not-Retry", merged))) {
      assertTrue(scope.doNotRetry());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"250m, 5S", "5S,250m", "250m,250m", "junk, 250m", "250m,-1S", ",250m"})
  void ofSeveralDeadlinesTheShortestHolds(String merged) {
    try (RetryScope scope = enter(Map.of("grpc-timeout", merged))) {
      assertEquals(ofMillis(250), scope.remaining());
    }
  }

  @Test
  void ofSeveralAttemptsTheLatestCounts() {
    Map<String, String> headers = Map.of("X-Attempt", "1, attempt=2; max=3");
    try (RetryScope scope = RetryScope.enter(headers::get, "acme", options)) {
      assertEquals(OptionalInt.of(2), scope.attempt());
    }
  }

  // Bad input.

  @Test
  @SuppressWarnings({"NullAway", "DataFlowIssue"}) // what a caller without null checks may do
  void badArgumentsEnterNothing() {
    assertThrows(NullPointerException.class, () -> RetryScope.enter(null));
    assertThrows(NullPointerException.class, () -> RetryScope.enter(name -> null, "a", null));
    Exception empty =
        assertThrows(
            IllegalArgumentException.class, () -> RetryScope.enter(name -> null, " ", options));
    assertEquals(
        "namespace: empty (expected: the authenticated principal, or null for none)",
        empty.getMessage());
    assertThrows(NullPointerException.class, () -> ScopeOptions.builder().headers(null));
    assertThrows(NullPointerException.class, () -> ScopeOptions.builder().environment(null));
    assertThrows(NullPointerException.class, () -> ScopeOptions.builder().minimumDeadline(null));
    assertThrows(NullPointerException.class, () -> ScopeOptions.builder().service(null));
    assertThrows(NullPointerException.class, () -> options.withOperation(null));
    Exception negative =
        assertThrows(
            IllegalArgumentException.class,
            () -> ScopeOptions.builder().minimumDeadline(Duration.ofNanos(-1)));
    assertEquals(
        "minimumDeadline: PT-0.000000001S (expected: zero or more)", negative.getMessage());
    assertThrows(IllegalArgumentException.class, () -> options.withOperation(" "));
    assertThrows(IllegalArgumentException.class, () -> ScopeOptions.builder().service("\ud800"));
    assertThrows(NullPointerException.class, () -> RetryScope.wrap((Runnable) null));
  }

  @Test
  void aLookUpThatThrowsEntersNothing() {
    assertThrows(
        IllegalStateException.class,
        () ->
            RetryScope.enter(name -> {
              throw new IllegalStateException("request is gone");
            }));
  }

  // Leaving.

  @Test
  void closingTwiceHasNoEffect() {
    RetryScope outer = enter(told());
    RetryScope inner = enter(Map.of());
    inner.close();
    inner.close();
    assertSame(outer, RetryScope.current().orElseThrow());
    outer.close();
    outer.close();
    RetryScope next = enter(Map.of());
    outer.close();
    inner.close();
    assertSame(next, RetryScope.current().orElseThrow());
    assertFalse(next.doNotRetry());
    next.close();
  }

  @Test
  void anotherThreadCannotCloseIt() throws Exception {
    RetryScope scope = enter(told());
    Throwable[] thrown = {null};
    Thread other = new Thread(() -> thrown[0] = assertThrows(Throwable.class, scope::close));
    other.start();
    other.join();
    assertEquals(IllegalStateException.class, thrown[0].getClass());
    assertTrue(thrown[0].getMessage().startsWith("the scope was entered by another thread: "));
    assertSame(scope, RetryScope.current().orElseThrow());
    scope.close();
  }

  /** The request is over, whatever was forgotten within: its thread serves the next one. */
  @Test
  void closingAScopeLeavesThoseWithinThatWereForgotten() {
    RetryScope outer = millis(5);
    RetryScope forgotten = enter(told());
    RetryScope forgottenToo = enter(Map.of());
    outer.close();
    assertNull(CallContext.current());
    try (RetryScope next = enter(Map.of())) {
      forgottenToo.close();
      forgotten.close();
      assertSame(next, RetryScope.current().orElseThrow());
      assertFalse(next.doNotRetry());
      assertEquals(Optional.empty(), next.remaining());
    }
  }

  @Test
  void closingAScopeInTheMiddleLeavesTheOneAround() {
    RetryScope outer = enter(told());
    RetryScope middle = millis(5);
    RetryScope inner = enter(Map.of());
    middle.close();
    assertSame(outer, RetryScope.current().orElseThrow());
    inner.close();
    assertSame(outer, RetryScope.current().orElseThrow());
    outer.close();
  }
}
