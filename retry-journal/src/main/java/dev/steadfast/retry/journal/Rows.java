package dev.steadfast.retry.journal;

import dev.steadfast.retry.operations.OperationJournal;
import dev.steadfast.retry.operations.OperationJournal.Ending;
import dev.steadfast.retry.operations.OperationJournal.Intent;
import dev.steadfast.retry.operations.OperationJournal.State;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** The statements on one operation. Immutable. */
final class Rows {
  private static final Duration SHORTEST = Duration.ofSeconds(1);
  private static final Duration LONGEST = Duration.ofHours(1);

  // A delivery that failed is tried again after 1 s, 2 s, 4 s, up to five minutes, and up to half
  // as much later, so that those that failed together do not come together.
  private static final String AGAIN_MILLIS =
      "cast(least(1000 * power(2, least(claims - 1, 10)), 300000) * cast(? as double precision)"
          + " as bigint)";

  private final Dialect dialect;
  private final StoredForm storedForm;
  private final String insert;
  private final String reopen;
  private final String begin;
  private final String beginSending;
  private final String repeat;
  private final String find;
  private final String isBegun;
  private final String markUnknown;
  private final String sending;
  private final String ended;
  private final String endedUnflushed;

  /**
   * The statements.
   *
   * @param deliveries tells what holds a sequence, and what is too late
   */
  Rows(Dialect dialect, Tables tables, Deliveries deliveries, StoredForm storedForm) {
    this.storedForm = storedForm;
    this.dialect = dialect;
    String now = dialect.now();
    String leaseEnd = dialect.afterMillis("cast(? as bigint)");
    String windowEnd = dialect.afterMillis("key_window_ms");
    this.insert =
        tables.named(
            "insert into steadfast_operation (name, principal, op_key, "
                + IntentColumns.NAMES
                + ", state, deliver, again, due_at, lease_token, lease_until, claims,"
                + " sequence_name, sequence_number, created_at, attempts, row_version, deliveries,"
                + " delivering_since, passed) values (?, ?, ?, "
                + IntentColumns.PLACES
                + ", ?, ?, ?, case when cast(? as boolean) then "
                + now
                + " end, ?, "
                + leaseEnd
                + ", ?, ?, ?, "
                + now
                + ", 0, 1, 0, "
                + now
                + ", false)"
                + dialect.ignoreDuplicate());
    String unsent = "first_sent_at = null, key_expires_at = null, ";
    String anew =
        "row_version = row_version + 1, ended_at = null, created_at = case when state = 'closed'"
            + " then "
            + now
            + " else created_at end, "
            + IntentColumns.CHANGES;
    this.reopen =
        tables.named(
            "update steadfast_operation set state = 'ready', deliver = true, again = false,"
                + " lease_token = null, deliveries = 0, delivering_since = "
                + now
                + ", due_at = "
                + now
                + ", sequence_name = ?, sequence_number = ?, "
                + unsent
                + anew
                + " where "
                + Sql.BY_ID
                + " and state = 'closed'");
    String claimed =
        "update steadfast_operation set state = 'in_flight', lease_token = ?, lease_until = "
            + leaseEnd
            + ", claims = claims + 1, again = true, due_at = null, ";
    // A version can come again after a fail-over to a standby that lacks the last changes.
    String asRead = " where id = ? and row_version = ? and ";
    String turn = Sequences.itsTurn(deliveries.holding());
    String inItsTurn = asRead + turn + " and (state = 'closed' or " + unheld(now) + ")";
    String asTheFirst = inItsTurn + " and (state = 'closed' or first_sent_at is null)";
    String sentNow = "first_sent_at = " + now + ", key_expires_at = " + windowEnd;
    this.begin = tables.named(claimed + unsent + anew + asTheFirst);
    this.beginSending =
        tables.named(claimed + "row_version = row_version + 1, " + sentNow + asTheFirst);
    this.repeat = tables.named(claimed + "row_version = row_version + 1" + inItsTurn);
    this.find =
        tables.named(
            "select "
                + Row.columns(dialect, deliveries)
                + " from steadfast_operation where "
                + Sql.BY_ID);
    this.isBegun =
        tables.named(
            "select 1 from steadfast_operation where " + Sql.BY_ID + " and state <> 'closed'");
    this.markUnknown =
        tables.named(
            "update steadfast_operation set state = 'unknown', "
                + released(dialect)
                + asRead
                + unheld(now));
    String ifHeld = " where " + Sql.BY_ID + " and lease_token = ? and state = 'in_flight'";
    this.sending =
        tables.named(
            "update steadfast_operation set row_version = row_version + 1,"
                + " first_sent_at = coalesce(first_sent_at, "
                + now
                + "), key_expires_at = coalesce(key_expires_at, "
                + windowEnd
                + ")"
                + ifHeld
                + " and lease_until > "
                + now);
    String ending =
        "update steadfast_operation set row_version = row_version + 1, lease_until = null,"
            + " ended_at = "
            + now
            + ", attempts = attempts + ?, deliveries = deliveries + ?, status = ?,"
            + " answer_headers = ?, answer_body = ?, first_sent_at = case when cast(? as"
            + " boolean) then null else first_sent_at end, key_expires_at = case when cast(? as"
            + " boolean) then null else key_expires_at end, state = case when (deliver or"
            + " cast(? as boolean)) and cast(? as boolean) then 'ready' else cast(? as varchar)"
            + " end, due_at = case when (deliver or cast(? as boolean)) and cast(? as boolean)"
            + " then "
            + dialect.afterMillis("coalesce(cast(? as bigint), " + AGAIN_MILLIS + ")")
            + " end";
    this.ended = tables.named(ending + ifHeld);
    this.endedUnflushed =
        tables.named(ending + (dialect == Dialect.H2 ? "" : " from " + Dialect.UNFLUSHED) + ifHeld);
  }

