package dev.steadfast.retry.simulator;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryBudget.Withdrawal;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Retries stop where too many attempts fail: a bound that others have published, for comparison.
 * The library has none; this is its budget interface over the failure rate that resilience4j
 * measures.
 */
final class RetryBreaker implements RetryBudget {
  private static final float MOST_PERCENT = 10;
  private static final CircuitBreakerConfig CONFIG =
      CircuitBreakerConfig.custom()
          .slidingWindow(100, 10, CircuitBreakerConfig.SlidingWindowType.COUNT_BASED)
          .writableStackTraceEnabled(false)
          .build();

  @Override
  public RetryBudget.Account account(String origin) {
    return new Measured(CircuitBreaker.of(origin, CONFIG));
  }

  /** One client's. */
  private static final class Measured implements RetryBudget.Account {
    private final CircuitBreaker attempts;

    Measured(CircuitBreaker attempts) {
      this.attempts = attempts;
      attempts.transitionToMetricsOnlyState();
    }

    @Override
    public void attemptFailed(FailureKind kind, @Nullable Withdrawal last, long nowNanos) {
      attempts.onError(0, TimeUnit.NANOSECONDS, new NoAnswerException());
    }

    @Override
    public Withdrawal tryWithdraw(FailureKind kind, long nowNanos) {
      // Less than nothing where too few attempts are known.
      float percent = attempts.getMetrics().getFailureRate();
      return percent < MOST_PERCENT ? Withdrawal.of(0) : Withdrawal.refused();
    }

    @Override
    public void refund(Withdrawal withdrawal, long nowNanos) {}

    @Override
    public void operationEnded(
        RetryBudget.Outcome outcome, @Nullable Withdrawal last, long nowNanos) {
      if (outcome == RetryBudget.Outcome.SUCCEEDED) {
        attempts.onSuccess(0, TimeUnit.NANOSECONDS);
      }
    }
  }
}
