package dev.steadfast.retry.journal;

import static dev.steadfast.retry.journal.TestIntents.ending;
import static dev.steadfast.retry.journal.TestIntents.intent;
import static dev.steadfast.retry.journal.TestIntents.sender;
import static dev.steadfast.retry.journal.TestJournals.claim;
import static dev.steadfast.retry.journal.TestJournals.sent;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.engine.Evidence.Safety;
import dev.steadfast.retry.journal.JdbcJournal.Lookup;
import dev.steadfast.retry.journal.JdbcJournal.Which;
import dev.steadfast.retry.operations.OperationJournal.Claim;
import dev.steadfast.retry.operations.OperationJournal.Intent;
import dev.steadfast.retry.operations.OperationJournal.Refusal;
import dev.steadfast.retry.operations.OperationJournal.RefusedException;
import dev.steadfast.retry.operations.OperationJournal.State;
import dev.steadfast.retry.postgres.PostgresServer;
import java.io.IOException;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Connections, threads, and a database that comes and goes. */
class JdbcJournalTest {
  private static PostgresServer server;
  @AutoClose private static TestDatabase database;

  @BeforeAll
  static void start() throws IOException {
    server = PostgresServer.temporary();
    database = TestDatabase.on(server);
  }

  @BeforeEach
  void empty() throws Exception {
    database.empty();
  }

  @Test
  void withoutAConnectionNothingIsWritten() {
    PGSimpleDataSource nowhere = new PGSimpleDataSource();
    nowhere.setUrl("jdbc:postgresql://127.0.0.1:1/postgres?user=postgres&connectTimeout=5");
    RefusedException refused =
        assertThrows(RefusedException.class, () -> JdbcJournal.builder(nowhere).build());
    assertEquals(Refusal.UNREACHABLE, refused.refusal());
  }

  @Test
  void aFailedStatementMayHaveBeenWritten() throws Exception {
    JdbcJournal journal = database.journal();
    database.execute("alter table steadfast_operation rename column state to elsewhere");
    try {
      IOException failed =
          assertThrows(IOException.class, () -> claim(journal, intent(Safety.KEYED)));
      assertFalse(failed instanceof RefusedException);
    } finally {
      database.execute("alter table steadfast_operation rename column elsewhere to state");
    }
  }

  @Test
  void whatIsCommittedSurvivesACrashOfTheDatabase() throws Exception {
    JdbcJournal journal = database.journal();
    Intent intent = intent(Safety.KEYED);
    Claim.Granted claim = sent(journal, intent);
    server.stopImmediately();
    RefusedException refused = assertThrows(RefusedException.class, () -> claim(journal, intent));
    assertEquals(Refusal.UNREACHABLE, refused.refusal());
    server.start();
    JdbcJournal again = database.journal();
    assertInstanceOf(Claim.InFlight.class, claim(again, intent));
    assertTrue(again.ended(intent, claim, ending(State.SUCCEEDED)));
    assertEquals("succeeded", database.state());
  }

  @Test
  void statementsDoNotRunOnTheCallingThread() throws Exception {
    LossySource seen = new LossySource(database.source());
    JdbcJournal journal = JdbcJournal.builder(seen.source()).createTables().build();
    sent(database.journal(), intent(Safety.UNSAFE));
    database.endLeases();
    journal.createTables();
    journal.resume(sender((in, due) -> {}), Which.DUE, 1);
    journal.unknown(1);
    journal.settle(TestIntents.id("order-1"), Lookup.APPLIED);
    journal.purge(Duration.ZERO);
    assertEquals(List.of("steadfast-journal"), seen.threads.stream().distinct().toList());
  }

  @Test
  void everyStatementHasATimeLimit() throws Exception {
    LossySource seen = new LossySource(database.source());
    JdbcJournal journal = JdbcJournal.builder(seen.source()).build();
    Intent intent = intent(Safety.KEYED);
    journal.ended(intent, sent(journal, intent), ending(State.READY));
    claim(journal, intent);
    journal.resume(sender((in, due) -> {}), Which.DUE, 1);
    journal.unknown(1);
    journal.settle(intent.id(), Lookup.APPLIED);
    journal.purge(Duration.ZERO);
    assertEquals(List.of(10), seen.timeouts.stream().distinct().toList());
  }

  @Test
  void anInterruptIsKeptWhereItIsNotThrown() throws Exception {
    JdbcJournal journal = database.journal();
    Thread.currentThread().interrupt();
    assertEquals(0, journal.purge(Duration.ZERO));
    assertTrue(Thread.interrupted());
    Thread.currentThread().interrupt();
    assertThrows(
        InterruptedException.class, () -> journal.resume(sender((in, due) -> {}), Which.DUE, 1));
    assertFalse(Thread.interrupted());
  }

