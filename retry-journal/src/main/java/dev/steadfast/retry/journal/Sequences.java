package dev.steadfast.retry.journal;

import dev.steadfast.retry.operations.OperationJournal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The statements that say when the first operation of a sequence is looked at. None of them waits
 * for a transaction that enlists: such a transaction has the sequence looked at anyway. Immutable.
 */
final class Sequences {
  private static final String RESERVED_MILLIS = "60000";

  private final Dialect dialect;
  private final String reserve;
  private final String lastNumber;
  private final String idle;
  private final String lookIn;
  private final String look;

  Sequences(Dialect dialect, Tables tables) {
    this.dialect = dialect;
    String reserved = dialect.afterMillis(RESERVED_MILLIS);
    this.reserve =
        tables.named(
            dialect == Dialect.H2
                ? "select name from final table (update steadfast_sequence set look_at = "
                    + reserved
                    + " where name in (select name from steadfast_sequence where look_at <= ?"
                    + " order by look_at limit ?))"
                : "with due as (select name as due_name, look_at as since from steadfast_sequence"
                    + " where look_at <= ? order by look_at limit ? for update skip locked),"
                    + " mine as (update steadfast_sequence set look_at = "
                    + reserved
                    + " from due, "
                    + Dialect.UNFLUSHED
                    + " where name = due_name returning name, since)"
                    + " select name from mine order by since, name");
    this.lastNumber = tables.named("select last_number from steadfast_sequence where name = ?");
    this.idle = tables.named(unlocked("look_at = null", "name = ? and last_number = ?"));
    this.lookIn =
        tables.named(unlocked("look_at = " + dialect.afterMillis("cast(? as bigint)"), "name = ?"));
    this.look =
        tables.named(
            unlocked(
                "look_at = " + dialect.now(),
                "name = (select sequence_name from steadfast_operation where " + Sql.BY_ID + ")"));
  }

  /** The condition that no earlier operation of its sequence holds an operation. */
  static String itsTurn(String holding) {
    return "(sequence_name is null or not exists (select 1 from steadfast_operation earlier"
        + " where earlier.sequence_name = steadfast_operation.sequence_name"
        + " and earlier.sequence_number < steadfast_operation.sequence_number"
        + " and earlier.state in ("
        + holding
        + ")))";
  }

  private String unlocked(String changes, String condition) {
    String update = "update steadfast_sequence set " + changes + " where ";
    return dialect == Dialect.H2
        ? update + condition
        : update
            + "name in (select name from steadfast_sequence where "
            + condition
            + " for update skip locked)";
  }

  /** Reserves sequences that are to be looked at, for a minute. */
  List<String> reserve(Connection connection, OffsetDateTime at, int most) throws SQLException {
    List<String> found = new ArrayList<>();
    try (PreparedStatement statement = Sql.prepare(connection, reserve)) {
      statement.setObject(1, at);
      statement.setInt(2, most);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          found.add(row.getString(1));
        }
      }
    }
    return found;
  }

  /** The number that the sequence gave last; null if it is not known. */
  @Nullable Long lastNumber(Connection connection, String sequence) throws SQLException {
    try (PreparedStatement statement = Sql.prepare(connection, lastNumber)) {
      statement.setString(1, sequence);
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? row.getLong(1) : null;
      }
    }
  }

  /**
   * Stops looking at a sequence, because all its operations are over.
   *
   * @param last the number that it had given before they were seen to be over: if it has given
   *     another one since, nothing changes
   */
  void idle(Connection connection, String sequence, long last) throws SQLException {
    try (PreparedStatement statement = Sql.prepare(connection, idle)) {
      statement.setString(1, sequence);
      statement.setLong(2, last);
      statement.executeUpdate();
    }
  }

  /** Has a sequence looked at some time from now. */
  void lookIn(Connection connection, String sequence, Duration time) throws SQLException {
    try (PreparedStatement statement = Sql.prepare(connection, lookIn)) {
      Sql.setMillis(statement, 1, time);
      statement.setString(2, sequence);
      statement.executeUpdate();
    }
  }

  /** Has the sequence of an operation looked at now, if it belongs to one. */
  void look(Connection connection, OperationJournal.Id id) throws SQLException {
    try (PreparedStatement statement = Sql.prepare(connection, look)) {
      Sql.setId(statement, 1, id);
      statement.executeUpdate();
    }
  }
}
