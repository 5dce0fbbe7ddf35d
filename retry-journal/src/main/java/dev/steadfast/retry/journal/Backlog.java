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
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The statements on operations that nobody works on. Immutable. */
final class Backlog {
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry.journal");

  private static final int MOST_CHANGED = 1_000; // by one statement
  private static final int PAGE = 100; // marked together, so that nobody waits for long
  private static final int MOST_PAGES = 10;
  private static final int MOST_COUNTED = 10_000;

  private final StoredForm storedForm;
  private final String time;
  private final String unknown;
  private final String bodiless;
  private final List<String> expire;
  private final String settle;
  private final String settleCorrupt;
  private final String settleable;
  private final String settleableCorrupt;
  private final String whole;
  private final String purge;
  private final String purgeable;
  private final String purgeSequences;

  Backlog(Dialect dialect, Tables tables, Deliveries deliveries, StoredForm storedForm) {
    this.storedForm = storedForm;
    String now = dialect.now();
    String once = "(select " + now + ")"; // read once, so that an index can be used
    String read =
        "select " + IntentColumns.READ + ", ended_at" + " from steadfast_operation where ";
    this.time = "select " + now;
    this.unknown = tables.named(read + "state = 'unknown' order by ended_at, id limit ?");
    this.bodiless =
        tables.named(
            read
                + "state in ('ready', 'in_flight') and body is null and first_sent_at is not null"
                + " and "
                + Rows.unheld(once)
                + " order by id limit ?");
    this.expire =
        Stream.of(
                expiring(
                    dialect,
                    "state in ('ready', 'in_flight') and key_expires_at is not null and"
                        + " key_expires_at <= "
                        + once
                        + " and "
                        + Rows.unheld(once),
                    "key_expires_at"),
                expiring(
                    dialect,
                    "state = 'ready' and due_at is null and key_expires_at is null and first_sent_at"
                        + " is not null",
                    "key_expires_at, id"),
                expiring(
                    dialect,
                    DueRows.LEFT
                        + " and coalesce(due_at, lease_until) <= "
                        + once
                        + " and lease_until <= "
                        + once
                        + " and first_sent_at is not null and "
                        + windowOver(once),
                    "coalesce(due_at, lease_until)"))
            .map(tables::named)
            .toList();
    String byId = " where " + Sql.BY_ID + " and ";
    String settled = "update steadfast_operation set state = ?, " + Rows.released(dialect) + byId;
    String corrupt =
        "state not in ('succeeded', 'failed', 'closed', 'cancelled')"
            + " and (state <> 'in_flight' or lease_until <= "
            + now
            + ")";
    this.settle = tables.named(settled + settleable(now));
    this.settleCorrupt = tables.named(settled + corrupt);
    String look = "select 1 from steadfast_operation" + byId;
    this.settleable = tables.named(look + settleable(now));
    this.settleableCorrupt = tables.named(look + corrupt);
    this.whole =
        tables.named(
            "select "
                + Row.columns(dialect, deliveries)
                + ", headers, body, key_window_ms"
                + " from steadfast_operation where "
                + Sql.BY_ID);
    this.purgeSequences = tables.named(purgeSequences(dialect));
    String over =
        "select id from steadfast_operation where"
            + " state in ('succeeded', 'failed', 'closed', 'cancelled') and ended_at <= (select "
            + dialect.afterMillis("cast(? as bigint)")
            + ") and (key_expires_at is null or key_expires_at <= "
            + once
            + ") limit ";
    this.purge =
        tables.named(
            "delete from steadfast_operation where id in ("
                + over
                + MOST_CHANGED
                + dialect.skipLocked()
                + ")");
    this.purgeable = tables.named("select count(*) from (" + over + MOST_COUNTED + ") counted");
  }

  private static String expiring(Dialect dialect, String condition, String order) {
    String changes = "state = 'unknown', " + Rows.released(dialect);
    return dialect.updating(new Dialect.Some("origin", changes, condition, order));
  }

  // A sequence that a transaction enlists in is locked, or has a time in look_at after the commit.
  private static String purgeSequences(Dialect dialect) {
    return "delete from steadfast_sequence where name in (select name from steadfast_sequence idle"
        + " where look_at is null and not exists (select 1 from steadfast_operation"
        + " where sequence_name = idle.name"
        + " and state in ('ready', 'in_flight', 'unknown', 'parked')) limit "
        + MOST_CHANGED
        + dialect.skipLocked()
        + ")";
  }

