package dev.steadfast.retry.examples.payments;

import dev.steadfast.retry.examples.payments.Faults.Point;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;

/**
 * Makes each payment with a key once, however often the request comes, within the retention.
 *
 * <p>A key is claimed in one transaction, and the payment is made in a second one. So a duplicate
 * sees that the first request is still at work. It gets a 409, and does not wait with a connection
 * in its hand. The price is the lease: if the process dies between the two transactions, the key
 * stays claimed until its lease ends.
 */
final class Payments {
  private final DataSource dataSource;
  private final KeyStore keys;
  private final Faults faults;

  Payments(DataSource dataSource, Settings settings, Faults faults) {
    this.dataSource = dataSource;
    this.keys = new KeyStore(settings);
    this.faults = faults;
  }

  Answer pay(PaymentRequest request) throws SQLException {
    faults.at(Point.BEFORE_KEY, request.intent());
    UUID executor = UUID.randomUUID();
    return request.key().isPresent()
        ? payOnce(request, request.key().get(), executor)
        : execute(request, executor);
  }

  private Answer payOnce(PaymentRequest request, PaymentKey key, UUID executor)
      throws SQLException {
    Optional<KeyStore.Entry> earlier;
    try (Connection connection = dataSource.getConnection()) {
      earlier = keys.claim(connection, request, key, executor);
    }
    if (earlier.isPresent()) {
      return repeat(request, earlier.get());
    }
    try {
      faults.at(Point.AFTER_KEY, request.intent());
      return execute(request, executor);
    } catch (SQLException | RuntimeException failure) {
      // Without this the key would stay claimed until the lease ends.
      try (Connection connection = dataSource.getConnection()) {
        KeyStore.giveBack(connection, key, executor);
      }
      throw failure;
    }
  }

  private static Answer repeat(PaymentRequest request, KeyStore.Entry earlier) {
    if (earlier.state() == KeyStore.State.FENCED) {
      return Answer.problem(410, "this key was fenced");
    }
    if (!earlier.requestHash().equals(request.hash())) {
      return Answer.problem(422, "this key was used for another request");
    }
    return earlier.state() == KeyStore.State.DONE
        ? earlier.answer().with("Idempotent-Replayed", "true")
        : Answer.inProgress();
  }

  private Answer execute(PaymentRequest request, UUID executor) throws SQLException {
    Answer answer =
        Sql.transaction(dataSource, connection -> effect(connection, request, executor));
    faults.at(Point.AFTER_COMMIT, request.intent());
    return answer;
  }

  // region server-effect
  /** The payment and its answer: both are committed, or neither is. */
  private Answer effect(Connection connection, PaymentRequest request, UUID executor)
      throws SQLException {
    Answer answer = Ledger.pay(connection, request);
    if (request.key().isPresent()
        && !keys.finish(connection, request.key().get(), executor, answer)) {
      // The key was fenced, or its lease has ended. The exception undoes the payment.
      throw new Answer.Refusal(Answer.inProgress());
    }
    faults.at(Point.IN_TRANSACTION, request.intent());
    return answer;
  }

  // endregion

  /** Has a key refused for good, and tells what became of its intent. */
  Answer fence(PaymentKey key, String intent) throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      return KeyStore.fence(connection, key, intent)
          ? outcome(connection, key.principal(), intent)
          : Answer.problem(422, "this key belongs to another intent");
    }
  }

  /** Tells what became of an intent: applied, not applied and fenced, or unknown. */
  Answer lookUp(String principal, String intent) throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      return outcome(connection, principal, intent);
    }
  }

  private static Answer outcome(Connection connection, String principal, String intent)
      throws SQLException {
    return Ledger.outcome(connection, principal, intent)
        .map(outcome -> Answer.of(200, "{\"outcome\":\"" + outcome + "\"}"))
        .orElse(Answer.problem(404, "unknown: a request may still be on its way"));
  }

  void sweep() throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      KeyStore.sweep(connection);
    }
  }
}
