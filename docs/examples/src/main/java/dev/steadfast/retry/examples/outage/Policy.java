package dev.steadfast.retry.examples.outage;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.limit.AdaptiveLimit;
import dev.steadfast.retry.resilience4j.Resilience4jGuards;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/** The five clients that are compared, and what the theory says of them. */
enum Policy {
  NONE("no retries"),
  JITTER("4 attempts, full jitter, no budget"),
  BUDGET("4 attempts, full jitter, default budget"),
  BREAKER("4 attempts, full jitter, breaker"),
  LIMIT("4 attempts, full jitter, budget, limit");

  /** On retries only, so that the server can tell them from first tries. */
  static final String RETRY_HEADER = "X-Retry-Count";

  private static final double BUDGET_START = 10;
  private static final double BUDGET_PER_SECOND = 1;
  private static final Duration OPEN = Duration.ofSeconds(5);

  private final String title;

  Policy(String title) {
    this.title = title;
  }

  String title() {
    return title;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The configuration; each call makes one with a budget and a breaker of its own. */
  HttpRetry retry(RetryListener listener) {
    HttpRetry.Builder retry =
        HttpRetry.builder()
            .policy(attempts(this == NONE ? 1 : Scenario.MAX_ATTEMPTS))
            .oncePerAttempt(
                RETRY_HEADER,
                (operation, number) ->
                    number == 1 ? Optional.empty() : Optional.of(Integer.toString(number - 1)))
            .listener(listener)
            .budget(
                this == BUDGET || this == LIMIT
                    ? RetryBudget.perOrigin(0.1)
                    : RetryBudget.unlimited());
    if (this == BREAKER) {
      retry.guard(Resilience4jGuards.circuitBreaker(breaker()));
    }
    if (this == LIMIT) {
      retry.guard(AdaptiveLimit.perOrigin());
    }
    return retry.build();
  }

  private static RetryPolicy attempts(int maxAttempts) {
    return RetryPolicy.builder()
        .maxAttempts(maxAttempts)
        .attemptTimeout(Scenario.TIMEOUT)
        .backoff(Backoff.fullJitter(Duration.ofMillis(100), Duration.ofSeconds(10)))
        .build();
  }

  private static CircuitBreakerConfig breaker() {
    return CircuitBreakerConfig.custom()
        .slidingWindowSize(100)
        .minimumNumberOfCalls(20)
        .failureRateThreshold(50)
        .waitDurationInOpenState(OPEN)
        .permittedNumberOfCallsInHalfOpenState(5)
        .build();
  }

  /** The recovery by closed form. */
  String expected(World.Kind kind) {
    if (kind == World.Kind.FAIL_FAST) {
      return this == BREAKER ? "<= " + OPEN.toSeconds() + " s" : "0 s";
    }
    return switch (this) {
      case NONE -> drained(Scenario.LOAD, 0);
      case BUDGET -> drained(Scenario.LOAD + BUDGET_PER_SECOND, BUDGET_START);
      // Every worker is busy with attempts that have timed out, and more attempts arrive than are
      // finished.
      case JITTER -> "never: " + Scenario.MAX_ATTEMPTS + " x 0.7 > 1";
      // The last probe that fails is sent just before the stall ends; meanwhile the queue drains.
      case BREAKER -> "<= " + OPEN.plus(Scenario.TIMEOUT).toSeconds() + " s";
      // Its limit follows the queue, which depends on the limit.
      case LIMIT -> "none";
    };
  }

  /**
   * The queue has to shrink to what is done within one timeout. Arrivals and service are random, so
   * the result is, too: with its standard deviation.
   */
  private static String drained(double perSecond, double tokens) {
    double atTheEnd = perSecond * Scenario.STALL + tokens;
    double spare = Scenario.CAPACITY - perSecond;
    double seconds = (atTheEnd - Scenario.CAPACITY * Scenario.TIMEOUT.toSeconds()) / spare;
    double deviation = Math.sqrt(atTheEnd + (perSecond + Scenario.CAPACITY) * seconds) / spare;
    return String.format(Locale.ROOT, "%.0f s (+-%.0f)", seconds, deviation);
  }
}
