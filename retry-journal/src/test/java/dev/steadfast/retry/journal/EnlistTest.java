package dev.steadfast.retry.journal;

import static dev.steadfast.retry.journal.TestIntents.ending;
import static dev.steadfast.retry.journal.TestIntents.intent;
import static dev.steadfast.retry.journal.TestIntents.sender;
import static dev.steadfast.retry.journal.TestIntents.terms;
import static dev.steadfast.retry.journal.TestIntents.without;
import static dev.steadfast.retry.journal.TestJournals.claim;
import static dev.steadfast.retry.journal.TestJournals.ended;
import static dev.steadfast.retry.journal.TestJournals.granted;
import static dev.steadfast.retry.journal.TestJournals.sent;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.engine.Evidence.Safety;
import dev.steadfast.retry.journal.JdbcJournal.Lookup;
import dev.steadfast.retry.journal.JdbcJournal.Which;
import dev.steadfast.retry.operations.OperationJournal.Claim;
import dev.steadfast.retry.operations.OperationJournal.Ending;
import dev.steadfast.retry.operations.OperationJournal.Intent;
import dev.steadfast.retry.operations.OperationJournal.Refusal;
import dev.steadfast.retry.operations.OperationJournal.RefusedException;
import dev.steadfast.retry.operations.OperationJournal.State;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Operations that are written in the caller's transaction and delivered after its commit. */
@ParameterizedClass
@EnumSource(TestDatabase.Kind.class)
class EnlistTest {
  @RegisterExtension private static final TestJournals JOURNALS = new TestJournals();

  @Parameter private TestDatabase.Kind kind;

  private TestDatabase database;
  private JdbcJournal journal;
  private Connection own; // a transaction of the caller's

  @BeforeEach
  void begin() throws Exception {
    database = JOURNALS.emptied(kind);
    database.execute("create table if not exists orders (id varchar(20) primary key)");
    database.execute("delete from orders");
    journal = database.journal();
    own = transaction();
  }

  @AfterEach
  void end() throws SQLException {
    own.rollback();
    own.close();
  }

  private Connection transaction() throws SQLException {
    Connection connection = database.source().getConnection();
    connection.setAutoCommit(false);
    return connection;
  }

  private void order(String id) throws SQLException {
    try (Statement statement = own.createStatement()) {
      statement.execute("insert into orders (id) values ('" + id + "')");
    }
  }

  private void committed(Intent intent, String sequence) throws Exception {
    assertTrue(journal.enlist(own, intent, sequence));
    own.commit();
  }

  private List<String> due() throws Exception {
    List<String> keys = new ArrayList<>();
    journal.resume(sender((in, due) -> keys.add(due.id().key())), Which.DUE_AND_UNSETTLED, 100);
    Collections.sort(keys); // sequences come in no particular order
    return keys;
  }

  @Test
  void whatWasCalledAndIsNotFinishedIsRefused() throws Exception {
    Intent called = intent("order-1");
    granted(journal, called);
    RefusedException refused =
        assertThrows(RefusedException.class, () -> journal.enlist(own, called));
    assertEquals(Refusal.IN_FLIGHT, refused.refusal());
    order("order-1"); // the caller's transaction goes on
    own.commit();
  }

  @Test
  void itIsThereIfAndOnlyIfTheCallerCommits() throws Exception {
    assertTrue(journal.enlist(own, intent("order-1")));
    own.rollback();
    assertEquals(List.of(), due());
    order("order-1");
    assertTrue(journal.enlist(own, intent("order-1")));
    assertEquals(List.of(), due());
    own.commit();
    assertEquals(List.of("order-1"), due());
    Claim.Granted claim = sent(journal, intent("order-1"));
    assertTrue(claim.delivered());
    assertFalse(claim.mayHaveActed());
    assertTrue(journal.ended(intent("order-1"), claim, ending(State.SUCCEEDED)));
    assertEquals(List.of(), due());
  }

  @Test
  void theSameOneAgainChangesNothing() throws Exception {
    committed(intent("order-1"), "payments");
    order("order-1");
    assertFalse(journal.enlist(own, intent("order-1")));
    assertFalse(journal.enlist(own, intent("order-1"), "payments"));
    own.commit();
    assertEquals("1", database.query("select count(*) from orders"));
    assertEquals("1", database.column("count(*)"));
    assertEquals("1", database.query("select last_number from steadfast_sequence"));
  }

