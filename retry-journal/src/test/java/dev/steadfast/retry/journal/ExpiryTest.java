package dev.steadfast.retry.journal;

import static dev.steadfast.retry.journal.TestIntents.intent;
import static dev.steadfast.retry.journal.TestIntents.sender;
import static dev.steadfast.retry.journal.TestIntents.terms;
import static dev.steadfast.retry.journal.TestJournals.sent;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.engine.Evidence.Safety;
import dev.steadfast.retry.http.Journaling.Sender;
import dev.steadfast.retry.journal.JdbcJournal.Which;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An outage may leave thousands of operations that can no longer be sent again. */
class ExpiryTest {
  private static final int OPERATIONS = 250; // more than two pages
  private static final Sender NOBODY = sender((in, due) -> {});

  @AutoClose private TestDatabase database;

  @BeforeEach
  void start() throws Exception {
    database = TestDatabase.postgres();
    JdbcJournal journal = database.journal();
    for (int i = 0; i < OPERATIONS; i++) {
      sent(journal, intent("order-" + i, "5", terms(Safety.UNSAFE)));
    }
    database.endLeases();
  }

  private String unknown() throws SQLException {
    return database.query("select count(*) from steadfast_operation where state = 'unknown'");
  }

  private static void resume(JdbcJournal journal) throws IOException, InterruptedException {
    journal.resume(NOBODY, Which.DUE, 10);
  }

  @Test
  void manyAreMarkedByOneStatement() throws Exception {
    ExplainedSource explained = new ExplainedSource(database.source());
    JdbcJournal journal = JdbcJournal.builder(explained.source()).build();
    explained.clear();
    resume(journal);
    assertEquals(Integer.toString(OPERATIONS), unknown());
    int statements = explained.plans().size();
    assertTrue(statements < OPERATIONS / 10, statements + " statements");
  }

  @Test
  void whatIsLockedIsMarkedLater() throws Exception {
    JdbcJournal journal = database.journal();
    try (Connection other = database.source().getConnection();
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("select 1 from steadfast_operation where op_key = 'order-0' for update");
      resume(journal);
      assertEquals(Integer.toString(OPERATIONS - 1), unknown());
      other.rollback();
    }
    resume(journal);
    assertEquals(Integer.toString(OPERATIONS), unknown());
  }
}
