package dev.steadfast.retry.examples.payments;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/** The payments that were made: the effect. */
final class Ledger {
  private static final long LIMIT = 1_000_000;

  private static final String INSERT =
      """
      insert into ledger (principal, intent, account, amount, key)
        values (?, ?, ?, ?, ?) returning payment
      """;
  // One statement sees one moment: what is not in the ledger once it is fenced never will be.
  private static final String OUTCOME =
      """
      select case
        when exists (select from ledger where principal = ? and intent = ?) then 'applied'
        when exists (select from payment_keys
          where principal = ? and intent = ? and state = 'FENCED') then 'not applied and fenced'
        end
      """;

  private Ledger() {}

  /** Makes a payment, or declines it. Either is an answer to be stored. */
  static Answer pay(Connection connection, PaymentRequest request) throws SQLException {
    if (request.amount() > LIMIT) {
      return Answer.problem(402, "above the limit of " + LIMIT);
    }
    String key = request.key().map(PaymentKey::value).orElse(null);
    Object[] row = {
      request.principal(), request.intent(), request.account(), request.amount(), key
    };
    long payment = Sql.first(connection, id -> id.getLong(1), INSERT, row).orElseThrow();
    return Answer.of(201, "{\"intent\":\"" + request.intent() + "\",\"payment\":" + payment + "}");
  }

  /** What became of an intent; empty if nobody can know. */
  static Optional<String> outcome(Connection connection, String principal, String intent)
      throws SQLException {
    Object[] values = {principal, intent, principal, intent};
    return Sql.first(connection, outcome -> outcome.getString(1), OUTCOME, values);
  }
}