  @Test
  void anExecutorThatIsShutDownIsNamed() throws Exception {
    ExecutorService executor = Executors.newSingleThreadExecutor();
    JdbcJournal journal = JdbcJournal.builder(database.source()).executor(executor).build();
    assertSame(executor, journal.executor().orElseThrow());
    executor.shutdownNow();
    RefusedException refused =
        assertThrows(RefusedException.class, () -> journal.purge(Duration.ZERO));
    assertInstanceOf(RejectedExecutionException.class, refused.getCause());
  }

  @Test
  void aConnectionGoesBackAsItCame() throws Exception {
    try (Connection pooled = database.source().getConnection()) {
      pooled.setAutoCommit(false);
      LossySource source = new LossySource(LossySource.always(pooled));
      JdbcJournal journal = JdbcJournal.builder(source.source()).build();
      Intent intent = intent(Safety.KEYED);
      List<String> meanwhile = new ArrayList<>();
      source.before(
          "insert into steadfast_operation",
          () -> meanwhile.add(pooled.getAutoCommit() + " " + pooled.getNetworkTimeout()));
      sent(journal, intent);
      assertEquals(List.of("true 20000"), meanwhile);
      assertFalse(pooled.getAutoCommit());
      assertEquals(0, pooled.getNetworkTimeout());
      assertEquals("in_flight", database.state());

      pooled.setNetworkTimeout(Runnable::run, 5_000);
      database.set("state = 'nonsense'");
      assertThrows(IOException.class, () -> claim(journal, intent));
      assertFalse(pooled.getAutoCommit());
      assertEquals(5_000, pooled.getNetworkTimeout());
    }
  }

  /** PostgreSQL aborts some of the claims under a stricter isolation than its default. */
  @ParameterizedTest
  @ValueSource(strings = {"read committed", "repeatable read", "serializable"})
  void ofManyClaimsOneIsGrantedUnderEachIsolation(String isolation) throws Exception {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(server.jdbcUrl());
    source.setOptions("-c default_transaction_isolation=" + isolation.replace(" ", "\\ "));
    JdbcJournal journal = JdbcJournal.builder(source).build();
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      for (int round = 0; round < 20; round++) {
        Intent intent = intent("order-" + round);
        List<Callable<Claim>> claims = Collections.nCopies(8, () -> claim(journal, intent));
        int granted = 0;
        for (Future<Claim> claim : threads.invokeAll(claims)) {
          granted += isGranted(claim) ? 1 : 0;
        }
        assertEquals(1, granted, "round " + round);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private static boolean isGranted(Future<Claim> claim) throws InterruptedException {
    try {
      return claim.get() instanceof Claim.Granted;
    } catch (ExecutionException aborted) {
      assertEquals("the journal failed: SQLState 40001", aborted.getCause().getMessage());
      return false;
    }
  }

  /** Like Spring's, by its name. */
  static class TransactionAwareDataSourceProxy extends PGSimpleDataSource {
    private static final long serialVersionUID = 1;
  }

  /** Like a class that is generated for it. */
  static final class Generated extends TransactionAwareDataSourceProxy {
    private static final long serialVersionUID = 1;
  }

  @Test
  void aSourceThatJoinsTheCallersTransactionIsRefused() {
    for (PGSimpleDataSource joining :
        List.of(new TransactionAwareDataSourceProxy(), new Generated())) {
      joining.setUrl(server.jdbcUrl());
      IllegalArgumentException refused =
          assertThrows(IllegalArgumentException.class, () -> JdbcJournal.builder(joining).build());
      assertTrue(
          refused.getMessage().startsWith("source: " + getClass().getName()), refused.getMessage());
      assertTrue(
          refused.getMessage().endsWith("(expected: one that joins no transaction of its caller)"),
          refused.getMessage());
    }
  }

  @Test
  void tablesAreCreatedOnDemandByManyAtOnce() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      for (int round = 0; round < 10; round++) {
        database.execute("drop table steadfast_operation, steadfast_sequence");
        List<Callable<JdbcJournal>> builds = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
          builds.add(() -> JdbcJournal.builder(database.source()).createTables().build());
        }
        for (Future<JdbcJournal> built : threads.invokeAll(builds)) {
          built.get().unknown(1);
        }
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void withoutTheOptionNoTableIsCreated() throws Exception {
    database.execute("drop table steadfast_operation, steadfast_sequence");
    try {
      JdbcJournal journal = database.journal();
      assertThrows(IOException.class, () -> journal.unknown(1));
    } finally {
      database.journal().createTables();
    }
    assertEquals("0", database.column("count(*)"));
  }
}
