package dev.steadfast.retry.examples.servers;

import dev.steadfast.retry.examples.payments.Answer;
import dev.steadfast.retry.examples.payments.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import javax.sql.DataSource;

/**
 * Takes a payment only with a token, which the client has fetched before, and each token once.
 *
 * <p>{@code POST /tokens} gives a token in the header {@code Payment-Token}, and {@code POST
 * /payments} expects it there. A token that was used is gone. So its repetition gets the same 410
 * as a token that has expired.
 */
final class OneTimeToken implements Service {
  private final DataSource dataSource;
  private final Ledger ledger;
  private final Duration validity;

  OneTimeToken(DataSource dataSource, Ledger ledger, Duration validity) {
    this.dataSource = dataSource;
    this.ledger = ledger;
    this.validity = validity;
  }

  @Override
  public String tables() {
    return """
    create table if not exists tokens (
      token       text primary key,
      valid_until timestamptz not null
    );
    """;
  }

  @Override
  public Answer answer(Request request) throws SQLException {
    return switch (request.route()) {
      case "POST /tokens" -> give();
      case "POST /payments" -> pay(request);
      default -> Answer.problem(404, "no such resource");
    };
  }

  private Answer give() throws SQLException {
    String token = UUID.randomUUID().toString();
    String insert = "insert into tokens values (?, clock_timestamp() + ? * interval '1 ms')";
    try (Connection connection = dataSource.getConnection()) {
      Sql.update(connection, insert, token, validity.toMillis());
    }
    return Answer.of(201, "{}").with("Payment-Token", token);
  }

  private Answer pay(Request request) throws SQLException {
    Payment payment = request.payment();
    String token = request.header("Payment-Token");
    return Sql.transaction(dataSource, connection -> pay(connection, token, payment));
  }

  /** If the payment fails, its token is there again. */
  private Answer pay(Connection connection, String token, Payment payment) throws SQLException {
    String use = "delete from tokens where token = ? and valid_until > clock_timestamp()";
    return Sql.update(connection, use, token) == 1
        ? ledger.pay(connection, payment)
        : Answer.problem(410, "this token was used or has expired");
  }
}
