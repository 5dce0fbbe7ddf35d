package dev.steadfast.retry.examples.payments;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import javax.sql.DataSource;

/** Plain JDBC, with less of it to read. */
public final class Sql {
  /** Work on the database. */
  @FunctionalInterface
  public interface Function<A, B> {
    /** Does some of the work. */
    B apply(A a) throws SQLException;
  }

  private Sql() {}

  /** All of it is committed, or nothing. */
  public static <T> T transaction(DataSource dataSource, Function<Connection, T> work)
      throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      try {
        T result = work.apply(connection);
        connection.commit();
        return result;
      } finally {
        connection.rollback(); // does nothing after a commit
      }
    }
  }

  /** Returns how many rows were changed. */
  public static int update(Connection connection, String sql, Object... values)
      throws SQLException {
    try (PreparedStatement statement = prepare(connection, sql, values)) {
      return statement.executeUpdate();
    }
  }

  /** Returns the first row, if there is one. */
  public static <T> Optional<T> first(
      Connection connection, Function<ResultSet, T> read, String sql, Object... values)
      throws SQLException {
    try (PreparedStatement statement = prepare(connection, sql, values);
        ResultSet rows = statement.executeQuery()) {
      return rows.next() ? Optional.ofNullable(read.apply(rows)) : Optional.empty();
    }
  }

  private static PreparedStatement prepare(Connection connection, String sql, Object... values)
      throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql);
    for (int i = 0; i < values.length; i++) {
      statement.setObject(i + 1, values[i]);
    }
    return statement;
  }
}