  private static String windowOver(String now) {
    return "(repeatable = 'never' or key_expires_at is null or key_expires_at <= " + now + ")";
  }

  // Operations that may have been processed, and that only their caller can send again. A person
  // may know more of a parked one than the journal, whose backup may be older than the request.
  private static String settleable(String now) {
    return "(state in ('unknown', 'parked')"
        + " or (first_sent_at is not null and (body is null or "
        + windowOver(now)
        + ") and "
        + Rows.unheld(now)
        + "))";
  }

  /** The database's time. */
  OffsetDateTime time(Connection connection) throws SQLException {
    try (PreparedStatement statement = Sql.prepare(connection, time);
        ResultSet row = statement.executeQuery()) {
      row.next();
      return row.getObject(1, OffsetDateTime.class);
    }
  }

  /** Operations that may have been processed, and that only a look-up or their caller settles. */
  List<Intent> unknown(Connection connection, int most) throws SQLException {
    List<Intent> found = new ArrayList<>(read(connection, unknown, most));
    if (found.size() < most) {
      found.addAll(read(connection, bodiless, most - found.size()));
    }
    return found;
  }

  // A row that cannot be read is logged, kept and skipped. It holds its sequence until it is
  // settled.
  private List<Intent> read(Connection connection, String sql, int most) throws SQLException {
    List<Intent> found = new ArrayList<>();
    try (PreparedStatement statement = Sql.prepare(connection, sql)) {
      statement.setInt(1, most);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          try {
            found.add(IntentColumns.read(row, storedForm));
          } catch (CorruptRowException corrupt) {
            LOG.error("{}; the row is kept and skipped", corrupt.getMessage());
          }
        }
      }
    }
    return found;
  }

  /**
   * Marks as unknown some operations that may have been processed and can no longer be sent again.
   * That does not wait for the disk, and skips those that somebody has locked: what is not marked,
   * or what a crash takes back, is found the next time, and nobody sends it meanwhile. No statement
   * goes by the version of a row that is unknown, so that one may come a second time.
   *
   * @param marked gets the origin of each
   */
  void expire(Connection connection, Consumer<String> marked) throws SQLException {
    for (String sql : expire) {
      int pages = 0;
      while (pages < MOST_PAGES && expire(connection, sql, marked) == PAGE) {
        pages++;
      }
    }
  }

  private static int expire(Connection connection, String sql, Consumer<String> marked)
      throws SQLException {
    int some = 0;
    try (PreparedStatement statement = Sql.prepare(connection, sql)) {
      statement.setInt(1, PAGE);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          marked.accept(row.getString(1));
          some++;
        }
      }
    }
    return some;
  }

  /**
   * Settles an operation whose effect is unknown, or whose row cannot be read: nobody sends such a
   * row any more, so its effect is unknown, too.
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

  /** Whether {@link #settle} would settle it; changes nothing. */
  boolean isSettleable(Connection connection, OperationJournal.Id id) throws SQLException {
    return Sql.finds(connection, settleable, id)
        || (isCorrupt(connection, id) && Sql.finds(connection, settleableCorrupt, id));
  }

  private boolean isCorrupt(Connection connection, OperationJournal.Id id) throws SQLException {
    try (PreparedStatement statement = Sql.prepare(connection, whole)) {
      Sql.setId(statement, 1, id);
      try (ResultSet row = statement.executeQuery()) {
        if (row.next()) {
          IntentColumns.read(row, storedForm);
          Row.of(row, storedForm);
        }
        return false;
      } catch (CorruptRowException corrupt) {
        return !corrupt.isCodecMissing(); // a journal with its codec may read it
      }
    }
  }

  /**
   * Deletes finished operations, except those whose key is still within its retention, and
   * sequences without an unfinished one.
   */
  int purge(Connection connection, Duration olderThan) throws SQLException {
    int deleted = purgeOperations(connection, olderThan);
    try (PreparedStatement statement = Sql.prepare(connection, purgeSequences)) {
      while (statement.executeUpdate() >= MOST_CHANGED) {
        // the next ones
      }
    }
    return deleted;
  }

  /** Counts what would be purged, up to a bound. */
  int purgeable(Connection connection, Duration olderThan) throws SQLException {
    try (PreparedStatement statement = Sql.prepare(connection, purgeable)) {
      Sql.setMillis(statement, 1, olderThan.negated());
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getInt(1);
      }
    }
  }

  private int purgeOperations(Connection connection, Duration olderThan) throws SQLException {
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
