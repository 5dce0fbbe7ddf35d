package dev.steadfast.retry.journal;

import dev.steadfast.retry.operations.OperationJournal;
import dev.steadfast.retry.operations.OperationJournal.Intent;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The statements on operations that nobody works on. Immutable. */
final class Backlog {
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry.journal");

  private static final int PAGE = 20; // each may have a body of 16 MiB
  private static final int MOST_CHANGED = 1_000; // by one statement

  // Rows come in this order: since when each one is due, was left by its owner, or has ended.
  private static final String SINCE = "coalesce(due_at, lease_until, ended_at, created_at)";

  private final String time;
  private final String due;
  private final String unknown;
  private final String expired;
  private final String settle;
  private final String settleCorrupt;
  private final String whole;
  private final String purge;

  Backlog(Dialect dialect) {
    String now = dialect.now();
    String once = "(select " + now + ")"; // read once, so that an index can be used
    String read =
        "select " + IntentColumns.READ + ", " + SINCE + " as since from steadfast_operation where ";
    this.time = "select " + now;
    this.due =
        read
            + "body is not null"
            + " and (first_sent_at is null or (repeatable <> 'never' and key_expires_at > ?))"
            + " and ((state = 'in_flight' and lease_until <= ?)"
            + " or (state = 'ready' and due_at <= ?)"
            + " or (state = 'ready' and due_at is null and cast(? as boolean)))"
            + " and ("
            + SINCE
            + " > ? or ("
            + SINCE
            + " = ? and id > ?)) and "
            + SINCE
            + " <= ? and "
            + Rows.ITS_TURN
            + " order by since, id limit ?";
    this.unknown = read + settleable(once) + " order by since, id limit ?";
    this.expired =
        "select id, row_version from steadfast_operation where first_sent_at is not null and "
            + windowOver(once)
            + " and "
            + unheld(once)
            + " order by id limit "
            + MOST_CHANGED;
    String settled =
        "update steadfast_operation set state = ?, "
            + Rows.released(dialect)
            + " where "
            + Sql.BY_ID
            + " and ";
    this.settle = settled + settleable(now);
    this.settleCorrupt =
        settled
            + "state not in ('succeeded', 'failed', 'closed')"
            + " and (state <> 'in_flight' or lease_until <= "
            + now
            + ")";
    this.whole =
        "select "
            + Row.columns(dialect)
            + ", name, principal, op_key, headers, body, key_window_ms"
            + " from steadfast_operation where "
            + Sql.BY_ID;
    this.purge =
        "delete from steadfast_operation where id in (select id from steadfast_operation where"
            + " state in ('succeeded', 'failed', 'closed') and ended_at <= (select "
            + dialect.afterMillis("cast(? as bigint)")
            + ") and (key_expires_at is null or key_expires_at <= "
            + once
            + ") limit "
            + MOST_CHANGED
            + dialect.skipLocked()
            + ")";
  }

  private static String unheld(String now) {
    return "(state = 'ready' or (state = 'in_flight' and lease_until <= " + now + "))";
  }

  private static String windowOver(String now) {
    return "(repeatable = 'never' or key_expires_at is null or key_expires_at <= " + now + ")";
  }

  // It may have been processed, and nobody but its caller can send it again.
  private static String settleable(String now) {
    return "(state = 'unknown' or (first_sent_at is not null and (body is null or "
        + windowOver(now)
        + ") and "
        + unheld(now)
        + "))";
  }

  /**
   * Where a page of operations ends.
   *
   * @param since the time of its last one
   * @param id the number of its last one
   */
  record Position(OffsetDateTime since, long id) {
    static final Position START =
        new Position(Instant.EPOCH.atOffset(ZoneOffset.UTC), Long.MIN_VALUE);
  }

  /**
   * Some operations.
   *
   * @param found those that can be read
   * @param end where the next page begins; null if there is none
   */
  record Page(List<Intent> found, @Nullable Position end) {}

  /** The database's time. */
  OffsetDateTime time(Connection connection) throws SQLException {
    try (PreparedStatement statement = Sql.prepare(connection, time);
        ResultSet row = statement.executeQuery()) {
      row.next();
      return row.getObject(1, OffsetDateTime.class);
    }
  }

