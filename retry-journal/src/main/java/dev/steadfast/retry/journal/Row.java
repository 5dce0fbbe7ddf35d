package dev.steadfast.retry.journal;

import dev.steadfast.retry.engine.Evidence.Safety;
import dev.steadfast.retry.http.Journaling;
import dev.steadfast.retry.operations.OperationJournal.Answer;
import dev.steadfast.retry.operations.OperationJournal.Claim;
import dev.steadfast.retry.operations.OperationJournal.Intent;
import dev.steadfast.retry.operations.OperationJournal.State;
import dev.steadfast.retry.operations.OperationJournal.Terms;
import java.net.URI;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The columns of an operation that a claim reads. Immutable.
 *
 * @param version changes with each update
 * @param state its state
 * @param delivered whether it was enlisted: resuming sends it until it is finished
 * @param delivery how it was delivered so far
 * @param request the columns that are compared with the request of the claim
 * @param times the times that decide whether it may be sent again
 * @param answer the kept part of its answer, null for none
 */
record Row(
    Version version,
    State state,
    boolean delivered,
    Delivery delivery,
    Asked request,
    Times times,
    @Nullable Answer answer) {

  /**
   * A row as it was read.
   *
   * @param id its number
   * @param number grows with each update
   */
  record Version(long id, int number) {}

  /**
   * How it was delivered so far.
   *
   * @param lane the operations with which it is sent in turn
   * @param made how many deliveries count: those that were not held back
   * @param age the time since it was begun, or resumed by a person
   */
  record Delivery(DueRows.OriginGroup lane, int made, Duration age) {}

  /** The request, as far as a claim needs it. */
  record Asked(
      String fingerprint,
      String target,
      Journaling.@Nullable Key key,
      String caller,
      Instant createdAt) {
    String describe() {
      return target + " of " + createdAt;
    }
  }

  /**
   * Times, all by the clock of the database.
   *
   * @param sent whether it may have been sent
   * @param safety why it may be sent again after that
   * @param windowLeft the time in which it may be; null if it was not sent, or is never sent again
   * @param over which times have passed
   */
  record Times(boolean sent, Safety safety, @Nullable Duration windowLeft, Over over) {
    boolean repeatable() {
      Duration left = windowLeft;
      return safety != Safety.UNSAFE && left != null && !left.isNegative() && !left.isZero();
    }
  }

  /**
   * The times that have passed.
   *
   * @param lease whether the claim on it has ended
   * @param firstSend whether it is too late to be sent for the first time
   */
  record Over(boolean lease, boolean firstSend) {}

  static String columns(Dialect dialect, Deliveries deliveries) {
    return "id, name, principal, op_key, row_version, state, deliver, fingerprint, method, uri,"
        + " key_header, key_line, caller, created_at, repeatable, origin, again, deliveries, "
        + AnswerColumns.READ
        + ", -("
        + dialect.millisUntil("delivering_since")
        + ") as age,"
        + " first_sent_at is not null as sent, "
        + dialect.millisUntil("key_expires_at")
        + " as window_left, lease_until is not null and lease_until <= "
        + dialect.now()
        + " as lease_over, "
        + deliveries.late(dialect)
        + " as late";
  }

  static Row of(ResultSet row, StoredForm storedForm) throws SQLException {
    String method = row.getString("method");
    String target =
        Sql.parse(
            row, "uri", uri -> method + " " + URI.create(StoredForm.withoutQuery(uri)).getPath());
    Instant createdAt = row.getObject("created_at", OffsetDateTime.class).toInstant();
    return new Row(
        new Version(row.getLong("id"), row.getInt("row_version")),
        Sql.parse(row, "state", text -> State.valueOf(text.toUpperCase(Locale.ROOT))),
        row.getBoolean("deliver"),
        new Delivery(
            new DueRows.OriginGroup(row.getString("origin"), row.getBoolean("again")),
            row.getInt("deliveries"),
            Duration.ofMillis(row.getLong("age"))),
        new Asked(
            IntentColumns.fingerprint(row, storedForm),
            target,
            IntentColumns.key(row, storedForm),
            row.getString("caller"),
            createdAt),
        times(row),
        AnswerColumns.readIfDecoded(row, storedForm));
  }

  private static Times times(ResultSet row) throws SQLException {
    long millis = row.getLong("window_left");
    Duration windowLeft = row.wasNull() ? null : Duration.ofMillis(millis);
    return new Times(
        row.getBoolean("sent"),
        IntentColumns.safety(row),
        windowLeft,
        new Over(row.getBoolean("lease_over"), row.getBoolean("late")));
  }

  /** The step that a claim can take with an operation. */
  enum Step {
    /** It was not sent, or it is closed: send it as if for the first time. */
    BEGIN,
    /** An earlier claim may have sent it, and sending it again is safe. */
    REPEAT,
    /** An earlier claim may have sent it, and sending it again is not safe; or it is too late. */
    MARK_UNKNOWN,
    /** Nothing: the claim is answered. */
    NONE
  }

  /** Decides, by state and times. */
  Step step() {
    return switch (state) {
      case CLOSED -> Step.BEGIN;
      case READY -> takeOver();
      case IN_FLIGHT -> times.over().lease() ? takeOver() : Step.NONE;
      case SUCCEEDED, FAILED, UNKNOWN, PARKED, CANCELLED -> Step.NONE;
    };
  }

  private Step takeOver() {
    if (!times.sent()) {
      return times.over().firstSend() ? Step.MARK_UNKNOWN : Step.BEGIN;
    }
    return times.repeatable() ? Step.REPEAT : Step.MARK_UNKNOWN;
  }

  /** The answer to a claim that changes nothing. */
  Claim answered() {
    return switch (state) {
      case SUCCEEDED, FAILED -> new Claim.Finished(state, request.caller(), answer);
      case UNKNOWN -> new Claim.Unknown();
      case PARKED, CANCELLED -> new Claim.Stopped(state);
      case READY, IN_FLIGHT, CLOSED -> new Claim.InFlight();
    };
  }

  /** The refusal if the row is that of another request; null if not, or if the row is closed. */
  @Nullable Claim otherThan(Intent intent) {
    return state == State.CLOSED || request.fingerprint().equals(intent.fingerprint())
        ? null
        : new Claim.OtherRequest(request.describe(), state);
  }

  /** Whether a request carries the key under which the operation may have been sent before. */
  boolean sameKey(Intent intent) {
    return new Terms(times.safety(), null, request.key()).sameKey(intent.terms());
  }

  /** The state in which the end of a claim leaves the row. */
  State endsAs(Rows.End end) {
    State told = end.ending().state();
    return (delivered || end.resumed()) && told == State.CLOSED ? State.READY : told;
  }
}
