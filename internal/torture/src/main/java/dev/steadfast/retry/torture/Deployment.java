package dev.steadfast.retry.torture;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.RetryPolicy;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** The configurations of the clients. A deployment replaces one by the other. */
enum Deployment {
  /** That of the start. */
  FIRST(8, Payments.TOTAL_TIMEOUT, Duration.ZERO),
  /** With fewer attempts, a shorter deadline and shorter windows. */
  SECOND(5, Payments.TOTAL_TIMEOUT.dividedBy(2), Duration.ofMillis(300));

  @SuppressWarnings("ImmutableEnumChecker") // a policy is immutable
  private final RetryPolicy policy;

  private final Duration shorter;

  Deployment(int attempts, Duration totalTimeout, Duration shorter) {
    this.policy =
        RetryPolicy.builder()
            .maxAttempts(attempts)
            .backoff(Backoff.fullJitter(Duration.ofMillis(50), Duration.ofMillis(500)))
            .attemptTimeout(Payments.ATTEMPT_TIMEOUT)
            .totalTimeout(totalTimeout)
            .build();
    this.shorter = shorter;
  }

  RetryPolicy policy() {
    return policy;
  }

  /** The retention that the client declares for a kind with a key on the wire. */
  Duration retention(OperationKind kind) {
    return kind.declared().minus(shorter);
  }

  /** The configuration with which a client starts now. */
  static Deployment of(History history, int client) {
    return history.is(file(client)) ? valueOf(history.lines(file(client)).get(0)) : FIRST;
  }

  /** Has the client start with the other one next time. */
  void next(History history, int client) throws IOException {
    Deployment other = this == FIRST ? SECOND : FIRST;
    history.write(file(client), List.of(other.name()));
  }

  private static String file(int client) {
    return "deployment-" + client;
  }
}
