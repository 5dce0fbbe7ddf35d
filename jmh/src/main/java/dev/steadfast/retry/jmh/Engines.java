package dev.steadfast.retry.jmh;

import dev.failsafe.Failsafe;
import dev.failsafe.FailsafeExecutor;
import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.Retrier;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryPolicy;
import io.github.resilience4j.retry.Retry;
import io.github.resilience4j.retry.RetryConfig;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.springframework.core.retry.RetryTemplate;
import software.amazon.awssdk.retries.StandardRetryStrategy;
import software.amazon.awssdk.retries.api.AcquireInitialTokenRequest;
import software.amazon.awssdk.retries.api.RecordSuccessRequest;
import software.amazon.awssdk.retries.api.RefreshRetryTokenRequest;
import software.amazon.awssdk.retries.api.RetryStrategy;
import software.amazon.awssdk.retries.api.RetryToken;

/** Engines that make three attempts without a wait between. */
final class Engines {
  private static final int ATTEMPTS = 3;

  private Engines() {}

  /** No limit but the number of attempts. */
  static Retrier steadfast() {
    RetryPolicy policy = steadfastPolicy().noTotalTimeout().build();
    return Retrier.builder().policy(policy).budget(RetryBudget.unlimited()).build();
  }

  /** With a deadline, and a budget that earns what two failures take. */
  static Retrier steadfastLimited() {
    RetryPolicy policy = steadfastPolicy().totalTimeout(Duration.ofSeconds(30)).build();
    return Retrier.builder().policy(policy).budget(RetryBudget.successFunded(2, 1_000, 1)).build();
  }

  private static RetryPolicy.Builder steadfastPolicy() {
    return RetryPolicy.builder().maxAttempts(ATTEMPTS).backoff(Backoff.none());
  }

  static Retry resilience4j() {
    RetryConfig config =
        RetryConfig.custom().maxAttempts(ATTEMPTS).intervalFunction(attempt -> 0L).build();
    return Retry.of("benchmark", config);
  }

  static FailsafeExecutor<Integer> failsafe() {
    return Failsafe.with(
        dev.failsafe.RetryPolicy.<Integer>builder().withMaxAttempts(ATTEMPTS).build());
  }

  static RetryTemplate spring() {
    return new RetryTemplate(
        org.springframework.core.retry.RetryPolicy.builder()
            .maxRetries(ATTEMPTS - 1)
            .delay(Duration.ZERO)
            .build());
  }

  static RetryStrategy aws() {
    return StandardRetryStrategy.builder()
        .maxAttempts(ATTEMPTS)
        .retryOnExceptionInstanceOf(RuntimeException.class)
        .backoffStrategy(software.amazon.awssdk.retries.api.BackoffStrategy.retryImmediately())
        .throttlingBackoffStrategy(
            software.amazon.awssdk.retries.api.BackoffStrategy.retryImmediately())
        .treatAsThrottling(failure -> false)
        .build();
  }

  /** The loop that AWS's clients run around their strategy. */
  static Integer runAws(RetryStrategy strategy, Work work) {
    RetryToken token =
        strategy.acquireInitialToken(AcquireInitialTokenRequest.create("benchmark")).token();
    while (true) {
      try {
        Integer result = work.call();
        strategy.recordSuccess(RecordSuccessRequest.create(token));
        return result;
      } catch (RuntimeException failure) {
        token =
            strategy
                .refreshRetryToken(
                    RefreshRetryTokenRequest.builder().token(token).failure(failure).build())
                .token();
      }
    }
  }

  /** Attempts and a deadline, as one would write them by hand. */
  static Integer runByHand(Work work) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    for (int attempt = 1; ; attempt++) {
      try {
        return work.call();
      } catch (RuntimeException failure) {
        if (attempt == ATTEMPTS || System.nanoTime() - deadline >= 0) {
          throw failure;
        }
      }
    }
  }
}
