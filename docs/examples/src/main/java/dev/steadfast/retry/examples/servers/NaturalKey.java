package dev.steadfast.retry.examples.servers;

import dev.steadfast.retry.examples.payments.Answer;
import dev.steadfast.retry.examples.payments.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * Orders whose number the client chooses, and which are paid when they are made. The number is
 * unique, so that no other key is needed: an order is made once for as long as it exists.
 *
 * <p>{@code PUT /orders/{number}} answers a repetition with the order. {@code POST /orders} answers
 * it with 409 and the place of the order, as many APIs do.
 */
final class NaturalKey implements Service {
  private final DataSource dataSource;
  private final Ledger ledger;

  NaturalKey(DataSource dataSource, Ledger ledger) {
    this.dataSource = dataSource;
    this.ledger = ledger;
  }

  @Override
  public String tables() {
    return """
    create table if not exists orders (
      number text primary key,
      amount bigint not null
    );
    """;
  }

  @Override
  public Answer answer(Request request) throws SQLException {
    return switch (request.route()) {
      case "PUT /orders/*" -> put(new Payment(request.name(), request.amount()));
      case "POST /orders" -> post(request.payment());
      case "GET /orders/*" -> find(request.name()).orElse(Answer.problem(404, "no such order"));
      default -> Answer.problem(404, "no such resource");
    };
  }

  private Answer put(Payment order) throws SQLException {
    if (make(order)) {
      return shown(201, order);
    }
    Answer same = shown(200, order);
    return find(order.intent()).equals(Optional.of(same))
        ? same
        : Answer.problem(409, "the order exists with another content");
  }

  private Answer post(Payment order) throws SQLException {
    return (make(order) ? shown(201, order) : Answer.problem(409, "the order exists"))
        .with("Location", "/orders/" + order.intent());
  }

  /** Makes and pays an order; false if there is one with its number. */
  private boolean make(Payment order) throws SQLException {
    return Sql.transaction(dataSource, connection -> make(connection, order));
  }

  private boolean make(Connection connection, Payment order) throws SQLException {
    String insert = "insert into orders (number, amount) values (?, ?) on conflict do nothing";
    if (Sql.update(connection, insert, order.intent(), order.amount()) == 0) {
      return false;
    }
    ledger.pay(connection, order);
    return true;
  }

  private Optional<Answer> find(String number) throws SQLException {
    String select = "select amount from orders where number = ?";
    try (Connection connection = dataSource.getConnection()) {
      return Sql.first(connection, row -> row.getLong(1), select, number)
          .map(amount -> shown(200, new Payment(number, amount)));
    }
  }

  private static Answer shown(int status, Payment order) {
    return Answer.of(
        status, "{\"number\":\"" + order.intent() + "\",\"amount\":" + order.amount() + "}");
  }
}
