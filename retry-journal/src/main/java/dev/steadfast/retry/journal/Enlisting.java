package dev.steadfast.retry.journal;

import dev.steadfast.retry.operations.OperationJournal.Claim;
import dev.steadfast.retry.operations.OperationJournal.Intent;
import dev.steadfast.retry.operations.OperationJournal.Refusal;
import dev.steadfast.retry.operations.OperationJournal.RefusedException;
import dev.steadfast.retry.operations.OperationJournal.State;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientException;
import org.jspecify.annotations.Nullable;

/** Writes operations in transactions of the caller's. Immutable. */
final class Enlisting {
  private static final String LOCK_MILLIS = "2000";
  private static final String SERIALIZATION_FAILURE = "40001"; // tells callers to try again

  private final Dialect dialect;
  private final Rows rows;
  private final String insertSequence;
  private final String lastNumber;
  private final String increment;

  Enlisting(Dialect dialect, Tables tables, Rows rows) {
    this.dialect = dialect;
    this.rows = rows;
    this.insertSequence =
        tables.named(
            "insert into steadfast_sequence (name, last_number) values (?, 0)"
                + dialect.ignoreDuplicate());
    this.lastNumber = tables.named("select last_number from steadfast_sequence where name = ?");
    this.increment =
        tables.named(
            "update steadfast_sequence set last_number = last_number + 1, look_at = "
                + dialect.now()
                + " where name = ?");
  }

  /**
   * Writes an operation that resuming is to deliver. The caller's transaction goes on whatever
   * happens, and has changed only if the result is true.
   *
   * @param sequence the operations that are delivered one after another; null for none
   * @return false if it is there already
   * @throws RefusedException if another request is there
   */
  boolean enlist(Connection connection, Intent intent, @Nullable String sequence)
      throws SQLException, RefusedException {
    String lockTimeout = dialect.lockTimeout(connection);
    Savepoint before = Savepoint.set(connection, "steadfast_enlist");
    boolean written = false;
    try {
      dialect.setLockTimeout(connection, LOCK_MILLIS);
      written = write(connection, intent, sequence);
    } catch (SQLException | RefusedException | RuntimeException failed) {
      undo(connection, before, lockTimeout, failed);
      throw failed;
    }
    if (!written) {
      before.rollBack(); // gives the lock on the sequence back
    }
    end(connection, before, lockTimeout);
    return written;
  }

  private void undo(Connection connection, Savepoint before, String lockTimeout, Exception failed) {
    try {
      before.rollBack();
      end(connection, before, lockTimeout);
    } catch (SQLException again) {
      failed.addSuppressed(again); // the connection is lost, and the transaction with it
    }
  }

  private void end(Connection connection, Savepoint before, String lockTimeout)
      throws SQLException {
    dialect.setLockTimeout(connection, lockTimeout);
    before.release();
  }

  private boolean write(Connection connection, Intent intent, @Nullable String sequence)
      throws SQLException, RefusedException {
    Rows.Place place =
        sequence == null ? null : new Rows.Place(sequence, nextNumber(connection, sequence));
    Rows.Start start = Rows.Start.delivered(place);
    for (int i = 0; i < 2; i++) {
      if (rows.insert(connection, intent, start) || rows.reopen(connection, intent, place)) {
        return true;
      }
      Row known = rows.find(connection, intent.id());
      if (known != null) {
        refuseOther(known, intent);
        refuseCalled(known, intent);
        refuseCancelled(known, intent);
        return false;
      }
      // purged just now
    }
    throw new SQLTransientException(
        "the operation was deleted while it was enlisted", SERIALIZATION_FAILURE);
  }

  private static void refuseOther(Row known, Intent intent) throws RefusedException {
    if (known.otherThan(intent) instanceof Claim.OtherRequest other) {
      throw new RefusedException(intent, other);
    }
  }

  // The caller of such an operation is told how it ends, so it must not be delivered as well.
  private static void refuseCalled(Row known, Intent intent) throws RefusedException {
    boolean unfinished = known.state() == State.READY || known.state() == State.IN_FLIGHT;
    if (unfinished && !known.delivered()) {
      String message = intent.id() + " was called without being enlisted, and is not finished";
      throw new RefusedException(Refusal.IN_FLIGHT, message, null);
    }
  }

  private static void refuseCancelled(Row known, Intent intent) throws RefusedException {
    if (known.state() == State.CANCELLED) {
      throw new RefusedException(Refusal.CANCELLED, intent.id() + " is cancelled", null);
    }
  }

  // The row of the sequence is locked until the caller commits, so numbers follow the commits.
  private long nextNumber(Connection connection, String sequence) throws SQLException {
    if (!increment(connection, sequence)) {
      try (PreparedStatement statement = Sql.prepare(connection, insertSequence)) {
        statement.setString(1, sequence);
        dialect.inserts(statement);
      }
      increment(connection, sequence);
    }
    try (PreparedStatement statement = Sql.prepare(connection, lastNumber)) {
      statement.setString(1, sequence);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getLong(1);
      }
    }
  }

  private boolean increment(Connection connection, String sequence) throws SQLException {
    try (PreparedStatement statement = Sql.prepare(connection, increment)) {
      statement.setString(1, sequence);
      return statement.executeUpdate() == 1;
    }
  }
}
