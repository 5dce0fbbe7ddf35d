package dev.steadfast.retry.journal;

import static dev.steadfast.retry.journal.TestIntents.ending;
import static dev.steadfast.retry.journal.TestIntents.intent;
import static dev.steadfast.retry.journal.TestIntents.sender;
import static dev.steadfast.retry.journal.TestIntents.terms;
import static dev.steadfast.retry.journal.TestJournals.claim;
import static dev.steadfast.retry.journal.TestJournals.granted;
import static dev.steadfast.retry.journal.TestJournals.sent;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.engine.Evidence.Safety;
import dev.steadfast.retry.http.Journaling.Sender;
import dev.steadfast.retry.journal.JdbcJournal.Which;
import dev.steadfast.retry.operations.OperationJournal.Claim;
import dev.steadfast.retry.operations.OperationJournal.Intent;
import dev.steadfast.retry.operations.OperationJournal.State;
import dev.steadfast.retry.postgres.PostgresServer;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

/** The database of the journal dies, and its standby takes over. */
@Tag("laboratory")
@Timeout(value = 5, unit = TimeUnit.MINUTES) // statements wait for a standby that is away
class StandbyTest {
  private static final int OPERATIONS = 200;
  private static final Duration LEASE = Duration.ofMinutes(10);

  @TempDir Path directory;

  private PostgresServer primary;
  private PostgresServer standby;
  private JdbcJournal journal;

  @BeforeEach
  void start() throws Exception {
    primary = PostgresServer.on(directory.resolve("primary"));
    standby = PostgresServer.stopped(directory.resolve("standby"));
    PGSimpleDataSource either = new PGSimpleDataSource();
    either.setUrl(PostgresServer.jdbcUrl(primary, standby));
    journal = JdbcJournal.builder(either).createTables().build();
    standby.follow(primary);
  }

  @AfterEach
  void stop() {
    standby.close();
    primary.close();
  }

  private void failOver() throws IOException {
    primary.stopImmediately();
    standby.promote();
  }

  private static Intent keyless(int number) {
    return intent("order-" + number, "5", terms(Safety.UNSAFE));
  }

  @Test
  void aStandbyThatCommitsWaitForHasAllThatWasNoted() throws Exception {
    primary.waitForStandby(true);
    for (int i = 0; i < OPERATIONS; i++) {
      Claim.Granted claim = sent(journal, keyless(i));
      boolean ends = i % 2 == 0;
      assertEquals(ends, ends && journal.ended(keyless(i), claim, ending(State.SUCCEEDED)));
    }
    failOver();
    for (int i = 0; i < OPERATIONS; i++) {
      Claim known = claim(journal, keyless(i));
      assertEquals(i % 2 == 0, known instanceof Claim.Finished, i + " " + known);
      assertFalse(known instanceof Claim.Granted, i + " " + known); // in flight, or unknown
    }
  }

  /** The page of databases says so. */
  @Test
  void aStandbyThatNobodyWaitsForMayLackTheLastNotes() throws Exception {
    Intent enlisted = intent("order-1");
    enlist(enlisted);
    caughtUp();
    cutOff();
    sent(journal, keyless(2));
    sent(journal, enlisted);
    failOver();
    assertFalse(granted(journal, keyless(2)).mayHaveActed());
    List<Intent> again = new ArrayList<>();
    Sender sender =
        sender((in, due) -> {
          again.add(due);
          assertFalse(((Claim.Granted) in.claim(due, LEASE)).mayHaveActed());
        });
    assertEquals(1, journal.resume(sender, Which.DUE, 10));
    assertEquals(enlisted.sentKey(), again.get(0).sentKey());
  }

  /** A database that gives up to wait for its standby says that it has committed. */
  @Test
  void whatOnlyThePrimaryHasIsNotSent() throws Exception {
    enlist(intent("order-1"));
    primary.waitForStandby(true);
    Claim.Granted claim = (Claim.Granted) journal.claim(keyless(2), LEASE);
    standby.stop();
    statementTimeout("1s"); // instead of the journal's own, which is longer
    assertThrows(IOException.class, () -> journal.sending(keyless(2), claim));
    List<Intent> tried = new ArrayList<>();
    Sender sender =
        sender((in, due) -> {
          tried.add(due);
          assertThrows(IOException.class, () -> in.claim(due, LEASE));
        });
    journal.resume(sender, Which.DUE, 1);
    assertEquals(1, tried.size());
    statementTimeout("0");
    standby.start();
    assertTrue(journal.sending(keyless(2), claim));
  }

  /** The server gives up a statement as it does when a client asks for that. */
  private void statementTimeout(String time) throws SQLException {
    execute(primary, "alter system set statement_timeout = '" + time + "'");
    execute(primary, "select pg_reload_conf()");
  }

  private void enlist(Intent intent) throws IOException, SQLException {
    try (Connection connection = primary.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      journal.enlist(connection, intent);
      connection.commit();
    }
  }

  private void caughtUp() throws SQLException {
    execute(
        primary,
        "do 'begin while exists (select from pg_stat_replication where replay_lsn <"
            + " pg_current_wal_lsn()) loop perform pg_sleep(0.02); perform"
            + " pg_stat_clear_snapshot(); end loop; end'");
  }

  /** The standby gets nothing more. */
  private void cutOff() throws SQLException {
    execute(standby, "alter system set primary_conninfo = ''");
    execute(standby, "select pg_reload_conf()");
    execute(
        primary,
        "do 'begin while exists (select from pg_stat_replication) loop perform pg_sleep(0.02);"
            + " perform pg_stat_clear_snapshot(); end loop; end'");
  }

  private static void execute(PostgresServer server, String sql) throws SQLException {
    try (Connection connection = server.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