  @Test
  void anotherRequestIsRefusedAndTheTransactionGoesOn() throws Exception {
    committed(intent("order-1"), "payments");
    order("order-1");
    Intent other = intent("order-1", "6", terms(Safety.KEYED));
    RefusedException refused =
        assertThrows(RefusedException.class, () -> journal.enlist(own, other, "payments"));
    assertEquals(Refusal.OTHER_REQUEST, refused.refusal());
    assertFalse(refused.getMessage().contains(TestIntents.SECRET), refused.getMessage());
    assertFalse(refused.getMessage().contains("order-1"), refused.getMessage());
    own.commit();
    assertEquals("1", database.query("select count(*) from orders"));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aLockThatSomebodyElseHoldsEndsTheWaitAndNotTheTransaction(boolean sequence)
      throws Exception {
    String lockTimeout = lockTimeout(own);
    try (Connection other = transaction()) {
      assertTrue(journal.enlist(other, intent("order-1"), "payments"));
      order("order-1");
      String key = sequence ? "order-2" : "order-1";
      assertThrows(
          SQLException.class, () -> journal.enlist(own, intent(key), sequence ? "payments" : "x"));
      assertEquals(lockTimeout, lockTimeout(own));
      other.rollback();
    }
    assertTrue(journal.enlist(own, intent("order-1"), "payments"));
    assertEquals(lockTimeout, lockTimeout(own));
    own.commit();
    assertEquals("1", database.query("select count(*) from orders"));
    assertEquals(List.of("order-1"), due());
  }

  private String lockTimeout(Connection connection) throws SQLException {
    String sql = kind == TestDatabase.Kind.H2 ? "select lock_timeout()" : "show lock_timeout";
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getString(1);
    }
  }

  @Test
  void whatWasToldNeverSentCanBeEnlisted() throws Exception {
    ended(journal, intent("order-1", "4", terms(Safety.UNSAFE)), without(State.CLOSED));
    assertEquals(List.of(), due());
    committed(intent("order-1"), "payments");
    assertEquals(List.of("order-1"), due());
    assertEquals("1", database.column("sequence_number"));
    assertTrue(granted(journal, intent("order-1")).delivered());
  }

  @Test
  void aDeliveryThatFailedIsDueAgainLater() throws Exception {
    committed(intent("order-1"), "payments");
    Intent intent = intent("order-1");
    ended(journal, intent, without(State.READY));
    assertEquals("ready", database.state());
    assertDelay(1, 1.5);
    ended(journal, intent, without(State.READY));
    assertDelay(2, 3);
    database.set("claims = 30");
    ended(journal, intent, without(State.READY));
    assertDelay(300, 450);
    ended(journal, intent, new Ending(State.READY, null, 1, Duration.ofSeconds(42)));
    assertDelay(42, 46.2);
    assertEquals(List.of(), due());
    database.set("due_at = current_timestamp");
    assertEquals(List.of("order-1"), due());
    Claim.Granted claim = granted(journal, intent);
    assertTrue(claim.mayHaveActed());
    assertTrue(claim.delivered());
  }

  // One statement sets both times, but it reads the clock twice.
  private void assertDelay(double least, double most) throws SQLException {
    Duration delay = Duration.between(database.time("ended_at"), database.time("due_at"));
    double seconds = delay.toMillis() / 1e3;
    assertTrue(seconds > least - 0.5 && seconds < most + 0.5, delay::toString);
  }

  @Test
  void aDeliveryOfWhichNothingHappenedBeginsAnew() throws Exception {
    Intent intent = intent("order-1", "5", terms(Safety.UNSAFE));
    committed(intent, "payments");
    ended(journal, intent, without(State.CLOSED));
    assertEquals("ready", database.state());
    assertNotNull(database.column("due_at"));
    assertNull(database.column("first_sent_at"));
    database.set("due_at = current_timestamp");
    assertEquals(List.of("order-1"), due());
    assertFalse(granted(journal, intent).mayHaveActed());
  }

  @Test
  void callingItWithoutItsBodyKeepsTheBody() throws Exception {
    committed(intent("order-1"), "payments");
    granted(journal, TestIntents.withoutBody("order-1", terms(Safety.KEYED)));
    database.endLeases();
    assertEquals(List.of("order-1"), due());
  }

