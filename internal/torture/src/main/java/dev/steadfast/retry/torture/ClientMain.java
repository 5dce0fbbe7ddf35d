package dev.steadfast.retry.torture;

import dev.steadfast.retry.http.Journaling;
import dev.steadfast.retry.journal.JdbcJournal;
import dev.steadfast.retry.operations.OperationJournal;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * A client as a process of its own: {@code ClientMain <history> <number> <jdbcUrl> <port of the
 * proxy> <millis since the start of the run>}.
 *
 * <p>It calls its operations, resumes what is due, and ends with the run. It may be killed at any
 * time. After a restart it continues where its log ends.
 */
final class ClientMain {
  private static final int CONNECTIONS = 10;
  private static final long MOST_WAIT_MILLIS = 1_000;
  private static final int REMEMBERED = 100_000;
  private static final int RESUMERS = 2;

  private ClientMain() {}

  /** Exits with 0 when the run is over. */
  public static void main(String[] args) throws Exception {
    long startNanos = System.nanoTime() - 1_000_000 * Long.parseLong(args[4]);
    History history = new History(Path.of(args[0]));
    int number = Integer.parseInt(args[1]);
    String uri = "http://127.0.0.1:" + args[3] + "/payments";
    Break broken = history.settings().broken();

    FaultySource database = new FaultySource(Pool.real(args[2]), broken.mutation());
    DataSource pool = Pool.of(database, CONNECTIONS, MOST_WAIT_MILLIS);
    JdbcJournal durable = journal(pool);
    OperationJournal used =
        broken == Break.NO_JOURNAL
            ? OperationJournal.inMemory(REMEMBERED, Payments.kept())
            : durable;
    JumpingClock clock = new JumpingClock(history.settings().seed() + number);
    FaultyJournal faulty =
        new FaultyJournal(
            used,
            history,
            number,
            new FaultyJournal.Trouble(database, clock, broken == Break.LATE_FIRST_SENT));
    Payments.Parts parts = new Payments.Parts(faulty, clock, Deployment.of(history, number));
    PaymentClient client =
        number % 2 == 0 ? new OkHttpPayments(uri, parts) : new JdkPayments(uri, parts);

    Enlisting.Journal enlists =
        (connection, operation) -> enlist(durable, connection, client, operation);
    if (history.settings().engine() == Engine.DB_SCHEDULER) {
      Delivering delivering = new Delivering(durable, faulty, client);
      delivering.start(pool);
      enlists = delivering;
    } else {
      resume(new Resuming(durable, faulty, client));
    }
    inBackground(new Settling(durable, history, number));
    if (broken == Break.OTHER_AMOUNT) {
      Enlisting.Journal right = enlists;
      enlists = (connection, operation) -> right.enlist(connection, operation.changed());
    }
    Enlisting enlisting = broken == Break.NO_JOURNAL ? null : new Enlisting(enlists, pool);
    new Calling(history, number, new Calling.Parts(client, enlisting, startNanos)).run();
    history.set("done-" + number);
    await(history, "quiet");
    if (history.settings().engine() == Engine.DB_SCHEDULER) {
      // What is left was told to callers that have died, so db-scheduler does not deliver it.
      resume(new Resuming(durable, faulty, client));
    }
    await(history, "stop");
    System.exit(0);
  }

  private static boolean enlist(
      JdbcJournal journal, Connection connection, PaymentClient client, Op operation)
      throws SQLException, IOException {
    Journaling.Kept intent = client.intent(operation);
    String sequence = operation.sequence();
    return sequence == null
        ? journal.enlist(connection, intent)
        : journal.enlist(connection, intent, sequence);
  }

  private static void resume(Resuming resuming) {
    for (int i = 0; i < RESUMERS; i++) {
      inBackground(resuming);
    }
  }

  private static void await(History history, String signal) throws InterruptedException {
    while (!history.is(signal)) {
      Thread.sleep(100);
    }
  }

  private static void inBackground(Runnable task) {
    Thread thread = new Thread(task);
    thread.setDaemon(true);
    thread.start();
  }

  // build() asks the database for its name, and the database may be down at this moment.
  private static JdbcJournal journal(DataSource pool) throws InterruptedException {
    while (true) {
      try {
        return JdbcJournal.builder(pool).settings(Payments.kept()).build();
      } catch (IOException down) {
        Thread.sleep(100);
      }
    }
  }
}
