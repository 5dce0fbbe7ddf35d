package dev.steadfast.retry.examples;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.jfr.RetryEvents;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;

/**
 * What is set in the demo: one number of tries, one list of timeouts and one backoff for all
 * clients.
 */
final class DemoRetry {
  /** How often each client tries, the first try included. */
  static final int TRIES = 5;

  /** The bound on the first attempt of a payment. */
  static final Duration ATTEMPT_TIMEOUT = Duration.ofMillis(750);

  static final String ATTEMPT_HEADER = "x-attempt";

  // Short first, long last: a machine under load is slow, and that is no fault of the server.
  private static final List<Duration> ATTEMPT_TIMEOUTS =
      List.of(ATTEMPT_TIMEOUT, Duration.ofSeconds(3), Duration.ofSeconds(10));

  private static final Backoff BACKOFF =
      Backoff.fullJitter(Duration.ofMillis(50), Duration.ofSeconds(1));

  private DemoRetry() {}

  /** The bound on an attempt of any client. */
  static Duration attemptTimeout(int attempt) {
    return ATTEMPT_TIMEOUTS.get(Math.min(attempt, ATTEMPT_TIMEOUTS.size()) - 1);
  }

  /** The wait of a loop after an attempt. */
  static Duration pause(int attempt) {
    long nanos = BACKOFF.delayNanos(attempt, 0, ThreadLocalRandom.current()::nextLong);
    return Duration.ofNanos(nanos);
  }

  /** The settings of all clients, for the page that the demo prints and for the README. */
  static String settings() {
    return "5 tries; a timeout of 750 ms for the first, 3 s for the second, 10 s for the others;"
        + " random waits of up to 50 ms, 100 ms, 200 ms and 400 ms; no retry budget";
  }

  /**
   * The settings that all clients have. A loop has no budget, so Steadfast has none here: faults
   * hit almost every second payment, and the default budget would refuse most of the retries.
   */
  static HttpRetry.Builder asTheLoops() {
    RetryPolicy policy =
        RetryPolicy.builder()
            .maxAttempts(TRIES)
            .backoff(BACKOFF)
            .attemptTimeouts(ATTEMPT_TIMEOUTS)
            .totalTimeout(Duration.ofMinutes(1))
            .serverDelaySpread(0.25) // of 1 s; 200 payments need no wider spread, and it saves time
            .build();
    return defaults().policy(policy).budget(RetryBudget.unlimited());
  }

  /** The defaults, and keys: this server honours them. */
  static HttpRetry.Builder defaults() {
    return HttpRetry.builder()
        .idempotencyKeys(IdempotencyKeys.randomUuid())
        .oncePerAttempt(
            ATTEMPT_HEADER,
            (operation, number) ->
                Optional.of(Integer.toString(number))) // lets the server count for itself
        .environment(RetryEnvironment.system().withRandom(new Random(Demo.SEED)::nextLong))
        .listener(new RetryEvents()); // in a recording, if there is one
  }
}
