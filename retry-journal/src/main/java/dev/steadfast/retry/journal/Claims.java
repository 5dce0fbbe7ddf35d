package dev.steadfast.retry.journal;

import dev.steadfast.retry.operations.OperationJournal;
import dev.steadfast.retry.operations.OperationJournal.Claim;
import dev.steadfast.retry.operations.OperationJournal.Intent;
import dev.steadfast.retry.operations.OperationJournal.RefusedException;
import dev.steadfast.retry.operations.OperationJournal.State;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The steps of an operation in the database. Where the answer to a statement is lost, the row tells
 * whether it was carried out. Immutable.
 */
final class Claims {
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry.journal");

  private final Connections connections;
  private final Rows rows;
  private final Sequences sequences;
  private final OncePerMinute unknown;

  /**
   * The steps.
   *
   * @param unknown decides which lines are logged about operations whose effect is unknown
   */
  Claims(Connections connections, Rows rows, Sequences sequences, OncePerMinute unknown) {
    this.connections = connections;
    this.rows = rows;
    this.sequences = sequences;
    this.unknown = unknown;
  }

  /**
   * An operation that was found among those that are due.
   *
   * @param first its row as it was just read, if it is sent as for the first time: then its claim
   *     also notes that it is about to be sent; null to read the row
   */
  record Found(@Nullable Row first) {
    // The step BEGIN holds until the version changes. Other steps depend on the time.
    static Found of(@Nullable Row row) {
      return new Found(row != null && row.step() == Row.Step.BEGIN ? row : null);
    }
  }

  /** The claim that is asked for, and for how long. */
  private record ClaimRequest(
      Intent intent, Rows.HeldClaim held, Duration lease, @Nullable Found found) {
    boolean resumed() {
      return found != null;
    }

    @Nullable Row first() {
      return found == null ? null : found.first();
    }

    Rows.Start start() {
      return Rows.Start.claimed(held.token(), lease);
    }

    Claim begun(boolean delivered) {
      return new Claim.Granted(held.token(), false, delivered, intent.terms().window());
    }

    Claim repeated(Row row) {
      return new Claim.Granted(held.token(), true, row.delivered(), row.times().windowLeft());
    }
  }

  /**
   * Claims an operation.
   *
   * @param found if it was found among those that are due: then it is not begun anew if somebody
   *     else has finished it in the meantime; null if its caller claims it
   */
  Claim claim(Intent intent, Duration lease, @Nullable Found found) throws IOException {
    Rows.HeldClaim held = new Rows.HeldClaim(intent.id(), UUID.randomUUID().toString());
    ClaimRequest asked = new ClaimRequest(intent, held, lease, found);
    try {
      return connections.run(connection -> claim(connection, asked));
    } catch (RefusedException nothingWritten) {
      throw nothingWritten;
    } catch (IOException lost) {
      refuseUnwritable(intent, lost);
      Row row = again(lost, connection -> rows.find(connection, held));
      if (row == null || row.state() != State.IN_FLIGHT) {
        throw lost; // the statement may still be on its way
      }
      // A row that is read here may be missing on a standby, so the note is made once more.
      if (asked.first() != null && !again(lost, connection -> rows.sending(connection, held))) {
        throw lost;
      }
      boolean began = !row.times().sent() || asked.first() != null;
      return began ? asked.begun(row.delivered()) : asked.repeated(row);
    }
  }

  /**
   * Refuses an operation that the database cannot take. But one that is begun may have been sent,
   * or others deliver it: that is not told as "never sent".
   *
   * @param lost the failure of its claim
   */
  private void refuseUnwritable(Intent intent, IOException lost) throws IOException {
    Unwritable why = Unwritable.of(lost);
    if (why == null) {
      return;
    }
    if (why == Unwritable.NO_TABLE || !isBegun(intent, lost)) {
      throw why.refusal(lost);
    }
  }

  private boolean isBegun(Intent intent, IOException lost) throws IOException {
    return again(lost, connection -> rows.isBegun(connection, intent.id()));
  }

