package dev.steadfast.retry.journal;

import dev.steadfast.retry.operations.OperationJournal.Intent;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The statements that find operations which are due, outside of sequences. Each that is found is
 * reserved for a minute, so that several processes do not try the same operations. That is a hint:
 * only a claim decides who sends. So a reservation does not wait for the disk. It leaves the
 * version of a row alone: a version that a crash takes back would come a second time, and a claim
 * that expects the first one would overwrite what a person or another process has done since.
 * Immutable.
 */
final class DueRows {
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry.journal");

  private static final int MOST_ORIGINS = 1_000;
  private static final String RESERVED_MILLIS = "60000";

  /** The conditions for operations to be sent, as the indexes have them. */
  static final String READY = "state = 'ready' and sequence_name is null and due_at is not null";

  static final String LEFT = "state = 'in_flight' and sequence_name is null";

  private final Dialect dialect;
  private final StoredForm storedForm;
  private final String origins;
  private final String ofOrigin;
  private final String left;
  private final String told;
  private final String release;
  private final String releaseAll;
  private final String postpone;
  private final String broken;

  DueRows(Dialect dialect, Tables tables, Deliveries deliveries, StoredForm storedForm) {
    this.dialect = dialect;
    this.storedForm = storedForm;
    String columns = IntentColumns.READ + ", key_expires_at, " + Row.columns(dialect, deliveries);
    this.origins = tables.named(dialect.distinctOrigins(READY, MOST_ORIGINS));
    this.ofOrigin =
        tables.named(
            reserving(columns, READY + " and origin = ? and again = ? and due_at <= ?", "due_at"));
    String since = "coalesce(due_at, lease_until)";
    this.left =
        tables.named(
            reserving(columns, LEFT + " and " + since + " <= ? and lease_until <= ?", since));
    this.told =
        tables.named(
            "select "
                + columns
                + " from steadfast_operation where state = 'ready' and due_at is null and body is"
                + " not null and repeatable <> 'never' and key_expires_at >= ? and (key_expires_at"
                + " > ? or id > ?) order by key_expires_at, id limit ?");
    this.release =
        tables.named(
            "update steadfast_operation set due_at = "
                + dialect.now()
                + " where id = ? and row_version = ?");
    this.releaseAll =
        tables.named(
            "update steadfast_operation set due_at = clock_timestamp() from unnest(cast(? as"
                + " bigint[]), cast(? as integer[])) as mine(mine_id, mine_number), "
                + Dialect.UNFLUSHED
                + " where id = mine_id and row_version = mine_number");
    this.postpone =
        tables.named(
            "update steadfast_operation set due_at = "
                + dialect.afterMillis("cast(? as bigint)")
                + ", row_version = row_version + 1 where id = ? and row_version = ?"
                + " and state in ('ready', 'in_flight')");
    this.broken =
        tables.named(
            "update steadfast_operation set deliveries = deliveries + 1, due_at = "
                + dialect.afterMillis("cast(? as bigint)")
                + ", row_version = row_version + 1 where id = ? and (state = 'ready'"
                + " or state = 'in_flight' and row_version = ?)");
  }

  private String reserving(String columns, String condition, String order) {
    String changes = "due_at = " + dialect.afterMillis(RESERVED_MILLIS);
    return dialect.updating(new Dialect.Some(columns, changes, condition, order));
  }

  /**
   * An operation that is due.
   *
   * @param row the columns that decide what is done with it
   * @param intent the request
   */
  record Due(Row row, Intent intent) {}

  /**
   * Some operations that are due.
   *
   * @param found those that can be read
   * @param unreadable how many cannot
   * @param end where the next page begins; null if there is none
   */
  record Page(List<Due> found, int unreadable, @Nullable Position end) {}

  /**
   * The end of a page.
   *
   * @param since the time by which it is ordered
   * @param id the number of its last operation
   */
  record Position(OffsetDateTime since, long id) {
    static Position at(OffsetDateTime since) {
      return new Position(since, Long.MIN_VALUE);
    }

    static Position start() {
      return at(Instant.EPOCH.atOffset(ZoneOffset.UTC));
    }
  }

  /**
   * Operations of one origin.
   *
   * @param name the origin
   * @param again whether they were claimed before
   */
  record OriginGroup(String name, boolean again) {}

