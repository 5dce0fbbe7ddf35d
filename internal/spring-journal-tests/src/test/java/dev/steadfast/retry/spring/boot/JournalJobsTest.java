package dev.steadfast.retry.spring.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.engine.Evidence.Safety;
import dev.steadfast.retry.http.Journaling;
import dev.steadfast.retry.journal.Deliveries;
import dev.steadfast.retry.journal.JdbcJournal;
import dev.steadfast.retry.operations.OperationJournal;
import dev.steadfast.retry.operations.OperationJournal.Claim;
import dev.steadfast.retry.operations.OperationJournal.Content;
import dev.steadfast.retry.operations.OperationJournal.Ending;
import dev.steadfast.retry.operations.OperationJournal.Intent;
import dev.steadfast.retry.operations.OperationJournal.Request;
import dev.steadfast.retry.operations.OperationJournal.State;
import dev.steadfast.retry.operations.OperationJournal.Terms;
import dev.steadfast.retry.postgres.PostgresServer;
import java.io.IOException;
import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** The job that sends goes on whatever is thrown, and is over when the application ends. */
final class JournalJobsTest {
  private static final JournalProperties PROPERTIES =
      new JournalProperties(
          true,
          null,
          null,
          "steadfast_",
          false,
          new JournalProperties.Resume(true, Duration.ofMillis(100), 100, null),
          new JournalProperties.Purge(false, Duration.ofDays(1), Duration.ofDays(30)));
  private static final Duration SHORT = Duration.ofMillis(10);

  @AutoClose private static PostgresServer database;

  private final Map<String, CountDownLatch> sent = new ConcurrentHashMap<>();
  private JdbcJournal journal;
  private JournalJobs jobs;

  @BeforeAll
  static void startDatabase() throws IOException {
    database = PostgresServer.temporary();
  }

  @BeforeEach
  void empty() throws Exception {
    journal = JdbcJournal.builder(database.dataSource()).createTables().build();
    execute("delete from steadfast_operation");
  }

  @AfterEach
  void stop() {
    jobs.stop();
  }

  private static void execute(String sql) throws SQLException {
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static Intent intent(String key) {
    Request request =
        new Request(
            "POST", URI.create("https://bank.example/pay"), new Content(Map.of(), new byte[] {5}));
    Terms terms =
        new Terms(Safety.KEYED, Duration.ofHours(1), new Journaling.Key("Idempotency-Key", key));
    return new Intent(
        new OperationJournal.Id("charge", "", key), "", request, "f".repeat(64), terms);
  }

  private void enlist(String key) throws Exception {
    try (Connection own = database.dataSource().getConnection()) {
      own.setAutoCommit(false);
      assertTrue(journal.enlist(own, intent(key)));
      own.commit();
    }
  }

  /** Sends it, and it succeeds. */
  private void send(Journaling.Journal in, Journaling.Kept due) throws IOException {
    Intent intent = Intent.of(due);
    OperationJournal view = (OperationJournal) in;
    if (view.claim(intent, Duration.ofSeconds(30)) instanceof Claim.Granted granted
        && view.sending(intent, granted)
        && view.ended(intent, granted, new Ending(State.SUCCEEDED, null, 1, null))) {
      latch(intent.id().key()).countDown();
    }
  }

  private CountDownLatch latch(String key) {
    return sent.computeIfAbsent(key, none -> new CountDownLatch(1));
  }

  private void awaitSent(String key) throws InterruptedException {
    assertTrue(latch(key).await(60, TimeUnit.SECONDS), key);
  }

  private void start(JdbcJournal of, Journaling.Sender sender, Duration patience) {
    jobs = new JournalJobs(of, PROPERTIES, sender, patience);
    jobs.start();
  }

  /** Two runs at least: one has met the trouble, and a later one sends the second operation. */
  private void enlistedLaterIsSentToo(String first) throws Exception {
    awaitSent(first);
    enlist("later");
    awaitSent("later");
  }

  private static String key(Journaling.Kept due) {
    return Intent.of(due).id().key();
  }

  @Test
  void anErrorOfOneOperationsClientHoldsNobodyUp() throws Exception {
    enlist("broken");
    enlist("healthy");
    start(
        journal,
        (in, due) -> {
          if (key(due).equals("broken")) {
            throw new NoClassDefFoundError("of a converter");
          }
          send(in, due);
        },
        JournalJobs.PATIENCE);
    enlistedLaterIsSentToo("healthy");
  }

  @Test
  void norDoesAnErrorOfAListener() throws Exception {
    CountDownLatch told = new CountDownLatch(1);
    Consumer<OperationJournal.Id> listener =
        parked -> {
          told.countDown();
          throw new StackOverflowError("of an alert");
        };
    JdbcJournal telling =
        JdbcJournal.builder(database.dataSource())
            .deliveries(Deliveries.defaults().telling(listener))
            .build();
    enlist("over");
    execute("update steadfast_operation set deliveries = 100");
    enlist("healthy");
    start(telling, this::send, JournalJobs.PATIENCE);
    assertTrue(told.await(60, TimeUnit.SECONDS));
    enlistedLaterIsSentToo("healthy");
  }

  @Test
  void norDoesAnErrorOfTheJobItself() throws Exception {
    AtomicInteger left = new AtomicInteger();
    DataSource failing =
        new DelegatingDataSource(database.dataSource()) {
          @Override
          public Connection getConnection() throws SQLException {
            if (left.getAndUpdate(each -> Math.max(0, each - 1)) > 0) {
              throw new NoClassDefFoundError("of a driver");
            }
            return super.getConnection();
          }
        };
    JdbcJournal unsteady = JdbcJournal.builder(failing).build();
    enlist("healthy");
    left.set(3);
    start(unsteady, this::send, JournalJobs.PATIENCE);
    enlistedLaterIsSentToo("healthy");
    assertEquals(0, left.get());
  }

  /** Otherwise its data source would be closed under it. */
  @Test
  void theEndWaitsForARunThatItHasInterrupted() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch over = new CountDownLatch(1);
    AtomicBoolean ended = new AtomicBoolean();
    AtomicBoolean waited = new AtomicBoolean();
    Thread ending = Thread.currentThread();
    enlist("slow");
    start(
        journal,
        (in, due) -> {
          begun.countDown();
          try {
            new CountDownLatch(1).await();
          } finally {
            while (!ended.get() && ending.getState() != Thread.State.TIMED_WAITING) {
              Thread.onSpinWait();
            }
            waited.set(!ended.get());
            over.countDown();
          }
        },
        Duration.ofSeconds(1));
    assertTrue(begun.await(60, TimeUnit.SECONDS));
    jobs.stop();
    ended.set(true);
    assertTrue(over.await(60, TimeUnit.SECONDS));
    assertTrue(waited.get());
  }

  @Test
  void theEndDoesNotWaitForEver() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch free = new CountDownLatch(1);
    CountDownLatch over = new CountDownLatch(1);
    enlist("deaf");
    start(
        journal,
        (in, due) -> {
          begun.countDown();
          awaitDeaf(free);
          over.countDown();
        },
        SHORT);
    assertTrue(begun.await(60, TimeUnit.SECONDS));
    jobs.stop();
    assertFalse(jobs.isRunning());
    assertEquals(1, over.getCount());
    free.countDown();
    assertTrue(over.await(60, TimeUnit.SECONDS));
  }

  private static void awaitDeaf(CountDownLatch free) {
    while (free.getCount() > 0) {
      try {
        free.await();
      } catch (InterruptedException ignored) {
        // as clients do that swallow it
      }
    }
  }
}