  private Claim claim(Connection connection, ClaimRequest asked) throws SQLException {
    Intent intent = asked.intent();
    if (!asked.resumed() && rows.insert(connection, intent, asked.start())) {
      return asked.begun(false);
    }
    Row first = asked.first();
    if (first != null) {
      return rows.beginSending(connection, first.version(), asked.start())
          ? asked.begun(first.delivered())
          : new Claim.InFlight();
    }
    Row row = rows.find(connection, intent.id());
    if (row == null) {
      return new Claim.InFlight(); // purged just now: the next poll begins it
    }
    Claim other = row.otherThan(intent);
    if (other != null) {
      return other;
    }
    if (asked.resumed() && row.state() == State.CLOSED) {
      return new Claim.InFlight(); // its caller was told that nothing happened
    }
    return switch (row.step()) {
      case NONE -> row.answered();
      case MARK_UNKNOWN ->
          markUnknown(connection, row, intent.id()) ? new Claim.Unknown() : new Claim.InFlight();
      case BEGIN ->
          rows.begin(connection, row.version(), intent, asked.start())
              ? asked.begun(row.delivered())
              : new Claim.InFlight();
      case REPEAT -> repeat(connection, row, asked);
    };
  }

  // The server processes it once under the key that was sent, but once more under another key.
  private Claim repeat(Connection connection, Row row, ClaimRequest asked) throws SQLException {
    if (!row.sameKey(asked.intent())) {
      return new Claim.Unknown();
    }
    return rows.repeat(connection, row.version(), asked.start())
        ? asked.repeated(row)
        : new Claim.InFlight();
  }

  /** Marks as unknown what can no longer be sent again, and tells of it. */
  void markExpired(Connection connection, Backlog backlog) throws SQLException {
    Map<String, Integer> marked = new TreeMap<>();
    try {
      backlog.expire(connection, origin -> marked.merge(origin, 1, Integer::sum));
    } finally {
      marked.forEach((origin, some) -> tellUnknown(origin, some, true));
    }
  }

  /**
   * Marks an operation as unknown: it may have been processed and can no longer be sent again, or
   * it was not sent by its latest time.
   *
   * @return false if somebody was faster
   */
  boolean markUnknown(Connection connection, Row row, OperationJournal.Id id) throws SQLException {
    if (!rows.markUnknown(connection, row.version())) {
      return false;
    }
    LOG.debug("{} is unknown", id);
    tellUnknown(row.delivery().lane().name(), 1, row.times().sent());
    return true;
  }

  // An outage may leave thousands of them, so a line tells of all of a minute.
  private void tellUnknown(String origin, int some, boolean sent) {
    String why =
        sent
            ? "may have been processed, and cannot be sent again"
            : "was not sent by the latest time of a first send";
    int marked = unknown.happened(origin + " " + why, some);
    if (marked > 0) {
      LOG.warn(
          "operations to {} are unknown, {} more since the last line: each {}. Ask the server, then"
              + " settle it",
          origin,
          marked,
          why);
    }
  }

  // Writing the note twice does no harm. The second statement waits until the first one is over.
  boolean sending(Rows.HeldClaim held) throws IOException {
    try {
      return connections.run(connection -> rows.sending(connection, held));
    } catch (IOException lost) {
      return again(lost, connection -> rows.sending(connection, held));
    }
  }

  boolean ended(Rows.HeldClaim held, Rows.End end) throws IOException {
    try {
      return connections.run(connection -> rows.ended(connection, held, end));
    } catch (IOException lost) {
      return again(
          lost, connection -> rows.ended(connection, held, end) || isNoted(connection, held, end));
    }
  }

  /** Has the sequence of an operation looked at now, which takes up to a minute otherwise. */
  void look(OperationJournal.Id id) {
    try {
      connections.run(connection -> {
        sequences.look(connection, id);
        return null;
      });
    } catch (IOException late) {
      LOG.debug("the sequence of {} goes on within a minute", id, late);
    }
  }

  // If somebody else had ended the operation, our token would be gone.
  private boolean isNoted(Connection connection, Rows.HeldClaim held, Rows.End end)
      throws SQLException {
    Row row = rows.find(connection, held);
    return row != null && row.state() == row.endsAs(end);
  }

  private <T extends @Nullable Object> T again(
      IOException lost, Connections.Statements<T> statements) throws IOException {
    try {
      return connections.run(statements);
    } catch (IOException twice) {
      lost.addSuppressed(twice);
      throw lost;
    }
  }
}
