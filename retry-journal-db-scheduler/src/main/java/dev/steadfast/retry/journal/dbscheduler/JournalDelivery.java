package dev.steadfast.retry.journal.dbscheduler;

import com.github.kagkarlsson.scheduler.task.CompletionHandler;
import com.github.kagkarlsson.scheduler.task.ExecutionComplete;
import com.github.kagkarlsson.scheduler.task.ExecutionOperations;
import com.github.kagkarlsson.scheduler.task.FailureHandler;
import com.github.kagkarlsson.scheduler.task.helper.CustomTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import dev.steadfast.retry.http.Journaling.Kept;
import dev.steadfast.retry.http.Journaling.Sender;
import dev.steadfast.retry.journal.JdbcJournal;
import dev.steadfast.retry.journal.Wakeups;
import dev.steadfast.retry.operations.OperationJournal.RefusedException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Delivers the operations of a journal in PostgreSQL in the background, by a task of db-scheduler.
 * All instances of an application that run the task share the work.
 *
 * <pre>{@code
 * JournalDelivery delivery = JournalDelivery.over(journal, client.sender());
 * Scheduler scheduler =
 *     Scheduler.create(dataSource)
 *         .startTasks(delivery.task())
 *         .pollUsingLockAndFetch(0.5, 3.0)
 *         .pollingInterval(Duration.ofSeconds(1))
 *         .build();
 * }</pre>
 *
 * <p>It delivers what was enlisted here or by the journal's own {@code enlist}, and operations that
 * were called by a process that died. The rows of db-scheduler only say when to look: the journal
 * decides what is sent. So a wrong clock, or an execution that db-scheduler revives, delays a
 * request and never doubles it.
 *
 * <p>db-scheduler's table has to be in the database of the journal. Safe for use by many threads.
 */
public final class JournalDelivery {
  // Why it is like this: docs/decisions/journaled-operations.md#delivery-in-the-background
  private static final String NAME = "steadfast-delivery";
  private static final String SWEEP = "sweep";
  private static final Duration AGAIN = Duration.ofSeconds(10); // after a sweep, or a failure

  private final JdbcJournal journal;
  private final Sender sender;
  private final Wakeups wakeups;
  private final CustomTask<Void> task;

  private JournalDelivery(JdbcJournal journal, Sender sender, TaskRows rows) {
    this.journal = journal;
    this.sender = sender;
    this.wakeups = journal.wakeups(rows::insert);
    this.task =
        Tasks.custom(NAME, Void.class)
            .scheduleOnStartup(SWEEP, null, now -> now)
            .onFailure(new FailureHandler.OnFailureRetryLater<>(AGAIN))
            .onDeadExecution(JournalDelivery::revive)
            .execute((instance, context) -> execute(instance.getId()));
  }

  /**
   * Delivers by a client. Nothing happens before a scheduler runs the {@link #task}.
   *
   * @param journal has the operations
   * @param sender sends them; that of a client with its own deadline, retries and authentication
   * @return a new delivery
   */
  public static JournalDelivery over(JdbcJournal journal, Sender sender) {
    Objects.requireNonNull(sender, "sender");
    return new JournalDelivery(journal, sender, TaskRows.in("scheduled_tasks", NAME));
  }

  /**
   * A delivery for schedulers with another {@code tableName}. Default: {@code scheduled_tasks}.
   *
   * @param table its name, which may begin with that of its schema
   * @return a changed copy
   * @throws IllegalArgumentException if it has other characters than letters, digits, underscores
   *     and one dot
   */
  public JournalDelivery inTable(String table) {
    return new JournalDelivery(journal, sender, TaskRows.in(table, NAME));
  }

  /**
   * Writes an operation in the caller's transaction, as {@link JdbcJournal#enlist(Connection,
   * Kept)} does, and when to deliver it. Blocks the calling thread.
   *
   * @param connection the caller's, within a transaction, to the database of the journal
   * @param operation the request to be sent, with its body; made by {@code intent} of a client
   * @return false if the same operation is there already, enlisted or finished
   * @throws RefusedException if another request is there, or if it was called without being
   *     enlisted and is not finished
   * @throws SQLException if it cannot be written; the transaction is as it was
   * @throws IllegalArgumentException if the connection is in auto-commit mode, or if the body of
   *     the operation is not kept
   */
  public boolean enlist(Connection connection, Kept operation)
      throws SQLException, RefusedException {
    return wakeups.enlist(connection, operation, null);
  }

  /**
   * Enlists an operation in a sequence, whose operations are delivered one after another in the
   * order of their commits. One whose effect is unknown holds the later ones until it is settled.
   *
   * @param connection the caller's, within a transaction, to the database of the journal
   * @param operation the request to be sent, with its body; made by {@code intent} of a client
   * @param sequence its name, 1 to 100 characters, which db-scheduler writes into its logs
   * @return false if the same operation is there already, enlisted or finished
   * @throws RefusedException if another request is there, or if it was called without being
   *     enlisted and is not finished
   * @throws SQLException if it cannot be written; the transaction is as it was
   * @throws IllegalArgumentException if the name is out of its range, if the connection is in
   *     auto-commit mode, or if the body of the operation is not kept
   */
  public boolean enlist(Connection connection, Kept operation, String sequence)
      throws SQLException, RefusedException {
    return wakeups.enlist(connection, operation, Objects.requireNonNull(sequence, "sequence"));
  }

  /**
   * The task that delivers. Give it to the schedulers that are to deliver, by {@code startTasks}.
   *
   * @return always the same task
   */
  public CustomTask<Void> task() {
    return task;
  }

  private CompletionHandler<Void> execute(String instance) {
    try {
      if (instance.equals(SWEEP)) {
        wakeups.sweep();
        return (done, operations) -> reschedule(done, operations, AGAIN);
      }
      Optional<Duration> again = wakeups.wake(sender, instance);
      return (done, operations) -> complete(done, operations, again.orElse(null));
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    } catch (InterruptedException stopped) {
      throw new IllegalStateException("the scheduler is stopping", stopped);
    } finally {
      // An interrupted thread gets no connection, and db-scheduler has to note when to go on.
      Thread.interrupted();
    }
  }

  private void complete(
      ExecutionComplete done, ExecutionOperations<Void> operations, @Nullable Duration again) {
    if (again != null) {
      reschedule(done, operations, again);
      return;
    }
    operations.remove();
    try {
      wakeups.removed(done.getExecution().getId());
    } catch (IOException failed) {
      throw new UncheckedIOException(failed); // the next sweep finds it
    }
  }

  // Uses the scheduler's clock.
  private static void reschedule(
      ExecutionComplete done, ExecutionOperations<Void> operations, Duration in) {
    operations.reschedule(done, done.getTimeDone().plus(in));
  }

  private static void revive(ExecutionComplete done, ExecutionOperations<Void> operations) {
    reschedule(done, operations, Duration.ZERO);
  }
}
