package dev.steadfast.retry.examples.servers;

import dev.steadfast.retry.examples.payments.Answer;
import dev.steadfast.retry.examples.payments.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * Accounts with a version. A write names the version that it has read, and is carried out only if
 * that is still the version. So its own repetition is refused as the write of somebody else is.
 */
final class OptimisticVersion implements Service {
  // One statement checks and writes: between two, another write could come.
  private static final String UPDATE =
      """
      update accounts set amount = ?, version = version + 1
        where name = ? and version = ? returning amount, version
      """;

  private final DataSource dataSource;

  OptimisticVersion(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  @Override
  public String tables() {
    return """
    create table if not exists accounts (
      name    text primary key,
      amount  bigint not null,
      version bigint not null
    );
    """;
  }

  @Override
  public Answer answer(Request request) throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      return switch (request.route()) {
        case "GET /accounts/*" ->
            read(connection, request).orElse(Answer.problem(404, "no such account"));
        case "PUT /accounts/*" ->
            write(connection, request).orElse(Answer.problem(412, "the account has changed"));
        default -> Answer.problem(404, "no such resource");
      };
    }
  }

  private static Optional<Answer> read(Connection connection, Request request) throws SQLException {
    String select = "select amount, version from accounts where name = ?";
    return Sql.first(connection, OptimisticVersion::shown, select, request.name());
  }

  private static Optional<Answer> write(Connection connection, Request request)
      throws SQLException {
    if (!request.headers().containsKey("If-Match")) {
      throw Answer.refusal(428, "If-Match expected");
    }
    String match = request.header("If-Match");
    if (!match.matches("\"[0-9]{1,18}\"")) {
      return Optional.empty(); // no version of ours
    }
    long version = Long.parseLong(match.substring(1, match.length() - 1));
    Object[] values = {request.amount(), request.name(), version};
    return Sql.first(connection, OptimisticVersion::shown, UPDATE, values);
  }

  private static Answer shown(ResultSet account) throws SQLException {
    return Answer.of(200, "{\"amount\":" + account.getLong("amount") + "}")
        .with("ETag", "\"" + account.getLong("version") + "\"");
  }
}