  /** The condition that an operation can be sent, and that nobody works on it. */
  static String unheld(String now) {
    return "(state = 'ready' or (state = 'in_flight' and lease_until <= " + now + "))";
  }

  /**
   * The columns that change with the state if somebody other than its owner ends an operation. The
   * owner loses the claim.
   */
  static String released(Dialect dialect) {
    return "due_at = null, lease_token = null, lease_until = null,"
        + " row_version = row_version + 1, ended_at = "
        + dialect.now();
  }

  /**
   * How a row begins: claimed by a caller, or to be delivered.
   *
   * @param token the claim's; null if it is to be delivered
   * @param lease the claim's; null if it is to be delivered
   * @param place its place in a sequence; null for none
   */
  record Start(@Nullable String token, @Nullable Duration lease, @Nullable Place place) {
    static Start claimed(String token, Duration lease) {
      return new Start(token, lease, null);
    }

    static Start delivered(@Nullable Place place) {
      return new Start(null, null, place);
    }

    boolean isDelivered() {
      return token == null;
    }
  }

  /** A place in a sequence. */
  record Place(String sequence, long number) {}

  /**
   * How a claim ended.
   *
   * @param ending its end
   * @param resumed whether it was resumed: then no caller was told, and it is sent again until it
   *     is finished
   * @param inSequence whether the next operation of its sequence is claimed after that
   */
  record End(Ending ending, boolean resumed, boolean inSequence) {
    static End called(Ending ending) {
      return new End(ending, false, false);
    }

    // The claim of the next operation waits for the disk, and so for this end too. If the database
    // crashes in between, the operation is as if its process had died before the end was noted.
    boolean isFlushed() {
      State state = ending.state();
      return !inSequence || (state != State.SUCCEEDED && state != State.FAILED);
    }

    // An operation held back by a pause, a budget or a failed connect counts as no delivery: an
    // outage parks no backlog.
    boolean counts() {
      boolean unsent = ending.state() == State.CLOSED && ending.answer() == null;
      return ending.attempts() > 0 && !unsent;
    }

    // The delay that the server asked for, but at least a second and at most an hour.
    private @Nullable Duration retryIn() {
      Duration asked = ending.retryIn();
      if (asked == null) {
        return null;
      }
      Duration least = asked.compareTo(SHORTEST) < 0 ? SHORTEST : asked;
      return least.compareTo(LONGEST) > 0 ? LONGEST : least;
    }
  }

  // Never earlier than the server has asked for.
  private static @Nullable Duration spread(@Nullable Duration asked) {
    return asked == null
        ? null
        : asked.plusMillis(
            (long) (ThreadLocalRandom.current().nextDouble() * asked.toMillis() / 10));
  }

  /** An operation, and the token of the claim on it. */
  record HeldClaim(OperationJournal.Id id, String token) {}

  /**
   * Inserts an operation.
   *
   * @return false if it is known already
   */
  boolean insert(Connection connection, Intent intent, Start start) throws SQLException {
    try (PreparedStatement statement = Sql.prepare(connection, insert)) {
      int i =
          IntentColumns.set(statement, Sql.setId(statement, 1, intent.id()), intent, storedForm);
      statement.setString(i++, (start.isDelivered() ? State.READY : State.IN_FLIGHT).toString());
      statement.setBoolean(i++, start.isDelivered());
      statement.setBoolean(i++, !start.isDelivered());
      statement.setBoolean(i++, start.isDelivered());
      statement.setString(i++, start.token());
      Sql.setMillis(statement, i++, start.lease());
      statement.setInt(i++, start.isDelivered() ? 0 : 1);
      setPlace(statement, i, start.place());
      return dialect.inserts(statement);
    }
  }

  private static int setPlace(PreparedStatement statement, int from, @Nullable Place place)
      throws SQLException {
    statement.setString(from, place == null ? null : place.sequence());
    Sql.setLong(statement, from + 1, place == null ? null : place.number());
    return from + 2;
  }

  /**
   * Enlists an operation that was called before and is closed, because nothing of it happened.
   *
   * @return false if it is not closed, or if it is not known
   */
  boolean reopen(Connection connection, Intent intent, @Nullable Place place) throws SQLException {
    try (PreparedStatement statement = Sql.prepare(connection, reopen)) {
      int i = setPlace(statement, 1, place);
      i = IntentColumns.set(statement, i, intent, storedForm);
      Sql.setId(statement, i, intent.id());
      return statement.executeUpdate() == 1;
    }
  }

