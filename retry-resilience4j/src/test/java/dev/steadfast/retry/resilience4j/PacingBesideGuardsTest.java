package dev.steadfast.retry.resilience4j;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.AttemptRefusedException;
import dev.steadfast.retry.Guard;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.Quota;
import dev.steadfast.retry.Retrier;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.limit.AdaptiveLimit;
import dev.steadfast.retry.limit.QuotaPacing;
import dev.steadfast.retry.testkit.FakeTime;
import io.github.resilience4j.bulkhead.BulkheadConfig;
import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Wherever pacing stands among the guards, a wait costs the others nothing. */
@Timeout(20)
class PacingBesideGuardsTest {
  private static final OperationInfo ANY = OperationInfo.of("work", "work");

  private final FakeTime time = new FakeTime();
  private final QuotaPacing pacing = QuotaPacing.perOrigin();
  private final AdaptiveLimit limit = AdaptiveLimit.perOrigin();
  private final CircuitBreakerRegistry breakers =
      CircuitBreakerRegistry.of(
          CircuitBreakerConfig.custom().permittedNumberOfCallsInHalfOpenState(1).build());
  private final CircuitBreaker breaker = breakers.circuitBreaker("work");
  private final BulkheadRegistry bulkheads =
      BulkheadRegistry.of(BulkheadConfig.custom().maxConcurrentCalls(1).build());

  private Retrier retrier(int pacingAt) {
    List<Guard> guards = new ArrayList<>();
    guards.add(Resilience4jGuards.circuitBreaker(breakers));
    guards.add(limit);
    guards.add(Resilience4jGuards.bulkhead(bulkheads));
    guards.add(pacingAt, pacing);
    Retrier.Builder builder =
        Retrier.builder()
            .policy(RetryPolicy.valueOf("totalTimeout=60s"))
            .environment(time.environment());
    guards.forEach(builder::guard);
    return builder.build();
  }

  private void learn(long remaining) {
    Quota.Policy policy = new Quota.Policy("q", null, true, 4, 10_000_000_000L);
    pacing.learn(ANY, List.of(new Quota(policy, remaining, 10_000_000_000L, 0)), time.nanos());
  }

  private void nothingIsHeld() {
    QuotaPacing.State paced = pacing.state("work");
    assertEquals(0, paced.inFlight() + paced.waiting(), paced::toString);
    assertEquals(
        new AdaptiveLimit.State(20, 0, limit.state("work").refused()), limit.state("work"));
    assertEquals(1, bulkheads.bulkhead("work").getMetrics().getAvailableConcurrentCalls());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3})
  void whoWaitsHoldsNoPermit(int pacingAt) throws Exception {
    Retrier retrier = retrier(pacingAt);
    breaker.transitionToOpenState();
    breaker.transitionToHalfOpenState(); // one permit, which a wait must not keep
    learn(4);
    List<CompletableFuture<Long>> futures = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      futures.add(retrier.callAsync(() -> CompletableFuture.completedFuture(time.nanos())));
    }
    assertEquals(7, pacing.state("work").waiting());
    time.advance(Duration.ofSeconds(30));
    List<Long> sent = new ArrayList<>();
    for (CompletableFuture<Long> future : futures) {
      sent.add(future.get(20, TimeUnit.SECONDS) / 1_000_000);
    }
    assertEquals(List.of(0L, 1800L, 3600L, 5400L, 7200L, 10000L, 11800L, 13600L), sent);
    assertEquals(CircuitBreaker.State.CLOSED, breaker.getState());
    assertEquals(0, breaker.getMetrics().getNumberOfFailedCalls());
    assertEquals(0, limit.state("work").refused());
    nothingIsHeld();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3})
  void anOpenBreakerKeepsNoTurn(int pacingAt) {
    breaker.transitionToForcedOpenState();
    for (long remaining : new long[] {4, 0}) {
      learn(remaining);
      assertThrows(AttemptRefusedException.class, () -> retrier(pacingAt).call(() -> "a"));
      nothingIsHeld();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3})
  void aFullBulkheadKeepsNoTurn_andIsNotWaitedFor(int pacingAt) throws Exception {
    Retrier retrier = retrier(pacingAt);
    learn(4);
    retrier.call(() -> "a"); // the next turn comes later
    assertTrue(bulkheads.bulkhead("work").tryAcquirePermission());
    CompletableFuture<String> late = retrier.callAsync(PacingBesideGuardsTest::done);
    time.advance(Duration.ofSeconds(2));
    assertInstanceOf(AttemptRefusedException.class, failure(late));
    CompletableFuture<String> inTime = retrier.callAsync(PacingBesideGuardsTest::done);
    assertInstanceOf(AttemptRefusedException.class, failure(inTime));
    bulkheads.bulkhead("work").onComplete();
    nothingIsHeld();
    assertEquals("a", retrier.call(() -> "a"), "at once: no turn was spent");
  }

  private static CompletableFuture<String> done() {
    return CompletableFuture.completedFuture("b");
  }

  private static Throwable failure(CompletableFuture<?> future) {
    ExecutionException thrown =
        assertThrows(ExecutionException.class, () -> future.get(20, TimeUnit.SECONDS));
    return thrown.getCause();
  }
}
