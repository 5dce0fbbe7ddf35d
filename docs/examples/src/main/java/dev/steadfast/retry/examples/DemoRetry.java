package dev.steadfast.retry.examples;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.AttemptHeader;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.jfr.RetryEvents;
import java.time.Duration;
import java.util.List;
import java.util.Random;

/** The configuration that all five entry points share. */
final class DemoRetry {
  /** The bound on the first attempt of a payment. */
  static final Duration ATTEMPT_TIMEOUT = Duration.ofMillis(750);

  static final String ATTEMPT_HEADER = "x-attempt";

  private DemoRetry() {}

  static RetryPolicy policy() {
    return RetryPolicy.builder()
        .maxAttempts(8)
        .backoff(Backoff.fullJitter(Duration.ofMillis(50), Duration.ofSeconds(1)))
        // Short first, long last: a machine under load is slow, and that is no fault of the server.
        .attemptTimeouts(List.of(ATTEMPT_TIMEOUT, Duration.ofSeconds(3), Duration.ofSeconds(10)))
        .totalTimeout(Duration.ofMinutes(1))
        .serverDelaySpread(
            0.25) // of a server delay of 1 s; 200 payments need no wider spread, and it saves time
        .build();
  }

  /**
   * The budget is unlimited because faults hit almost every second payment: the default one, which
   * earns a retry per ten successes, would refuse most of them. That it does so, and why, is a part
   * of its own: {@link BudgetPart}.
   */
  static HttpRetry.Builder unlimitedBudget() {
    return HttpRetry.builder()
        .policy(policy())
        .idempotencyKeys(IdempotencyKeys.randomUuid()) // this server honours keys
        .budget(RetryBudget.unlimited())
        .attemptHeader(AttemptHeader.fromOne(ATTEMPT_HEADER)) // lets the server count for itself
        .environment(RetryEnvironment.system().withRandom(new Random(Demo.SEED)::nextLong))
        .listener(new RetryEvents()); // in a recording, if there is one
  }
}
