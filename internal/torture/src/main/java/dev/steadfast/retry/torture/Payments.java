package dev.steadfast.retry.torture;

import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.operations.OperationJournal;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Supplier;

/** The configuration that all clients share, whatever HTTP client they use. */
final class Payments {
  /** The header that says who pays. The proxy turns it into credentials. */
  static final String PRINCIPAL = "X-Principal";

  /** The header with the account, which the request body has too. The proxy compares them. */
  static final String ACCOUNT = "X-Account";

  /** The header with the idempotency key. */
  static final String KEY = "Idempotency-Key";

  static final Duration ATTEMPT_TIMEOUT = Duration.ofMillis(600);

  /** The deadline of an operation. Its lease is five seconds longer. */
  static final Duration TOTAL_TIMEOUT = Duration.ofSeconds(3);

  /** The time after which every lease that was taken before has ended. */
  static final Duration PAST_LEASE = TOTAL_TIMEOUT.plus(Duration.ofMillis(5_700));

  static final int MOST_ANSWER_BYTES = 16 * 1024;

  private Payments() {}

  /**
   * The parts that all configurations of a client share.
   *
   * @param clock the wall clock
   */
  record Parts(OperationJournal journal, Supplier<Instant> clock, Deployment deployment) {}

  /** The configuration for a kind of operation. */
  static HttpRetry retry(OperationKind kind, Parts parts) {
    RetryEnvironment system = RetryEnvironment.system();
    HttpRetry.Builder retry =
        HttpRetry.builder()
            .policy(parts.deployment.policy())
            .budget(RetryBudget.unlimited()) // the more attempts, the more can go wrong
            .bufferBodiesUpTo(MOST_ANSWER_BYTES)
            .environment(
                new RetryEnvironment(
                    system.ticker(), parts.clock, system.random(), system.scheduler()))
            .journal(parts.journal);
    if (kind.keyed()) {
      retry.idempotencyKeys(
          IdempotencyKeys.randomUuid().withRetention(parts.deployment.retention(kind)));
    }
    return retry.build();
  }

  /** Keeps the headers with the principal and the account too, because resuming needs them. */
  static OperationJournal.Settings kept() {
    return OperationJournal.Settings.defaults().withHeaders(PRINCIPAL, ACCOUNT);
  }

  static RetryOptions options(Op operation) {
    return RetryOptions.builder()
        .journaled(operation.kind().operation(), operation.intent())
        .build();
  }
}
