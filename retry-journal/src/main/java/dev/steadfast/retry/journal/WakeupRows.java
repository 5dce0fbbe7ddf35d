package dev.steadfast.retry.journal;

import dev.steadfast.retry.operations.OperationJournal;
import dev.steadfast.retry.operations.OperationJournal.Intent;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The statements of wake-ups. Immutable. */
final class WakeupRows {
  private final String number;
  private final String operation;
  private final String head;
  private final String known;
  private final String free;
  private final String due;

  WakeupRows(Dialect dialect) {
    String from = " from steadfast_operation where ";
    String read =
        "select "
            + IntentColumns.READ
            + ", "
            + Row.columns(dialect)
            + ", "
            + dialect.millisUntil("due_at")
            + " as due_in, "
            + dialect.millisUntil("lease_until")
            + " as lease_left"
            + from;
    this.number = "select id, sequence_name" + from + Sql.BY_ID;
    this.operation = read + "id = ?";
    this.head =
        read
            + "sequence_name = ? and state in ('ready', 'in_flight', 'unknown')"
            + " order by sequence_number limit 1";
    this.known = "select name from steadfast_sequence where name = ?";
    this.free = known + " for update skip locked";
    String now = "(select " + dialect.now() + ")"; // one value for all rows, so an index can serve
    this.due =
        "select id, sequence_name"
            + from
            + "body is not null"
            + " and (first_sent_at is null or (repeatable <> 'never' and key_expires_at > "
            + now
            + ")) and ((state = 'in_flight' and lease_until <= "
            + now
            + ") or (state = 'ready' and due_at <= "
            + now
            + ")) and "
            + Rows.ITS_TURN
            + " order by coalesce(due_at, lease_until), id limit ?";
  }

  /**
   * An operation that a wake-up stands for, or the first one of its sequence that is not finished.
   *
   * @param row what decides about it
   * @param intent what is sent
   * @param dueIn when it is due; null if it is not delivered
   * @param leaseLeft how long somebody works on it at most; null if nobody does
   */
  record Found(Row row, Intent intent, @Nullable Duration dueIn, @Nullable Duration leaseLeft) {}

  /** The name of the wake-up of an operation, which is there. */
  WakeupName name(Connection connection, OperationJournal.Id id) throws SQLException {
    try (PreparedStatement statement = Sql.prepare(connection, number)) {
      Sql.setId(statement, 1, id);
      return names(statement).get(0);
    }
  }

  /** The operation of a wake-up, or the first unfinished one of its sequence; null if none. */
  @Nullable Found find(Connection connection, WakeupName wakeup) throws SQLException {
    String sequence = wakeup.sequence();
    try (PreparedStatement statement =
        Sql.prepare(connection, sequence == null ? operation : head)) {
      if (sequence == null) {
        statement.setLong(1, wakeup.operation());
      } else {
        statement.setString(1, sequence);
      }
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? found(row) : null;
      }
    }
  }

  private static Found found(ResultSet row) throws SQLException {
    return new Found(
        Row.of(row), IntentColumns.read(row), millis(row, "due_in"), millis(row, "lease_left"));
  }

  private static @Nullable Duration millis(ResultSet row, String column) throws SQLException {
    long millis = row.getLong(column);
    return row.wasNull() ? null : Duration.ofMillis(millis);
  }

  /** Whether a transaction is enlisting in a sequence that is there. */
  boolean isEnlisting(Connection connection, String sequence) throws SQLException {
    return !finds(connection, free, sequence) && finds(connection, known, sequence);
  }

  private static boolean finds(Connection connection, String sql, String sequence)
      throws SQLException {
    try (PreparedStatement statement = Sql.prepare(connection, sql)) {
      statement.setString(1, sequence);
      try (ResultSet row = statement.executeQuery()) {
        return row.next();
      }
    }
  }

  /** The wake-ups of what is due: enlisted operations, and those whose owner died. */
  List<WakeupName> due(Connection connection, int most) throws SQLException {
    try (PreparedStatement statement = Sql.prepare(connection, due)) {
      statement.setInt(1, most);
      return names(statement);
    }
  }

  private static List<WakeupName> names(PreparedStatement statement) throws SQLException {
    List<WakeupName> names = new ArrayList<>();
    try (ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        names.add(new WakeupName(row.getLong("id"), row.getString("sequence_name")));
      }
    }
    return names;
  }
}
