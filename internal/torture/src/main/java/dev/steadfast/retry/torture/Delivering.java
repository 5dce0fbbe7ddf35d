package dev.steadfast.retry.torture;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerName;
import com.github.kagkarlsson.scheduler.jdbc.PostgreSqlJdbcCustomization;
import dev.steadfast.retry.http.Journaling;
import dev.steadfast.retry.journal.JdbcJournal;
import dev.steadfast.retry.journal.dbscheduler.JournalDelivery;
import dev.steadfast.retry.operations.OperationJournal;
import dev.steadfast.retry.operations.OperationJournal.Intent;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/** Has db-scheduler deliver what is enlisted, and what clients have called that died. */
final class Delivering implements Enlisting.Journal {
  private static final int THREADS = 4;
  private static final int MISSED_HEARTBEATS = 4;

  private final PaymentClient client;
  private final JournalDelivery delivery;

  /**
   * A delivery.
   *
   * @param faulty causes the faults in the steps of each operation
   */
  Delivering(JdbcJournal journal, FaultyJournal faulty, PaymentClient client) {
    this.client = client;
    this.delivery =
        JournalDelivery.over(
            journal,
            (resumed, due) ->
                client
                    .sender(OperationKind.ofOperation(Intent.of(due).id().name()))
                    .send(faulty.over((OperationJournal) resumed), due));
  }

  /** Starts a scheduler, which runs until the process ends. */
  void start(DataSource pool) {
    Scheduler.create(pool)
        .startTasks(delivery.task())
        .schedulerName(new SchedulerName.Fixed("client " + ProcessHandle.current().pid()))
        .threads(THREADS)
        .pollUsingLockAndFetch(0.5, 2.0)
        .pollingInterval(Duration.ofMillis(200))
        .heartbeatInterval(Duration.ofSeconds(1))
        .missedHeartbeatsLimit(MISSED_HEARTBEATS)
        // Otherwise it asks the database which one it is, and that may be down just now.
        .jdbcCustomization(new PostgreSqlJdbcCustomization(false, false))
        .build()
        .start();
  }

  @Override
  public boolean enlist(Connection connection, Op operation) throws SQLException, IOException {
    Journaling.Kept intent = client.intent(operation);
    String sequence = operation.sequence();
    return sequence == null
        ? delivery.enlist(connection, intent)
        : delivery.enlist(connection, intent, sequence);
  }
}
