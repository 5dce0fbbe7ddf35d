package dev.steadfast.retry.examples.outage;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.resilience4j.Resilience4jGuards;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/** The four ways to meet an outage; all with a timeout of one second per attempt. */
final class Policies {
  private Policies() {}

  static Map<String, Supplier<HttpRetry.Builder>> all() {
    Map<String, Supplier<HttpRetry.Builder>> all = new LinkedHashMap<>();
    all.put("none", () -> retry(1).budget(RetryBudget.unlimited()));
    all.put("jitter", () -> retry(4).budget(RetryBudget.unlimited()));
    all.put("budget", () -> retry(4).budget(RetryBudget.perOrigin(0.10)));
    all.put(
        "breaker",
        () ->
            retry(4)
                .budget(RetryBudget.unlimited())
                .guard(Resilience4jGuards.circuitBreaker(breaker())));
    return all;
  }

  private static HttpRetry.Builder retry(int attempts) {
    return HttpRetry.builder()
        .policy(
            RetryPolicy.builder()
                .maxAttempts(attempts)
                .backoff(Backoff.fullJitter(Duration.ofMillis(100), Duration.ofSeconds(10)))
                .attemptTimeout(Duration.ofSeconds(1))
                .totalTimeout(Duration.ofSeconds(30))
                .build());
  }

  private static CircuitBreakerConfig breaker() {
    return CircuitBreakerConfig.custom()
        .slidingWindowSize(100)
        .minimumNumberOfCalls(20)
        .failureRateThreshold(50)
        .waitDurationInOpenState(Duration.ofSeconds(5))
        .permittedNumberOfCallsInHalfOpenState(5)
        .build();
  }
}
