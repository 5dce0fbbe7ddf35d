package dev.steadfast.retry.journal;

import dev.steadfast.retry.operations.OperationJournal;
import dev.steadfast.retry.operations.OperationJournal.Intent;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The statements of wake-ups. Immutable. */
final class WakeupRows {
  private static final int MOST_SWEPT = 1_000;

  private final StoredForm storedForm;
  private final String number;
  private final String operation;
  private final String head;
  private final String known;
  private final String free;
  private final String left;
  private final String oldest;

  WakeupRows(Dialect dialect, Tables tables, Deliveries deliveries, StoredForm storedForm) {
    this.storedForm = storedForm;
    String holding = deliveries.holding();
    String from = " from steadfast_operation where ";
    String read =
        "select "
            + IntentColumns.READ
            + ", "
            + Row.columns(dialect, deliveries)
            + ", "
            + dialect.millisUntil("due_at")
            + " as due_in, "
            + dialect.millisUntil("lease_until")
            + " as lease_left"
            + from;
    this.number = tables.named("select id, sequence_name" + from + Sql.BY_ID);
    this.operation = tables.named(read + "id = ?");
    this.head =
        tables.named(
            read
                + "sequence_name = ? and state in ("
                + holding
                + ") order by sequence_number limit 1");
    this.known = tables.named("select name from steadfast_sequence where name = ?");
    this.free = known + " for update skip locked";
    String now = "(select " + dialect.now() + ")"; // one value for all rows, so an index can serve
    String limit = " limit " + MOST_SWEPT;
    String since = "coalesce(due_at, lease_until)";
    this.left =
        tables.named(
            "select id, sequence_name"
                + from
                + "state = 'in_flight' and sequence_name is null and "
                + since
                + " <= "
                + now
                + " and lease_until <= "
                + now
                + " and body is not null order by "
                + since
                + limit);
    this.oldest =
        tables.named(
            "select id, due_at, due_at <= "
                + now
                + " as is_due"
                + from
                + DueRows.READY
                + " and (due_at, id) > (?, ?) order by due_at, id"
                + limit);
  }

  /**
   * An operation that a wake-up stands for, or the first one of its sequence that is not finished.
   *
   * @param row the columns that decide what is done with it
   * @param intent the request
   * @param dueIn when it is due; null if it is not delivered
   * @param leaseLeft how long somebody works on it at most; null if nobody does
   */
  record Found(Row row, Intent intent, @Nullable Duration dueIn, @Nullable Duration leaseLeft) {}

  /** The name of the wake-up of an operation that is in the journal. */
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

  private Found found(ResultSet row) throws SQLException {
    return new Found(
        Row.of(row, storedForm),
        IntentColumns.read(row, storedForm),
        millis(row, "due_in"),
        millis(row, "lease_left"));
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

  /** The wake-ups of operations that their owners have left. */
  List<WakeupName> left(Connection connection) throws SQLException {
    try (PreparedStatement statement = Sql.prepare(connection, left)) {
      return names(statement);
    }
  }

  /**
   * Some wake-ups.
   *
   * @param names their names
   * @param end where the next page begins, or the first one begins again
   */
  record Page(List<WakeupName> names, DueRows.Position end) {}

  /** The wake-ups of enlisted operations that are due, the oldest first. */
  Page oldest(Connection connection, DueRows.Position after) throws SQLException {
    List<WakeupName> names = new ArrayList<>();
    DueRows.Position end = after;
    try (PreparedStatement statement = Sql.prepare(connection, oldest)) {
      statement.setObject(1, after.since());
      statement.setLong(2, after.id());
      try (ResultSet row = statement.executeQuery()) {
        while (row.next() && row.getBoolean("is_due")) {
          names.add(new WakeupName(row.getLong("id"), null));
          end = new DueRows.Position(row.getObject("due_at", OffsetDateTime.class), row.getLong(1));
        }
      }
    }
    return new Page(names, names.size() < MOST_SWEPT ? DueRows.Position.start() : end);
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