  /** Finds an operation; null if there is none. */
  @Nullable Row find(Connection connection, OperationJournal.Id id) throws SQLException {
    try (PreparedStatement statement = Sql.prepare(connection, find)) {
      Sql.setId(statement, 1, id);
      return first(statement);
    }
  }

  /** Finds an operation whose last claim had that token; null if somebody else had it since. */
  @Nullable Row find(Connection connection, HeldClaim held) throws SQLException {
    try (PreparedStatement statement = Sql.prepare(connection, find + " and lease_token = ?")) {
      int i = Sql.setId(statement, 1, held.id());
      statement.setString(i, held.token());
      return first(statement);
    }
  }

  /** Whether it is known and not closed. This reads columns of the first version alone. */
  boolean isBegun(Connection connection, OperationJournal.Id id) throws SQLException {
    return Sql.finds(connection, isBegun, id);
  }

  private @Nullable Row first(PreparedStatement statement) throws SQLException {
    try (ResultSet found = statement.executeQuery()) {
      return found.next() ? Row.of(found, storedForm) : null;
    }
  }

  /**
   * Claims a row that was just read, to send it as if for the first time. The row takes over the
   * request that is sent now.
   *
   * @return false if somebody was faster, or if it is not its turn
   */
  boolean begin(Connection connection, Row.Version row, Intent intent, Start start)
      throws SQLException {
    try (PreparedStatement statement = Sql.prepare(connection, begin)) {
      statement.setString(1, start.token());
      Sql.setMillis(statement, 2, start.lease());
      int i = IntentColumns.set(statement, 3, intent, storedForm);
      return changes(statement, i, row);
    }
  }

  /**
   * Claims a row that was just read, and notes in the same transaction that its request is about to
   * be sent as if for the first time.
   *
   * @return false if somebody was faster, or if it is not its turn
   */
  boolean beginSending(Connection connection, Row.Version row, Start start) throws SQLException {
    return claims(connection, beginSending, row, start);
  }

  /**
   * Claims a row that was just read, to send the request that it holds once more.
   *
   * @return false if somebody was faster, or if it is not its turn
   */
  boolean repeat(Connection connection, Row.Version row, Start start) throws SQLException {
    return claims(connection, repeat, row, start);
  }

  private static boolean claims(Connection connection, String sql, Row.Version row, Start start)
      throws SQLException {
    try (PreparedStatement statement = Sql.prepare(connection, sql)) {
      statement.setString(1, start.token());
      Sql.setMillis(statement, 2, start.lease());
      return changes(statement, 3, row);
    }
  }

  /**
   * Sets the state of an operation to unknown: it may have been processed, and sending it again is
   * not safe.
   *
   * @return false if somebody was faster
   */
  boolean markUnknown(Connection connection, Row.Version row) throws SQLException {
    try (PreparedStatement statement = Sql.prepare(connection, markUnknown)) {
      return changes(statement, 1, row);
    }
  }

  private static boolean changes(PreparedStatement statement, int from, Row.Version row)
      throws SQLException {
    statement.setLong(from, row.id());
    statement.setInt(from + 1, row.number());
    return Sql.update(statement) == 1;
  }

  /**
   * Notes that a request is about to be sent.
   *
   * @return false if the claim is lost
   */
  boolean sending(Connection connection, HeldClaim held) throws SQLException {
    try (PreparedStatement statement = Sql.prepare(connection, sending)) {
      return changes(statement, 1, held);
    }
  }

  private static boolean changes(PreparedStatement statement, int from, HeldClaim held)
      throws SQLException {
    int i = Sql.setId(statement, from, held.id());
    statement.setString(i, held.token());
    return Sql.update(statement) == 1;
  }

  /**
   * Notes how a claim ended.
   *
   * @return false if the claim is lost
   */
  boolean ended(Connection connection, HeldClaim held, End end) throws SQLException {
    Ending ending = end.ending();
    State state = ending.state();
    boolean nothingHappened = state == State.CLOSED;
    boolean again = nothingHappened || state == State.READY;
    AnswerColumns answer = AnswerColumns.of(held.id(), ending.answer(), storedForm);
    String sql = end.isFlushed() ? ended : endedUnflushed;
    try (PreparedStatement statement = Sql.prepare(connection, sql)) {
      statement.setInt(1, ending.attempts());
      statement.setInt(2, end.counts() ? 1 : 0);
      answer.set(statement, 3);
      statement.setBoolean(6, nothingHappened);
      statement.setBoolean(7, nothingHappened);
      statement.setBoolean(8, end.resumed());
      statement.setBoolean(9, again);
      statement.setString(10, state.toString());
      statement.setBoolean(11, end.resumed());
      statement.setBoolean(12, again);
      Sql.setMillis(statement, 13, spread(end.retryIn()));
      statement.setDouble(14, 1 + ThreadLocalRandom.current().nextDouble() / 2);
      return changes(statement, 15, held);
    }
  }
}
