package dev.steadfast.retry.resilience4j;

import dev.steadfast.retry.AttemptReport;
import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.internal.Checks;
import io.github.resilience4j.core.IntervalFunction;
import io.github.resilience4j.core.functions.Either;
import io.github.resilience4j.retry.Retry;
import io.github.resilience4j.retry.RetryConfig;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.function.LongSupplier;

/**
 * Steadfast's policies as resilience4j's {@code Retry}, for code that has resilience4j's
 * decorators. Where there is a choice, use {@link dev.steadfast.retry.Retrier} or an HTTP adapter:
 * a {@code RetryConfig} can say less than a policy.
 */
public final class Resilience4jRetries {
  private static final long STOP = -1; // resilience4j ends the retries of a failure on it

  private Resilience4jRetries() {}

  /**
   * A backoff as an interval function: milliseconds, rounded up, so that no wait is shorter than
   * the backoff says.
   *
   * <p>An interval function gets the number of the attempt, and not the wait before. The waits
   * before are drawn again each time for a backoff that builds on them, such as {@link
   * Backoff#decorrelatedJitter}. Each wait has the right distribution, but does not depend on the
   * real wait before it.
   *
   * @param backoff the backoff
   * @return a function that is safe for use by many threads
   */
  public static IntervalFunction intervalFunction(Backoff backoff) {
    Checks.notNull("backoff", backoff);
    LongSupplier random = RetryEnvironment.system().random();
    return attempt -> millis(delayNanos(backoff, attempt, random));
  }

  private static long delayNanos(Backoff backoff, int retry, LongSupplier random) {
    long nanos = 0;
    for (int i = 1; i <= retry; i++) {
      nanos = Math.max(0, backoff.delayNanos(i, nanos, random));
    }
    return nanos;
  }

  private static long millis(long nanos) {
    return nanos / 1_000_000 + (nanos % 1_000_000 == 0 ? 0 : 1);
  }

  /**
   * A policy as a configuration.
   *
   * <ul>
   *   <li>Attempts and backoff are the policy's. A failure without a report of Steadfast's counts
   *       as {@link FailureKind#OTHER}.
   *   <li>Every {@link Exception} is retried, except {@link InterruptedException}, {@link
   *       CancellationException}, and failures of a Steadfast client, because two layers that retry
   *       multiply. If that client's policy is {@link RetryPolicy#noRetry()}, a failure that it
   *       would otherwise have retried is retried here.
   *   <li>A server delay that such a failure, or a response of a Steadfast client for {@code
   *       java.net.http}, reports is waited for; above the policy's ceiling a failure is not
   *       retried, unless the policy clamps the delay.
   *   <li>Retries are paid for by a budget of the configuration's own, as {@link
   *       RetryBudget#perOrigin}: one retry per ten results, 10 at the start, one per second. A
   *       {@code Runnable} has no result and earns nothing.
   * </ul>
   *
   * <p>The total timeout and the timeouts of attempts are not used, because resilience4j does not
   * say when an operation began; use a {@code TimeLimiter} instead. The server delay spread is not
   * used either. Setting {@code retryOnResult} or an interval on a copy of the configuration
   * replaces what deposits or withdraws.
   *
   * @param policy the policy
   * @return a configuration
   */
  public static RetryConfig retryConfig(RetryPolicy policy) {
    return new Terms(Checks.notNull("policy", policy), "resilience4j").config();
  }

  /**
   * A policy as a retry, with a budget of its own.
   *
   * @param name the name of the retry
   * @param policy the policy
   * @return a retry with the configuration of {@link #retryConfig}
   */
  public static Retry retry(String name, RetryPolicy policy) {
    return Retry.of(name, retryConfig(policy));
  }

  /** The parts that the functions of one configuration share. */
  private static final class Terms {
    private final RetryPolicy policy;
    private final RetryEnvironment environment = RetryEnvironment.system();
    private final RetryBudget.Account account;

    Terms(RetryPolicy policy, String name) {
      this.policy = policy;
      this.account = RetryBudget.perOrigin(0.1).account(name);
    }

    RetryConfig config() {
      return RetryConfig.<Object>custom()
          .maxAttempts(policy.maxAttempts())
          .retryOnException(Terms::retryable)
          .retryOnResult(this::deposit)
          .intervalBiFunction((attempt, outcome) -> interval(attempt, report(outcome)))
          .build();
    }

    private static boolean retryable(Throwable failure) {
      return failure instanceof Exception
          && !(failure instanceof InterruptedException)
          && !(failure instanceof CancellationException)
          && RetryReport.of(failure).map(Terms::leftToOthers).orElse(true);
    }

    private static boolean leftToOthers(RetryReport report) {
      return report.reason() == StopReason.ATTEMPTS_EXHAUSTED && report.attempts() == 1;
    }

    /** Asked for each result; none is retried, and each is a success. */
    private boolean deposit(Object result) {
      account.operationEnded(RetryBudget.Outcome.SUCCEEDED, null, now());
      return false;
    }

    private long now() {
      return environment.ticker().getAsLong();
    }

    private long interval(int attempt, Optional<RetryReport> report) {
      Duration serverDelay = report.flatMap(RetryReport::serverDelay).orElse(Duration.ZERO);
      boolean tooLong = serverDelay.compareTo(policy.maxServerDelay()) > 0;
      if (tooLong && policy.aboveCeiling() == RetryPolicy.AboveCeiling.GIVE_UP) {
        return STOP;
      }
      if (!account.tryWithdraw(FailureKind.OTHER, now()).granted()) {
        return STOP;
      }
      long asked = (tooLong ? policy.maxServerDelay() : serverDelay).toNanos();
      FailureKind kind =
          report.flatMap(RetryReport::last).flatMap(AttemptReport::kind).orElse(FailureKind.OTHER);
      long backoff = delayNanos(policy.backoff(kind), attempt, environment.random());
      return millis(Math.max(asked, backoff));
    }

    private static Optional<RetryReport> report(Either<Throwable, Object> outcome) {
      if (outcome.isLeft()) {
        return RetryReport.of(outcome.getLeft());
      }
      return outcome.get() instanceof RetryReport.Carrier carrier
          ? Optional.of(carrier.retryReport())
          : Optional.empty();
    }
  }
}
