package dev.steadfast.retry.http;

import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryPolicy;
import java.time.Duration;

/** A configuration that follows the delays of a rate limiter to the end. */
final class RateLimits {
  private static final int FOLLOWING_ATTEMPTS = 1000;

  private RateLimits() {}

  static RetryPolicy policy(Duration totalTimeout) {
    return RetryPolicy.builder()
        .maxAttempts(FOLLOWING_ATTEMPTS)
        .totalTimeout(totalTimeout)
        .maxServerDelay(totalTimeout)
        .build();
  }

  /** A retry after 429 costs nothing, because the limiter bounds the load. */
  static RetryBudget budget() {
    return new ThrottlingFreeBudget(RetryBudget.perOrigin(0.1));
  }
}
