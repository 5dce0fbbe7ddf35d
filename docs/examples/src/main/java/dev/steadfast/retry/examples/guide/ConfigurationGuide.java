package dev.steadfast.retry.examples.guide;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.ContextCapture;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.http.HttpClassifier;
import dev.steadfast.retry.http.HttpClassifier.OperationView;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.ResponseSignals;
import dev.steadfast.retry.http.ResponseView;
import dev.steadfast.retry.http.Signals;
import dev.steadfast.retry.http.StandardRules;
import dev.steadfast.retry.http.TransportFailure;
import io.micrometer.context.ContextSnapshotFactory;
import io.opentelemetry.context.Context;
import java.time.Duration;
import java.util.Optional;

/** What the guides show of policies, budgets and rules. */
final class ConfigurationGuide {
  private ConfigurationGuide() {}

  static RetryPolicy policyInCode() {
    // region policy-code
    RetryPolicy policy =
        RetryPolicy.builder()
            .maxAttempts(4)
            .backoff(Backoff.fullJitter(Duration.ofMillis(100), Duration.ofSeconds(20)))
            .totalTimeout(Duration.ofSeconds(30))
            .attemptTimeout(Duration.ofSeconds(5))
            .build();
    // endregion
    return policy;
  }

  static HttpRetry rateLimits() {
    HttpRetry retry = HttpRetry.followingRateLimits(Duration.ofMinutes(2)).build();
    return retry;
  }

  static HttpRetry changed(HttpRetry retry) {
    HttpRetry patient =
        retry.toBuilder()
            .policy(retry.policy().toBuilder().totalTimeout(Duration.ofMinutes(5)).build())
            .build();
    return patient;
  }

  static RetryPolicy policyAsText() {
    RetryPolicy policy =
        RetryPolicy.valueOf(
            "maxAttempts=4; backoff=full(100ms..20s); totalTimeout=30s; attemptTimeout=5s");
    return policy;
  }

  static RetryPolicy backoffByKind() {
    RetryPolicy policy =
        RetryPolicy.builder()
            .backoff(Backoff.fullJitter(Duration.ofMillis(50), Duration.ofSeconds(20)))
            .backoff(
                FailureKind.THROTTLED, // 429, 529 and other overloads
                Backoff.fullJitter(Duration.ofSeconds(1), Duration.ofSeconds(20)))
            .build();
    return policy;
  }

  static RetryPolicy backoffByKindAsText() {
    RetryPolicy policy =
        RetryPolicy.valueOf("backoff=full(50ms..20s); backoff.throttled=full(1s..20s)");
    return policy;
  }

  static RetryPolicy timeouts() {
    // region timeouts
    RetryPolicy policy =
        RetryPolicy.builder()
            .totalTimeout(Duration.ofSeconds(20)) // all attempts and waits, up to the answer
            .attemptTimeout(Duration.ofSeconds(5)) // each attempt, up to its response head
            .bodyIdleTimeout(Duration.ofSeconds(15)) // java.net.http: silence within a body
            .build();
    // endregion
    return policy;
  }

  static HttpRetry context(RetryListener listener) {
    // region context
    ContextSnapshotFactory snapshots = ContextSnapshotFactory.builder().build();
    HttpRetry retry =
        HttpRetry.builder()
            .context(ContextCapture.mdc()) // the logging context of slf4j
            .context(() -> snapshots.captureAll()::setThreadLocals) // Micrometer
            .context(() -> Context.current()::makeCurrent) // OpenTelemetry
            .listener(listener)
            .build();
    // endregion
    return retry;
  }

  static Backoff ownBackoff() {
    // Up to 50 ms before the first retry, 100 ms before the second, and so on.
    Backoff backoff =
        (retry, previousNanos, random) -> Math.floorMod(random.getAsLong(), retry * 50_000_000L);
    return backoff;
  }

  static HttpRetry[] sharedBudget() {
    RetryBudget budget = RetryBudget.perOrigin(0.10);
    HttpRetry forPayments = HttpRetry.builder().budget(budget).build();
    HttpRetry forReports = HttpRetry.builder().budget(budget).build();
    return new HttpRetry[] {forPayments, forReports};
  }

  static HttpRetry attemptHeader() {
    HttpRetry retry =
        HttpRetry.builder()
            .oncePerAttempt(
                "X-Retry-Count",
                (operation, attempt) ->
                    attempt == 1 ? Optional.empty() : Optional.of(Integer.toString(attempt - 1)))
            .build();
    return retry;
  }

  static HttpRetry rules() {
    // region rules
    HttpRetry retry =
        HttpRetry.builder()
            .classifier(
                StandardRules.builder()
                    .retry409WhenKeyed(true) // sends 409 without Retry-After
                    .alsoRetry(423)
                    .neverRetry(500)
                    .build())
            .signals(
                ResponseSignals.standard()
                    .withShouldRetry("X-Do-Not-Retry", "true", false)
                    .withDoNotRetry("x-envoy-ratelimited")) // with any value
            .build();
    // endregion
    return retry;
  }

  /** Retries a 404 of a replica that lags behind. */
  static final class ReplicaRules implements HttpClassifier {
    private final HttpClassifier standard = StandardRules.defaults();

    @Override
    public Verdict onResponse(OperationView operation, ResponseView response, Signals signals) {
      boolean lagging = response.status() == 404 && !response.headers("X-Replica-Lag").isEmpty();
      return lagging
          ? Verdict.retryable(FailureKind.UNAVAILABLE)
          : standard.onResponse(operation, response, signals);
    }

    @Override
    public Verdict onFailure(OperationView operation, TransportFailure failure) {
      return standard.onFailure(operation, failure);
    }
  }

  static HttpRetry listening(RetryListener listener) {
    HttpRetry retry = HttpRetry.builder().listener(listener).build();
    return retry;
  }
}
