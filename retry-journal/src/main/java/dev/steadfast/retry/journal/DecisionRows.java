package dev.steadfast.retry.journal;

import dev.steadfast.retry.journal.Oversight.Decision;
import dev.steadfast.retry.operations.OperationJournal;
import dev.steadfast.retry.operations.OperationJournal.State;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/** The statements with which {@link Oversight} makes a person's decisions. Immutable. */
final class DecisionRows {
  private final Map<Verb, Change> verbs = new EnumMap<>(Verb.class);
  private final Tables tables;
  private final String refused;

  /** The decisions that a person can make. */
  enum Verb {
    PARK,
    RESUME,
    FORCE,
    CANCEL
  }

  /**
   * The columns that a decision changes.
   *
   * @param changes the columns
   * @param condition which operations it may change
   */
  private record Change(String changes, String condition) {
    String update() {
      return "update steadfast_operation set " + changes + where();
    }

    String look() {
      return "select 1 from steadfast_operation" + where();
    }

    private String where() {
      return " where " + Sql.BY_ID + " and " + condition;
    }
  }

  DecisionRows(Dialect dialect, Tables tables, Deliveries deliveries) {
    this.tables = tables;
    String now = dialect.now();
    String left = "(state = 'in_flight' and lease_until <= " + now + ")";
    String released = Rows.released(dialect);
    verbs.put(
        Verb.PARK,
        new Change(
            "state = 'parked', passed = " + deliveries.isPassing() + ", " + released,
            "(state = 'ready' or " + left + ")"));
    verbs.put(
        Verb.CANCEL,
        new Change(
            "state = 'cancelled', " + released,
            "first_sent_at is null and (state in ('ready', 'closed', 'parked') or " + left + ")"));
    Change forced =
        new Change(
            "state = 'ready', due_at = "
                + now
                + ", ended_at = null, lease_token = null, lease_until = null, passed = false,"
                + " deliveries = 0, delivering_since = "
                + now
                + ", row_version = row_version + 1",
            "body is not null and state in ('ready', 'parked') and (first_sent_at is null"
                + " or (repeatable <> 'never' and key_expires_at > "
                + now
                + "))");
    String notPassed =
        " and (not passed or sequence_name is null or sequence_number = (select last_number from"
            + " steadfast_sequence where steadfast_sequence.name ="
            + " steadfast_operation.sequence_name))";
    verbs.put(Verb.RESUME, new Change(forced.changes(), forced.condition() + notPassed));
    verbs.put(Verb.FORCE, forced);
    this.refused =
        tables.named(
            "select state, first_sent_at is not null as sent, body is null as bodiless, passed,"
                + " (repeatable = 'never' or key_expires_at is null or key_expires_at <= "
                + now
                + ") as window_over, coalesce(lease_until > "
                + now
                + ", false) as held from steadfast_operation where "
                + Sql.BY_ID);
  }

  /** Makes a decision. */
  Decision decide(Connection connection, OperationJournal.Id id, Verb verb) throws SQLException {
    try (PreparedStatement statement =
        Sql.prepare(connection, tables.named(change(verb).update()))) {
      Sql.setId(statement, 1, id);
      if (statement.executeUpdate() == 1) {
        return Decision.DONE;
      }
    }
    return refusal(connection, id, verb);
  }

  /** Tells what {@link #decide} would answer, and changes nothing. */
  Decision look(Connection connection, OperationJournal.Id id, Verb verb) throws SQLException {
    if (Sql.finds(connection, tables.named(change(verb).look()), id)) {
      return Decision.DONE;
    }
    return refusal(connection, id, verb);
  }

  private Change change(Verb verb) {
    return Objects.requireNonNull(verbs.get(verb));
  }

  private Decision refusal(Connection connection, OperationJournal.Id id, Verb verb)
      throws SQLException {
    try (PreparedStatement statement = Sql.prepare(connection, refused)) {
      Sql.setId(statement, 1, id);
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? refusal(row, verb) : Decision.NOT_FOUND;
      }
    }
  }

  private static Decision refusal(ResultSet row, Verb verb) throws SQLException {
    State state = OversightRows.state(row);
    if (state == State.IN_FLIGHT) {
      return row.getBoolean("held") ? Decision.IN_FLIGHT : ofLeft(verb);
    }
    if (state == State.UNKNOWN) {
      return verb == Verb.CANCEL ? Decision.MAY_HAVE_ACTED : Decision.KEY_EXPIRED;
    }
    if (state != State.READY && state != State.PARKED) {
      return Decision.NOTHING_TO_DO;
    }
    return switch (verb) {
      case PARK -> Decision.NOTHING_TO_DO;
      case CANCEL -> Decision.MAY_HAVE_ACTED;
      case RESUME, FORCE -> unresumed(row);
    };
  }

  // The owner of such an operation died, so it is delivered without a person's word.
  private static Decision ofLeft(Verb verb) {
    return verb == Verb.CANCEL ? Decision.MAY_HAVE_ACTED : Decision.NOTHING_TO_DO;
  }

  private static Decision unresumed(ResultSet row) throws SQLException {
    if (row.getBoolean("bodiless")) {
      return Decision.BODY_NOT_KEPT;
    }
    boolean expired = row.getBoolean("sent") && row.getBoolean("window_over");
    return expired ? Decision.KEY_EXPIRED : Decision.PASSED;
  }
}
