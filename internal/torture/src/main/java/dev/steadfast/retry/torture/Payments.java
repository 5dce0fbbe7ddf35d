package dev.steadfast.retry.torture;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.OperationJournal;
import dev.steadfast.retry.http.RetryOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Supplier;

/** What all clients have in common, whatever HTTP client they use. */
final class Payments {
  /** Who pays; the proxy turns it into credentials. */
  static final String PRINCIPAL = "X-Principal";

  /** Where the key is. */
  static final String KEY = "Idempotency-Key";

  static final Duration ATTEMPT_TIMEOUT = Duration.ofMillis(600);

  /** Of an operation. Its lease is five seconds longer. */
  static final Duration TOTAL_TIMEOUT = Duration.ofSeconds(3);

  /** When nobody has a lease any more that was taken before. */
  static final Duration PAST_LEASE = TOTAL_TIMEOUT.plus(Duration.ofMillis(5_700));

  static final int MOST_ANSWER_BYTES = 16 * 1024;

  private static final RetryPolicy POLICY =
      RetryPolicy.builder()
          .maxAttempts(8)
          .backoff(Backoff.fullJitter(Duration.ofMillis(50), Duration.ofMillis(500)))
          .attemptTimeout(ATTEMPT_TIMEOUT)
          .totalTimeout(TOTAL_TIMEOUT)
          .build();

  private Payments() {}

  /** The configuration for a kind of operation. */
  static HttpRetry retry(Mix mix, OperationJournal journal, Supplier<Instant> clock) {
    RetryEnvironment system = RetryEnvironment.system();
    HttpRetry.Builder retry =
        HttpRetry.builder()
            .policy(POLICY)
            .budget(RetryBudget.unlimited()) // the more attempts, the more can go wrong
            .bufferBodiesUpTo(MOST_ANSWER_BYTES)
            .environment(
                new RetryEnvironment(system.ticker(), clock, system.random(), system.scheduler()))
            .journal(journal);
    if (mix.keyed()) {
      retry.idempotencyKeys(IdempotencyKeys.randomUuid().retention(mix.counted()));
    }
    return retry.build();
  }

  /** What is kept: the principal beside the usual. */
  static OperationJournal.Settings kept() {
    return OperationJournal.Settings.defaults().withHeaders(PRINCIPAL);
  }

  static RetryOptions options(Op operation) {
    return RetryOptions.builder()
        .journaled(operation.mix().operation(), operation.intent())
        .build();
  }
}