  @Test
  void aSequenceIsSentInItsOrder() throws Exception {
    for (int i = 1; i <= 3; i++) {
      assertTrue(journal.enlist(own, intent("order-" + i), "payments"));
    }
    assertTrue(journal.enlist(own, intent("order-9"), "others"));
    own.commit();
    assertEquals(List.of("order-1", "order-9"), due());
    assertInstanceOf(Claim.InFlight.class, claim(journal, intent("order-2")));
    assertEquals("ready", database.state("order-2"));

    Claim.Granted first = sent(journal, intent("order-1"));
    assertEquals(List.of("order-9"), due());
    assertTrue(journal.ended(intent("order-1"), first, without(State.READY)));
    database.set("due_at = due_at + interval '1' hour", "order-1");
    assertEquals(List.of("order-9"), due(), "the first one waits for its time");
    ended(journal, intent("order-1"), ending(State.FAILED));
    assertEquals(List.of("order-2", "order-9"), due());
    assertInstanceOf(Claim.InFlight.class, claim(journal, intent("order-3")));
  }

  @Test
  void anUnknownOneHoldsItsSequenceUntilItIsSettled() throws Exception {
    assertTrue(journal.enlist(own, intent("order-1", "5", terms(Safety.UNSAFE)), "payments"));
    assertTrue(journal.enlist(own, intent("order-2"), "payments"));
    own.commit();
    ended(journal, intent("order-1", "5", terms(Safety.UNSAFE)), ending(State.UNKNOWN));
    assertEquals(List.of(), due());
    assertInstanceOf(Claim.InFlight.class, claim(journal, intent("order-2")));
    assertTrue(journal.settle(TestIntents.id("order-1"), Lookup.NOT_APPLIED_AND_FENCED));
    assertEquals(List.of("order-2"), due());
    granted(journal, intent("order-2"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "uri = 'no uri \\'",
        "headers = 'none'",
        "repeatable = 'perhaps'",
        "key_line = null"
      })
  void aCorruptOneHoldsItsSequenceUntilItIsSettled(String change) throws Exception {
    assertTrue(journal.enlist(own, intent("order-1"), "payments"));
    assertTrue(journal.enlist(own, intent("order-2"), "payments"));
    own.commit();
    assertFalse(journal.settle(TestIntents.id("order-1"), Lookup.APPLIED), "it can be sent");
    database.set(change, "order-1");
    assertEquals(List.of(), due());
    assertInstanceOf(Claim.InFlight.class, claim(journal, intent("order-2")));
    assertTrue(journal.settle(TestIntents.id("order-1"), Lookup.NOT_APPLIED_AND_FENCED));
    assertEquals("failed", database.state("order-1"));
    assertFalse(journal.settle(TestIntents.id("order-1"), Lookup.APPLIED), "once");
    assertEquals(List.of("order-2"), due());
    granted(journal, intent("order-2"));
  }

  @Test
  void aCorruptOneThatSomebodyWorksOnIsNotSettled() throws Exception {
    committed(intent("order-1"), "payments");
    sent(journal, intent("order-1"));
    database.set("headers = 'none'");
    assertFalse(journal.settle(TestIntents.id("order-1"), Lookup.APPLIED));
    database.endLeases();
    assertTrue(journal.settle(TestIntents.id("order-1"), Lookup.APPLIED));
  }

  @Test
  void numbersFollowTheOrderOfTheCommits() throws Exception {
    committed(intent("order-0"), "payments");
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (Connection other = transaction()) {
      assertTrue(journal.enlist(own, intent("order-1"), "payments"));
      Future<Boolean> second =
          thread.submit(() -> journal.enlist(other, intent("order-2"), "payments"));
      own.commit();
      assertTrue(second.get());
      other.commit();
    } finally {
      thread.shutdownNow();
    }
    assertEquals("2", database.column("sequence_number", "order-1"));
    assertEquals("3", database.column("sequence_number", "order-2"));
  }

  @Test
  void whatCannotBeEnlistedIsRefused() throws Exception {
    assertEquals(
        "sequence: 0 characters (expected: 1 to 100, without NUL)", refusal(intent("a"), ""));
    assertEquals(
        "sequence: 101 characters (expected: 1 to 100, without NUL)",
        refusal(intent("a"), "x".repeat(101)));
    assertEquals(
        "enlisted request body: not kept (expected: one that the journal keeps)",
        refusal(TestIntents.withoutBody("a", terms(Safety.KEYED)), "x"));
    own.setAutoCommit(true);
    assertEquals(
        "connection: in auto-commit mode (expected: within a transaction of the caller)",
        refusal(intent("a"), "x"));
    own.setAutoCommit(false);
  }

  private String refusal(Intent intent, String sequence) {
    return assertThrows(IllegalArgumentException.class, () -> journal.enlist(own, intent, sequence))
        .getMessage();
  }
}
