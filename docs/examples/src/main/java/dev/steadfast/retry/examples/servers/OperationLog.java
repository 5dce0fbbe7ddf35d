package dev.steadfast.retry.examples.servers;

import dev.steadfast.retry.examples.payments.Answer;
import dev.steadfast.retry.examples.payments.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * Keeps a log of operations and nothing else: all state is computed from it. The entry is at once
 * the effect, the key and the answer, so that no two of them can differ. A key is known for as long
 * as its entry is.
 */
final class OperationLog implements Service {
  /** An operation of the log. */
  private record Entry(long position, String request) {
    static Entry read(ResultSet row) throws SQLException {
      return new Entry(row.getLong("position"), row.getString("request"));
    }
  }

  private static final String APPEND =
      """
      insert into operation_log (key, request, intent, amount) values (?, ?, ?, ?)
        on conflict do nothing returning position, request
      """;

  private final DataSource dataSource;

  OperationLog(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  @Override
  public String tables() {
    return """
    create table if not exists operation_log (
      position bigint generated always as identity primary key,
      key      text not null unique,
      request  text not null,          -- the same key must come with the same request
      intent   text not null,
      amount   bigint not null
    );
    """;
  }

  @Override
  public Answer answer(Request request) throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      return switch (request.route()) {
        case "POST /payments" -> append(connection, request);
        case "GET /total" -> total(connection);
        default -> Answer.problem(404, "no such resource");
      };
    }
  }

  private static Answer append(Connection connection, Request request) throws SQLException {
    Payment payment = request.payment();
    String key = request.header("Idempotency-Key");
    Object[] entry = {key, request.content(), payment.intent(), payment.amount()};
    Optional<Entry> appended = Sql.first(connection, Entry::read, APPEND, entry);
    if (appended.isPresent()) {
      return shown(appended.get());
    }
    String find = "select position, request from operation_log where key = ?";
    Entry earlier = Sql.first(connection, Entry::read, find, key).orElseThrow();
    return earlier.request.equals(request.content())
        ? shown(earlier).with("Idempotent-Replayed", "true")
        : Answer.problem(422, "this key was used for another request");
  }

  private static Answer shown(Entry entry) {
    return Answer.of(201, "{\"position\":" + entry.position + "}");
  }

  private static Answer total(Connection connection) throws SQLException {
    String sum = "select coalesce(sum(amount), 0) from operation_log";
    long total = Sql.first(connection, row -> row.getLong(1), sum).orElseThrow();
    return Answer.of(200, "{\"total\":" + total + "}");
  }
}
