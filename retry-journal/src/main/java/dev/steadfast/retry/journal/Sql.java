package dev.steadfast.retry.journal;

import dev.steadfast.retry.operations.OperationJournal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Types;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The common parts of the statements. */
final class Sql {
  /** How long a statement may take: each one changes one row, or a page of rows. */
  static final int TIMEOUT_SECONDS = 10;

  /** The condition that finds one operation. */
  static final String BY_ID = "name = ? and principal = ? and op_key = ?";

  private static final Duration LONGEST = Duration.ofDays(36_500);

  private Sql() {}

  static PreparedStatement prepare(Connection connection, String sql) throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql);
    statement.setQueryTimeout(TIMEOUT_SECONDS);
    return statement;
  }

  /**
   * Changes rows, in a transaction of its own.
   *
   * @return how many were changed
   * @throws SQLException also if they were changed, but perhaps not on the standby that the
   *     database has to wait for: it has given up the wait, and says so by a warning alone
   */
  static int update(PreparedStatement statement) throws SQLException {
    long began = System.nanoTime();
    int rows = statement.executeUpdate();
    SQLWarning warning = statement.getWarnings();
    if (warning != null && isOfStandby(warning, System.nanoTime() - began)) {
      throw new SQLException(warning.getMessage(), warning.getSQLState(), warning);
    }
    return rows;
  }

  // PostgreSQL gives that warning no state of its own, and may speak another language.
  private static boolean isOfStandby(SQLWarning warning, long nanos) {
    return nanos >= TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS)
        || String.valueOf(warning.getMessage()).contains("synchronous replication");
  }

  /** Sets the three parts of a name; returns the index after them. */
  static int setId(PreparedStatement statement, int from, OperationJournal.Id id)
      throws SQLException {
    int i = from;
    statement.setString(i++, id.name());
    statement.setString(i++, id.principal());
    statement.setString(i++, id.key());
    return i;
  }

  /** Whether a statement, whose only values are the three parts of a name, finds a row. */
  static boolean finds(Connection connection, String sql, OperationJournal.Id id)
      throws SQLException {
    try (PreparedStatement statement = prepare(connection, sql)) {
      setId(statement, 1, id);
      try (ResultSet row = statement.executeQuery()) {
        return row.next();
      }
    }
  }

  static void setLong(PreparedStatement statement, int i, @Nullable Long value)
      throws SQLException {
    if (value == null) {
      statement.setNull(i, Types.BIGINT);
    } else {
      statement.setLong(i, value);
    }
  }

  /** Sets a time in milliseconds, from -100 to 100 years. A time beyond that is cut off. */
  static void setMillis(PreparedStatement statement, int i, @Nullable Duration time)
      throws SQLException {
    setLong(statement, i, time == null ? null : shortened(time).toMillis());
  }

  private static Duration shortened(Duration time) {
    if (time.compareTo(LONGEST) > 0) {
      return LONGEST;
    }
    Duration most = LONGEST.negated();
    return time.compareTo(most) < 0 ? most : time;
  }

  /**
   * Reads a text column.
   *
   * @throws CorruptRowException if it is null, or if the parser refuses it
   */
  static <T> T parse(ResultSet row, String column, Function<String, T> parser) throws SQLException {
    return parsed(row, column, row.getString(column), parser);
  }

  /** Parses text that was read from the column. */
  static <T> T parsed(
      ResultSet row, String column, @Nullable String text, Function<String, T> parser)
      throws SQLException {
    if (text != null) {
      try {
        return parser.apply(text);
      } catch (RuntimeException unreadable) {
        // reported below without its message, which may quote a secret
      }
    }
    throw new CorruptRowException(row.getLong("id"), column);
  }
}
