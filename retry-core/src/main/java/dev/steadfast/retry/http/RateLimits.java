package dev.steadfast.retry.http;

import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryPolicy;
import java.time.Duration;

/** A configuration that follows the delays of a rate limiter to the end. */
final class RateLimits {
  private static final int FOLLOWING_ATTEMPTS = 1000;
  private static final Duration LONGEST_ANSWER = Duration.ofMinutes(10);
  private static final Duration LONGEST_SILENCE = Duration.ofMinutes(2);

  private RateLimits() {}

  static RetryPolicy policy(Duration totalTimeout) {
    return RetryPolicy.builder()
        .maxAttempts(FOLLOWING_ATTEMPTS)
        .totalTimeout(totalTimeout)
        .maxServerDelay(totalTimeout)
        .build();
  }

  /** An answer may take as long as the SDKs of the vendors wait for one by default. */
  static RetryPolicy ofPrompts(Duration totalTimeout) {
    return policy(totalTimeout).toBuilder()
        .attemptTimeout(LONGEST_ANSWER)
        .bodyIdleTimeout(LONGEST_SILENCE)
        .build();
  }

  /** A retry after 429 or an overload costs nothing, because limiter and gate bound the load. */
  static RetryBudget budget() {
    return new ThrottlingFreeBudget(RetryBudget.perOrigin(0.1));
  }
}
