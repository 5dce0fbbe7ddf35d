package dev.steadfast.retry.examples.servers;

import dev.steadfast.retry.examples.payments.Answer;
import dev.steadfast.retry.examples.payments.Faults;
import dev.steadfast.retry.examples.payments.Faults.Point;
import dev.steadfast.retry.examples.payments.Sql;
import java.sql.Connection;
import java.sql.SQLException;

/** The payments that were made: the effect. */
final class Ledger {
  static final String TABLES =
      """
      create table if not exists payments (
        payment bigint generated always as identity primary key,
        intent  text not null,    -- not unique: a duplicate must be visible here
        amount  bigint not null
      );
      """;

  private final Faults faults;

  /** The faults are for tests. */
  Ledger(Faults faults) {
    this.faults = faults;
  }

  /** Makes a payment, in the transaction of the caller. */
  Answer pay(Connection connection, Payment payment) throws SQLException {
    String insert = "insert into payments (intent, amount) values (?, ?) returning payment";
    long number =
        Sql.first(connection, row -> row.getLong(1), insert, payment.intent(), payment.amount())
            .orElseThrow();
    faults.at(Point.IN_TRANSACTION, payment.intent());
    return Answer.of(201, "{\"payment\":" + number + "}");
  }
}
