package dev.steadfast.retry.examples;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.resilience4j.Resilience4jGuards;
import dev.steadfast.retry.resilience4j.Resilience4jRetries;
import io.github.resilience4j.bulkhead.BulkheadConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.retry.Retry;
import java.time.Duration;
import java.util.concurrent.Callable;

/** What the guide to breakers and bulkheads quotes. */
final class BreakerSnippets {
  private BreakerSnippets() {}

  static HttpRetry ownBreaker() {
    // region own-breaker
    CircuitBreakerConfig breaker =
        CircuitBreakerConfig.custom()
            .slidingWindowSize(20)
            .minimumNumberOfCalls(10)
            .failureRateThreshold(50)
            .waitDurationInOpenState(Duration.ofSeconds(5))
            .permittedNumberOfCallsInHalfOpenState(3)
            .build();
    BulkheadConfig bulkhead = BulkheadConfig.custom().maxConcurrentCalls(50).build();

    HttpRetry retry =
        HttpRetry.builder()
            .guard(Resilience4jGuards.circuitBreaker(breaker))
            .guard(Resilience4jGuards.bulkhead(bulkhead))
            .build();
    // endregion
    return retry;
  }

  static String resilience4jRetry(Callable<String> work) throws Exception {
    RetryPolicy policy =
        RetryPolicy.builder()
            .maxAttempts(3)
            .backoff(Backoff.fullJitter(Duration.ofMillis(100), Duration.ofSeconds(5)))
            .build();
    Retry retry = Resilience4jRetries.retry("orders", policy);
    String result = retry.executeCallable(work);
    return result;
  }
}