  /** The origins to which something is due. */
  List<String> origins(Connection connection, OffsetDateTime at) throws SQLException {
    List<String> found = new ArrayList<>();
    try (PreparedStatement statement = Sql.prepare(connection, origins)) {
      statement.setObject(1, at);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          found.add(row.getString(1));
        }
      }
    }
    return found;
  }

  /** Reserves operations that are due to an origin, the longest due first. */
  Page ofOrigin(Connection connection, OriginGroup lane, OffsetDateTime at, int most)
      throws SQLException {
    try (PreparedStatement statement = Sql.prepare(connection, ofOrigin)) {
      statement.setString(1, lane.name());
      statement.setBoolean(2, lane.again());
      statement.setObject(3, at);
      statement.setInt(4, most);
      return read(statement);
    }
  }

  /** Reserves operations that their owners have left: their leases are over. */
  Page left(Connection connection, OffsetDateTime at, int most) throws SQLException {
    try (PreparedStatement statement = Sql.prepare(connection, left)) {
      statement.setObject(1, at);
      statement.setObject(2, at);
      statement.setInt(3, most);
      return read(statement);
    }
  }

  /** Operations whose caller was told that their effect is unknown. They are not reserved. */
  Page told(Connection connection, Position after, int most) throws SQLException {
    try (PreparedStatement statement = Sql.prepare(connection, told)) {
      statement.setObject(1, after.since());
      statement.setObject(2, after.since());
      statement.setLong(3, after.id());
      statement.setInt(4, most);
      return read(statement);
    }
  }

  // Rows that cannot be read are logged, kept and skipped.
  private Page read(PreparedStatement statement) throws SQLException {
    List<Due> found = new ArrayList<>();
    int unreadable = 0;
    Position last = null;
    try (ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        OffsetDateTime expires = row.getObject("key_expires_at", OffsetDateTime.class);
        last = expires == null ? null : new Position(expires, row.getLong("id"));
        try {
          found.add(new Due(Row.of(row, storedForm), IntentColumns.read(row, storedForm)));
        } catch (CorruptRowException corrupt) {
          tell(corrupt, unreadable++);
        }
      }
    }
    found.sort(Comparator.comparingLong(due -> due.row().version().id()));
    return new Page(found, unreadable, last);
  }

  // Only the first is an error line: a codec without its key may fail for each row.
  private static void tell(CorruptRowException corrupt, int before) {
    if (before == 0) {
      LOG.error("{}; the row is kept and skipped", corrupt.getMessage());
    } else {
      LOG.debug("{}; the row is kept and skipped", corrupt.getMessage());
    }
  }

  /** Gives back operations that were reserved and are not sent now. */
  void release(Connection connection, List<Row.Version> reserved) throws SQLException {
    if (dialect == Dialect.POSTGRESQL) {
      releaseAtOnce(connection, reserved);
      return;
    }
    try (PreparedStatement statement = Sql.prepare(connection, release)) {
      for (Row.Version each : reserved) {
        statement.setLong(1, each.id());
        statement.setInt(2, each.number());
        statement.executeUpdate();
      }
    }
  }

  private void releaseAtOnce(Connection connection, List<Row.Version> reserved)
      throws SQLException {
    Array ids =
        connection.createArrayOf(
            "bigint", reserved.stream().map(Row.Version::id).toArray(Object[]::new));
    Array numbers =
        connection.createArrayOf(
            "integer", reserved.stream().map(Row.Version::number).toArray(Object[]::new));
    try (PreparedStatement statement = Sql.prepare(connection, releaseAll)) {
      statement.setArray(1, ids);
      statement.setArray(2, numbers);
      statement.executeUpdate();
    } finally {
      ids.free();
      numbers.free();
    }
  }

  /**
   * Counts a delivery that the client refused by an exception, and has the operation looked at
   * later, unless somebody works on it.
   *
   * @return false if somebody does
   */
  boolean broken(Connection connection, Row.Version row) throws SQLException {
    try (PreparedStatement statement = Sql.prepare(connection, broken)) {
      Sql.setMillis(statement, 1, NextStep.BLOCKED);
      statement.setLong(2, row.id());
      statement.setInt(3, row.number());
      return statement.executeUpdate() == 1;
    }
  }

  /**
   * Has an operation looked at later.
   *
   * @return false if somebody has changed it in the meantime
   */
  boolean postpone(Connection connection, Row.Version row, Duration time) throws SQLException {
    try (PreparedStatement statement = Sql.prepare(connection, postpone)) {
      Sql.setMillis(statement, 1, time);
      statement.setLong(2, row.id());
      statement.setInt(3, row.number());
      return statement.executeUpdate() == 1;
    }
  }
}