  /**
   * Which operations are to be sent.
   *
   * @param at those that were due at that time, by the clock of the database
   * @param unsettled also those whose caller was told that their effect is unknown
   */
  record Due(OffsetDateTime at, boolean unsettled) {}

  /** Operations that are to be sent: enlisted ones, and those whose owner died. */
  Page due(Connection connection, Due wanted, Position after) throws SQLException {
    try (PreparedStatement statement = Sql.prepare(connection, due)) {
      statement.setObject(1, wanted.at());
      statement.setObject(2, wanted.at());
      statement.setObject(3, wanted.at());
      statement.setBoolean(4, wanted.unsettled());
      statement.setObject(5, after.since());
      statement.setObject(6, after.since());
      statement.setLong(7, after.id());
      statement.setObject(8, wanted.at());
      statement.setInt(9, PAGE);
      return read(statement, PAGE);
    }
  }

  /** Operations that may have been processed, and that only a look-up or their caller settles. */
  List<Intent> unknown(Connection connection, int most) throws SQLException {
    try (PreparedStatement statement = Sql.prepare(connection, unknown)) {
      statement.setInt(1, most);
      return read(statement, most).found();
    }
  }

  // A row that cannot be read is logged, kept and skipped. It holds its sequence until it is
  // settled.
  private static Page read(PreparedStatement statement, int most) throws SQLException {
    List<Intent> found = new ArrayList<>();
    Position last = Position.START;
    int rows = 0;
    try (ResultSet row = statement.executeQuery()) {
      for (; row.next(); rows++) {
        last = new Position(row.getObject("since", OffsetDateTime.class), row.getLong("id"));
        try {
          found.add(IntentColumns.read(row));
        } catch (CorruptRowException corrupt) {
          LOG.error("{}; the row is kept and skipped", corrupt.getMessage());
        }
      }
    }
    return new Page(found, rows < most ? null : last);
  }

  /**
   * At most 1,000 operations that may have been processed, that nobody holds, and that can no
   * longer be sent again.
   */
  List<Row.Version> expired(Connection connection) throws SQLException {
    List<Row.Version> found = new ArrayList<>();
    try (PreparedStatement statement = Sql.prepare(connection, expired);
        ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        found.add(new Row.Version(row.getLong("id"), row.getInt("row_version")));
      }
    }
    return found;
  }

  /**
   * Settles an operation whose effect is unknown, or whose row cannot be read: nobody sends that
   * one any more, so its effect is as unknown.
   *
   * @return false if it is neither, or if somebody works on it
   */
  boolean settle(Connection connection, OperationJournal.Id id, String state) throws SQLException {
    return settles(connection, settle, id, state)
        || (isCorrupt(connection, id) && settles(connection, settleCorrupt, id, state));
  }

  private static boolean settles(
      Connection connection, String sql, OperationJournal.Id id, String state) throws SQLException {
    try (PreparedStatement statement = Sql.prepare(connection, sql)) {
      statement.setString(1, state);
      Sql.setId(statement, 2, id);
      return statement.executeUpdate() == 1;
    }
  }

  private boolean isCorrupt(Connection connection, OperationJournal.Id id) throws SQLException {
    try (PreparedStatement statement = Sql.prepare(connection, whole)) {
      Sql.setId(statement, 1, id);
      try (ResultSet row = statement.executeQuery()) {
        if (row.next()) {
          IntentColumns.read(row);
          Row.of(row);
        }
        return false;
      } catch (CorruptRowException corrupt) {
        return true;
      }
    }
  }

  /** Deletes finished operations, except those whose key is still within its retention. */
  int purge(Connection connection, Duration olderThan) throws SQLException {
    int deleted = 0;
    try (PreparedStatement statement = Sql.prepare(connection, purge)) {
      Sql.setMillis(statement, 1, olderThan.negated());
      while (true) {
        int some = statement.executeUpdate();
        deleted += some;
        if (some < MOST_CHANGED) {
          return deleted;
        }
      }
    }
  }
}
