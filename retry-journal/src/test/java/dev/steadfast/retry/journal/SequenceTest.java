package dev.steadfast.retry.journal;

import static dev.steadfast.retry.journal.TestIntents.ending;
import static dev.steadfast.retry.journal.TestIntents.intent;
import static dev.steadfast.retry.journal.TestIntents.sender;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.http.Journaling;
import dev.steadfast.retry.http.Journaling.Sender;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.journal.JdbcJournal.Which;
import dev.steadfast.retry.operations.OperationJournal;
import dev.steadfast.retry.operations.OperationJournal.Claim;
import dev.steadfast.retry.operations.OperationJournal.Intent;
import dev.steadfast.retry.operations.OperationJournal.State;
import dev.steadfast.retry.postgres.PostgresServer;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

/** Sequences are sent while their database fails. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class SequenceTest {
  private static final Duration LEASE = Duration.ofMinutes(10);

  @TempDir Path directory;

  private PostgresServer server;
  @AutoClose private TestDatabase database;
  private JdbcJournal journal;

  @BeforeEach
  void start() throws Exception {
    server = PostgresServer.on(directory);
    database = TestDatabase.on(server);
    journal = database.journal();
  }

  private void enlist(String key, String sequence) throws Exception {
    database.enlist(journal, intent(key), sequence);
  }

  private static Claim.Granted send(OperationJournal in, Intent due, State end) throws IOException {
    Claim.Granted claim = assertInstanceOf(Claim.Granted.class, in.claim(due, LEASE));
    assertTrue(in.sending(due, claim));
    assertTrue(in.ended(due, claim, ending(end)));
    return claim;
  }

  @Test
  void onlyFinalEndsWithinASequenceDoNotWaitForTheDisk() throws Exception {
    database.execute(
        "create table waits (what text);"
            + " create function note() returns trigger language plpgsql as"
            + " 'begin insert into waits values (new.op_key || '' '' || new.state || '' ''"
            + " || current_setting(''synchronous_commit'')); return null; end';"
            + " create constraint trigger note after update of state on steadfast_operation"
            + " deferrable initially deferred for each row execute function note()");
    enlist("one", "account");
    enlist("two", "account");
    enlist("three", "account");
    enlist("alone", "");
    Sender sender =
        sender((in, due) ->
            send(in, due, due.id().key().equals("three") ? State.READY : State.SUCCEEDED));
    assertEquals(4, journal.resume(sender, Which.DUE, 10));
    assertEquals(
        "alone in_flight on,alone succeeded on,one in_flight on,one succeeded off,"
            + "three in_flight on,three ready on,two in_flight on,two succeeded off",
        database.query("select string_agg(what, ',' order by what) from waits"));
  }

  @Test
  void anEndThatACrashOfTheDatabaseUndoesIsNotedAgainBeforeTheNextOperationIsSent()
      throws Exception {
    database.execute(
        "alter system set wal_writer_delay = '10s'"); // it writes what nobody waits for
    server.stop();
    server.start();
    enlist("one", "account");
    enlist("two", "account");
    journal.resume(
        sender((in, due) -> {
          send(in, due, State.SUCCEEDED);
          server.stopImmediately();
          server.start();
        }),
        Which.DUE,
        10);
    assertEquals("in_flight", database.state("one"));
    assertEquals("ready", database.state("two"));

    database.endLeases();
    database.execute("update steadfast_sequence set look_at = clock_timestamp()");
    List<String> again = new ArrayList<>();
    journal.resume(
        sender((in, due) ->
            again.add(due.id().key() + " " + send(in, due, State.SUCCEEDED).mayHaveActed())),
        Which.DUE,
        10);
    assertEquals(List.of("one true", "two false"), again);
  }

  /** Its claim fails when the lock timeout is over. */
  @Test
  void oneThatSomebodyHasLockedDoesNotHoldUpTheOthers() throws Exception {
    PGSimpleDataSource impatient = new PGSimpleDataSource();
    impatient.setUrl(server.jdbcUrl() + "&options=-c%20lock_timeout=100");
    RetryingHttpClient client = DyingClient.client(impatient, true);
    JdbcJournal resuming = JdbcJournal.builder(impatient).build();
    try (ScriptedServer http = ScriptedServer.start();
        Connection person = database.source().getConnection();
        Statement statement = person.createStatement()) {
      http.defaultReply(Reply.status(201));
      database.enlist(journal, charge(client, http, "locked"), "one");
      database.enlist(journal, charge(client, http, "free"), "two");
      person.setAutoCommit(false);
      statement.execute("select from steadfast_operation where op_key = 'locked' for update");
      assertThrows(IOException.class, () -> resuming.resume(client.sender(), Which.DUE, 10));
      assertEquals(1, resuming.resume(client.sender(), Which.DUE, 10));
      person.rollback();
    }
    assertEquals("ready", database.state("locked"));
    assertEquals("succeeded", database.state("free"));
  }

  private static Journaling.Kept charge(
      RetryingHttpClient client, ScriptedServer http, String key) {
    return client
        .with(RetryOptions.builder().journaled("charge", key).build())
        .intent(DyingClient.charge(http.uri("/pay")));
  }
}
