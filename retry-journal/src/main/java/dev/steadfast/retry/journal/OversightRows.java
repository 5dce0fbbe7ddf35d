package dev.steadfast.retry.journal;

import dev.steadfast.retry.http.RequestView;
import dev.steadfast.retry.journal.Oversight.Entry;
import dev.steadfast.retry.journal.Oversight.Exchange;
import dev.steadfast.retry.journal.Oversight.Position;
import dev.steadfast.retry.operations.OperationJournal;
import dev.steadfast.retry.operations.OperationJournal.State;
import java.net.URI;
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
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The statements with which {@link Oversight} finds operations. Immutable. */
final class OversightRows {
  private static final String COLUMNS =
      "id, name, principal, op_key, state, method, uri, created_at, first_sent_at, key_expires_at,"
          + " due_at, deliveries, attempts, sequence_name, status, ";

  private final StoredForm storedForm;
  private final String find;
  private final String exchange;
  private final String parked;
  private final String unknown;
  private final String overdue;

  OversightRows(Dialect dialect, Tables tables, Deliveries deliveries, StoredForm storedForm) {
    this.storedForm = storedForm;
    String from = " from steadfast_operation where ";
    this.find = tables.named("select " + COLUMNS + "created_at as since" + from + Sql.BY_ID);
    this.exchange =
        tables.named("select " + IntentColumns.READ + ", " + AnswerColumns.READ + from + Sql.BY_ID);
    this.parked = tables.named(stopped("parked"));
    this.unknown = tables.named(stopped("unknown"));
    this.overdue = tables.named(overdue(dialect, deliveries.holding()));
  }

  private static String stopped(String state) {
    return "select "
        + COLUMNS
        + "ended_at as since from steadfast_operation where state = '"
        + state
        + "' and (ended_at, id) > (?, ?) order by ended_at, id limit ?";
  }

  // Each part reads one page at most. The time is a value, so that the indexes serve.
  private static String overdue(Dialect dialect, String holding) {
    String ready =
        "(select "
            + COLUMNS
            + "due_at as since from steadfast_operation where "
            + DueRows.READY
            + " and (due_at, id) > (?, ?) order by due_at, id limit ?)";
    String left =
        "(select "
            + COLUMNS
            + "coalesce(due_at, lease_until) as since from steadfast_operation where "
            + DueRows.LEFT
            + " and coalesce(due_at, lease_until) >= ? and (coalesce(due_at, lease_until), id) >"
            + " (?, ?) order by coalesce(due_at, lease_until), id limit ?)";
    String heads =
        "(select "
            + COLUMNS.replace("name, principal", "steadfast_operation.name, principal")
            + "looks.since from (select name as looked, look_at as since from steadfast_sequence"
            + " where look_at >= ? order by look_at limit ?) looks join steadfast_operation on id ="
            + " (select head.id from steadfast_operation head where head.sequence_name = looked"
            + " and head.state in ("
            + holding
            + ") order by head.sequence_number limit 1) where (since, id) > (?, ?))";
    return "select * from ("
        + ready
        + " union all "
        + left
        + " union all "
        + heads
        + ") overdue where since <= "
        + dialect.afterMillis("cast(? as bigint)")
        + " order by since, id limit ?";
  }

  @Nullable Entry find(Connection connection, OperationJournal.Id id) throws SQLException {
    try (PreparedStatement statement = Sql.prepare(connection, find)) {
      Sql.setId(statement, 1, id);
      List<Entry> found = read(statement);
      return found.isEmpty() ? null : found.get(0);
    }
  }

  @Nullable Exchange exchange(Connection connection, OperationJournal.Id id) throws SQLException {
    try (PreparedStatement statement = Sql.prepare(connection, exchange)) {
      Sql.setId(statement, 1, id);
      try (ResultSet row = statement.executeQuery()) {
        return row.next()
            ? new Exchange(
                IntentColumns.read(row, storedForm).request(), AnswerColumns.read(row, storedForm))
            : null;
      }
    }
  }

  List<Entry> parked(Connection connection, int most, @Nullable Position after)
      throws SQLException {
    return page(connection, parked, most, after);
  }

  List<Entry> unknown(Connection connection, int most, @Nullable Position after)
      throws SQLException {
    return page(connection, unknown, most, after);
  }

  private static List<Entry> page(
      Connection connection, String sql, int most, @Nullable Position after) throws SQLException {
    try (PreparedStatement statement = Sql.prepare(connection, sql)) {
      setPosition(statement, 1, after);
      statement.setInt(3, most);
      return read(statement);
    }
  }

  List<Entry> overdue(Connection connection, Duration since, int most, @Nullable Position after)
      throws SQLException {
    try (PreparedStatement statement = Sql.prepare(connection, overdue)) {
      setPosition(statement, 1, after);
      statement.setInt(3, most);
      statement.setObject(4, position(after));
      setPosition(statement, 5, after);
      statement.setInt(7, most);
      statement.setObject(8, position(after));
      statement.setInt(9, most);
      setPosition(statement, 10, after);
      Sql.setMillis(statement, 12, since.negated());
      statement.setInt(13, most);
      return read(statement);
    }
  }

  private static void setPosition(PreparedStatement statement, int i, @Nullable Position after)
      throws SQLException {
    statement.setObject(i, position(after));
    statement.setLong(i + 1, after == null ? Long.MIN_VALUE : after.number());
  }

  private static OffsetDateTime position(@Nullable Position after) {
    Instant since = after == null ? Instant.EPOCH : after.since();
    return since.atOffset(ZoneOffset.UTC);
  }

  private static List<Entry> read(PreparedStatement statement) throws SQLException {
    List<Entry> found = new ArrayList<>();
    try (ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        found.add(entry(row));
      }
    }
    return found;
  }

  private static Entry entry(ResultSet row) throws SQLException {
    int status = row.getInt("status");
    Integer told = row.wasNull() ? null : status;
    return new Entry(
        row.getLong("id"),
        StoredForm.id(row),
        state(row),
        target(row.getString("method"), row.getString("uri")),
        new Oversight.Times(
            row.getObject("since", OffsetDateTime.class).toInstant(),
            row.getObject("created_at", OffsetDateTime.class).toInstant(),
            time(row, "first_sent_at"),
            time(row, "key_expires_at"),
            time(row, "due_at")),
        row.getInt("deliveries"),
        row.getInt("attempts"),
        row.getString("sequence_name"),
        told);
  }

  static State state(ResultSet row) throws SQLException {
    return Sql.parse(row, "state", text -> State.valueOf(text.toUpperCase(Locale.ROOT)));
  }

  private static @Nullable Instant time(ResultSet row, String column) throws SQLException {
    OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
    return time == null ? null : time.toInstant();
  }

  // A row that cannot be sent can still be seen.
  private static String target(String method, String uri) {
    try {
      URI parsed = URI.create(StoredForm.withoutQuery(uri));
      return method + " " + RequestView.origin(parsed) + parsed.getRawPath();
    } catch (IllegalArgumentException unreadable) {
      return method + " (no URI)";
    }
  }
}
