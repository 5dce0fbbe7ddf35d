package dev.steadfast.retry.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.journal.JdbcJournal.Which;
import dev.steadfast.retry.operations.OperationJournal.Intent;
import dev.steadfast.retry.operations.OperationJournal.Refusal;
import dev.steadfast.retry.operations.OperationJournal.RefusedException;
import dev.steadfast.retry.operations.OperationJournal.State;
import dev.steadfast.retry.postgres.PostgresServer;
import java.io.IOException;
import java.sql.Connection;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** A journal whose database is not as it should be, and the purge that keeps it small. */
class FirstHourTest {
  private PostgresServer server;
  @AutoClose private TestDatabase database;

  @BeforeEach
  void start() throws Exception {
    server = PostgresServer.temporary();
    database = TestDatabase.on(server);
  }

  private PGSimpleDataSource source() {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(server.jdbcUrl());
    return source;
  }

  @Test
  void whoMayNotCreateTablesMayFindThem() throws Exception {
    database.execute("revoke create on schema public from public");
    database.execute("create role application login");
    database.execute(
        "grant select, insert, update, delete on steadfast_operation, steadfast_sequence"
            + " to application");
    PGSimpleDataSource own = source();
    own.setUser("application");
    JdbcJournal journal = JdbcJournal.builder(own).createTables().build();
    TestJournals.ended(journal, TestIntents.intent("order-1"), TestIntents.ending(State.SUCCEEDED));
    database.execute("drop table steadfast_operation, steadfast_sequence");
    assertThrows(java.io.IOException.class, () -> JdbcJournal.builder(own).createTables().build());
  }

  private static RefusedException refused(JdbcJournal journal, Intent intent) {
    return assertThrows(RefusedException.class, () -> TestJournals.claim(journal, intent));
  }

  @Test
  void withoutItsTableAClaimIsRefused() throws Exception {
    JdbcJournal journal = database.journal();
    database.execute("drop table steadfast_operation, steadfast_sequence");
    RefusedException refused = refused(journal, TestIntents.intent("order-1"));
    assertEquals(Refusal.UNWRITABLE, refused.refusal());
    assertTrue(refused.getMessage().contains("\"steadfast_operation\""), refused::toString);
  }

  @Test
  void withoutAColumnOnlyWhatIsBegunIsUnknown() throws Exception {
    JdbcJournal journal = database.journal();
    TestJournals.granted(journal, TestIntents.intent("order-1"));
    database.execute("alter table steadfast_operation drop column passed");
    RefusedException refused = refused(journal, TestIntents.intent("order-2"));
    assertEquals(Refusal.UNWRITABLE, refused.refusal());
    assertTrue(refused.getMessage().contains("lack a column"), refused::toString);
    assertTrue(refused.getMessage().contains("\"passed\""), refused::toString);
    assertUnknown(journal, "order-1");
  }

  // Its owner, or whoever resumes, may be about to send it.
  private static void assertUnknown(JdbcJournal journal, String key) {
    IOException unknown =
        assertThrows(IOException.class, () -> TestJournals.claim(journal, TestIntents.intent(key)));
    assertFalse(unknown instanceof RefusedException, unknown::toString);
  }

  @Test
  void inAReadOnlyDatabaseOnlyWhatIsBegunIsUnknown() throws Exception {
    JdbcJournal journal = database.journal();
    TestJournals.sent(journal, TestIntents.intent("order-1"));
    TestJournals.ended(journal, TestIntents.intent("closed"), TestIntents.without(State.CLOSED));
    database.enlist(journal, TestIntents.intent("enlisted"), "");
    database.execute("alter database postgres set default_transaction_read_only = on");
    RefusedException refused = refused(journal, TestIntents.intent("order-2"));
    assertEquals(Refusal.UNWRITABLE, refused.refusal());
    assertTrue(refused.getMessage().contains("read-only"), refused::toString);
    assertEquals(Refusal.UNWRITABLE, refused(journal, TestIntents.intent("closed")).refusal());
    assertUnknown(journal, "order-1");
    assertUnknown(journal, "enlisted");
  }

  @Test
  void sequencesWithoutAnUnfinishedOperationArePurged() throws Exception {
    JdbcJournal journal = database.journal();
    database.enlist(journal, TestIntents.intent("order-1"), "over");
    database.enlist(journal, TestIntents.intent("order-2"), "going on");
    TestJournals.ended(journal, TestIntents.intent("order-1"), TestIntents.ending(State.SUCCEEDED));
    journal.resume(TestIntents.sender((in, due) -> {}), Which.DUE, 10);
    try (Connection own = database.source().getConnection()) {
      own.setAutoCommit(false);
      assertTrue(journal.enlist(own, TestIntents.intent("order-3"), "begun just now"));
      assertEquals(0, journal.purge(Duration.ofDays(1)));
      own.commit();
    }
    assertEquals(
        "begun just now, going on",
        database.query("select string_agg(name, ', ' order by name) from steadfast_sequence"));
  }
}
