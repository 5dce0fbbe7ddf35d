package dev.steadfast.retry.journal;

import dev.steadfast.retry.http.Journaling.Kept;
import dev.steadfast.retry.http.Journaling.Sender;
import dev.steadfast.retry.operations.OperationJournal.Intent;
import dev.steadfast.retry.operations.OperationJournal.RefusedException;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Lets an engine for background tasks deliver the operations of a journal. Authors of such engines
 * use it.
 *
 * <p>A wake-up is a name. It stands for one operation, or for all operations of one sequence. The
 * engine keeps it in the database of the journal, and calls {@link #wake} with it when its time has
 * come. The journal alone decides what is sent then. A wake-up that comes early, twice or to
 * several processes at once sends nothing twice, and one that comes late or gets lost only causes a
 * delay.
 *
 * <p>Statements run on the calling thread, which must not be within a transaction, except for
 * {@link #enlist}. Safe for use by many threads.
 */
public final class Wakeups {
  private static final int MOST_SWEPT = 1_000;
  private static final int MOST_IN_A_ROW = 20; // of a sequence, before others get their turn

  // The caller's transaction is about to end.
  private static final Duration ENLISTING = Duration.ofSeconds(1);

  private final JdbcJournal journal;
  private final Parts parts;
  private final Resuming resuming;
  private final WakeupRows rows;
  private final Keeper keeper;
  private final AtomicReference<DueRows.Position> swept =
      new AtomicReference<>(DueRows.Position.start());

  /** Keeps wake-ups where the engine finds them. */
  @FunctionalInterface
  public interface Keeper {
    /**
     * Writes wake-ups that are not there yet.
     *
     * @param connection writes them; in a transaction of the caller's or in auto-commit mode
     * @param wakeups their names, which have no business key in them
     * @param in the time from now until they are to come
     * @throws SQLException if they cannot be written
     */
    void keep(Connection connection, List<String> wakeups, Duration in) throws SQLException;
  }

  Wakeups(JdbcJournal journal, Parts parts, Resuming resuming, Keeper keeper) {
    this.journal = journal;
    this.parts = parts;
    this.resuming = resuming;
    this.rows = parts.next().rows();
    this.keeper = keeper;
  }

  /**
   * Writes an operation and its wake-up in the caller's transaction, as {@link
   * JdbcJournal#enlist(Connection, Kept, String)} does. A failure leaves the transaction as it was.
   * Blocks the calling thread.
   *
   * @param connection the caller's, within a transaction, to the database of the journal
   * @param operation the request to be sent, with its body; made by {@code intent} of a client
   * @param sequence the sequence that it belongs to, 1 to 100 characters; null for none
   * @return false if the same operation is there already, enlisted or finished
   * @throws RefusedException if another request is there, or if it was called without being
   *     enlisted and is not finished
   * @throws SQLException if it cannot be written
   * @throws IllegalArgumentException as the journal's {@code enlist} does
   */
  public boolean enlist(Connection connection, Kept operation, @Nullable String sequence)
      throws SQLException, RefusedException {
    Connections.requireTransaction(connection);
    Savepoint before = Savepoint.set(connection, "steadfast_wakeup");
    try {
      boolean written =
          sequence == null
              ? journal.enlist(connection, operation)
              : journal.enlist(connection, operation, sequence);
      if (written) {
        String wakeup = rows.name(connection, Intent.of(operation).id()).toString();
        keeper.keep(connection, List.of(wakeup), Duration.ZERO);
      }
      before.release();
      return written;
    } catch (SQLException | RefusedException | RuntimeException failed) {
      undo(before, failed);
      throw failed;
    }
  }

  private static void undo(Savepoint before, Exception failed) {
    try {
      before.rollBack();
      before.release();
    } catch (SQLException again) {
      failed.addSuppressed(again); // the connection is lost, and the transaction with it
    }
  }

  /**
   * Sends what a wake-up stands for, if it is due, on the calling thread.
   *
   * @param sender the client that sends
   * @param wakeup its name
   * @return when to wake again, zero for at once; empty if nothing is left to be sent, so that the
   *     engine can remove the wake-up, and call {@link #removed} then
   * @throws IOException if the journal cannot be read or written; to be woken again later
   * @throws InterruptedException if the thread was interrupted
   * @throws IllegalArgumentException if it is not the name of a wake-up
   */
  public Optional<Duration> wake(Sender sender, String wakeup)
      throws IOException, InterruptedException {
    WakeupName name = WakeupName.parse(wakeup);
    for (int i = 0; i < MOST_IN_A_ROW; i++) {
      NextStep.Next next = parts.next().of(name);
      WakeupRows.Found due = next.due();
      if (due == null) {
        return later(name, next.again());
      }
      Resuming.Sent result =
          resuming.send(sender, due.intent(), Resuming.Read.woken(due.row(), name));
      Resuming.Outcome outcome = result.outcome();
      if (outcome == Resuming.Outcome.HELD) {
        return later(name, Optional.of(result.held()));
      }
      if (outcome == Resuming.Outcome.BROKEN) {
        Row.Version row = due.row().version();
        return postponed(name, run(connection -> parts.due().broken(connection, row)));
      }
      if (outcome == Resuming.Outcome.REFUSED) {
        return refused(name, due.row());
      }
      if (outcome == Resuming.Outcome.FINISHED && name.sequence() == null) {
        return Optional.empty();
      }
    }
    return Optional.of(Duration.ZERO);
  }

  // Otherwise a sweep would find it again and again, before those that became due after it.
  private Optional<Duration> refused(WakeupName name, Row row) throws IOException {
    boolean unchanged =
        run(connection -> parts.due().postpone(connection, row.version(), NextStep.BLOCKED));
    return postponed(name, unchanged);
  }

  private Optional<Duration> postponed(WakeupName name, boolean unchanged) throws IOException {
    return later(name, unchanged ? Optional.of(NextStep.BLOCKED) : parts.next().of(name).orLater());
  }

  // No sweep has to look at a sequence before that.
  private Optional<Duration> later(WakeupName name, Optional<Duration> again) throws IOException {
    String sequence = name.sequence();
    if (sequence != null && again.isPresent()) {
      run(connection -> {
        parts.sequences().lookIn(connection, sequence, again.get());
        return null;
      });
    }
    return again;
  }

  /**
   * Call this after a wake-up was removed. It keeps the wake-up again if its sequence has got
   * another operation in the meantime, by a transaction that still found the wake-up.
   *
   * @param wakeup its name
   * @throws IOException if the journal cannot be read or written
   * @throws IllegalArgumentException if it is not the name of a wake-up
   */
  public void removed(String wakeup) throws IOException {
    WakeupName name = WakeupName.parse(wakeup);
    String sequence = name.sequence();
    if (sequence == null) {
      return;
    }
    // The order matters: whoever has committed before the first statement is seen by the second.
    boolean enlisting = run(connection -> rows.isEnlisting(connection, sequence));
    Optional<Duration> again = enlisting ? Optional.of(ENLISTING) : parts.next().of(name).again();
    if (again.isPresent()) {
      keep(List.of(wakeup), again.get());
    }
  }

  /**
   * Keeps the wake-ups of operations that are due: of those that were called by a process that
   * died, and of enlisted ones whose wake-up is lost. Call it now and then. Also marks operations
   * as unknown that may have been processed and can no longer be sent again.
   *
   * @throws IOException if the journal cannot be read or written
   */
  public void sweep() throws IOException {
    run(connection -> {
      parts.claims().markExpired(connection, parts.backlog());
      return null;
    });
    keepAll(run(rows::left));
    OffsetDateTime now = run(parts.backlog()::time);
    keepAll(
        run(connection -> parts.sequences().reserve(connection, now, MOST_SWEPT)).stream()
            .map(sequence -> new WakeupName(0, sequence))
            .toList());
    DueRows.Position from = swept.get();
    WakeupRows.Page page = run(connection -> rows.oldest(connection, from));
    keepAll(page.names());
    swept.set(page.end()); // those before it have their wake-ups, whoever is to send them
  }

  private void keepAll(List<WakeupName> due) throws IOException {
    if (!due.isEmpty()) {
      keep(due.stream().map(WakeupName::toString).toList(), Duration.ZERO);
    }
  }

  private void keep(List<String> wakeups, Duration in) throws IOException {
    run(connection -> {
      keeper.keep(connection, wakeups, in);
      return null;
    });
  }

  private <T extends @Nullable Object> T run(Connections.Statements<T> statements)
      throws IOException {
    return parts.connections().run(statements);
  }
}
