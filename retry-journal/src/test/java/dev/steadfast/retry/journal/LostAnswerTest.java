package dev.steadfast.retry.journal;

import static dev.steadfast.retry.journal.TestIntents.ending;
import static dev.steadfast.retry.journal.TestIntents.intent;
import static dev.steadfast.retry.journal.TestIntents.sender;
import static dev.steadfast.retry.journal.TestIntents.terms;
import static dev.steadfast.retry.journal.TestIntents.without;
import static dev.steadfast.retry.journal.TestJournals.claim;
import static dev.steadfast.retry.journal.TestJournals.granted;
import static dev.steadfast.retry.journal.TestJournals.sent;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.engine.Evidence.Safety;
import dev.steadfast.retry.journal.JdbcJournal.Lookup;
import dev.steadfast.retry.operations.OperationJournal.Claim;
import dev.steadfast.retry.operations.OperationJournal.Intent;
import dev.steadfast.retry.operations.OperationJournal.RefusedException;
import dev.steadfast.retry.operations.OperationJournal.State;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A connection breaks before the database gets a statement, or before its answer arrives. */
class LostAnswerTest {
  private static final String INSERT = "insert into steadfast_operation";
  private static final String UPDATE = "update steadfast_operation";

  @AutoClose private static TestDatabase database;

  private LossySource lossy;
  private JdbcJournal journal;

  @BeforeAll
  static void start() throws IOException {
    database = TestDatabase.postgres();
  }

  @BeforeEach
  void empty() throws Exception {
    database.empty();
    lossy = new LossySource(database.source());
    journal = JdbcJournal.builder(lossy.source()).build();
  }

  @Test
  void aClaimThatWasWrittenIsGranted() throws Exception {
    lossy.loseAnswer(INSERT);
    Claim.Granted claim = sent(journal, intent(Safety.KEYED));
    assertTrue(lossy.isOver());
    assertFalse(claim.mayHaveActed());
    assertEquals(TestIntents.WINDOW, claim.windowLeft());
  }

  @Test
  void aClaimThatTookOverIsGrantedAsSuch() throws Exception {
    sent(journal, intent(Safety.KEYED));
    database.endLeases();
    lossy.loseAnswer(UPDATE);
    Claim.Granted claim = granted(journal, intent(Safety.KEYED));
    assertTrue(lossy.isOver());
    assertTrue(claim.mayHaveActed());
    assertTrue(claim.windowLeft().compareTo(TestIntents.WINDOW) <= 0);
  }

  @Test
  void aClaimOfAnEnlistedOneIsGrantedAsSuch() throws Exception {
    database.enlist(journal, intent(Safety.KEYED), "");
    lossy.loseAnswer(UPDATE);
    Claim.Granted claim = granted(journal, intent(Safety.KEYED));
    assertTrue(lossy.isOver());
    assertTrue(claim.delivered());
    assertFalse(claim.mayHaveActed());
  }

  @Test
  void aClaimOfAWokenOneIsGrantedAsSuchAndNotesThatItIsSent() throws Exception {
    database.enlist(journal, intent(Safety.KEYED), "");
    Wakeups wakeups = journal.wakeups((connection, names, in) -> {});
    List<Claim> claims = new ArrayList<>();
    lossy.loseAnswer(UPDATE);
    wakeups.wake(
        sender((in, due) -> {
          claims.add(in.claim(due, Duration.ofSeconds(30)));
          assertTrue(in.sending(due, (Claim.Granted) claims.get(0)));
        }),
        "operation " + database.column("id"));
    assertNotNull(database.column("first_sent_at"));
    assertNotNull(database.column("key_expires_at"));
    assertTrue(lossy.isOver());
    Claim.Granted claim = assertInstanceOf(Claim.Granted.class, claims.get(0));
    assertTrue(claim.delivered());
    assertFalse(claim.mayHaveActed());
    database.endLeases();
    assertTrue(granted(journal, intent(Safety.KEYED)).mayHaveActed());
  }

  @Test
  void aClaimThatIsNotThereIsNotGranted() throws Exception {
    lossy.loseStatement(INSERT, () -> {});
    IOException lost = assertThrows(IOException.class, () -> claim(journal, intent(Safety.KEYED)));
    assertFalse(lost instanceof RefusedException, "it may have been written");
    assertEquals("0", database.column("count(*)"));
  }

  @Test
  void theNoteBeforeTheFirstByteIsThere() throws Exception {
    Intent intent = intent(Safety.KEYED);
    Claim.Granted claim = granted(journal, intent);
    lossy.loseAnswer(UPDATE);
    assertTrue(journal.sending(intent, claim));
    assertTrue(lossy.isOver());
    assertNotNull(database.column("first_sent_at"));
  }

  @Test
  void theNoteBeforeTheFirstByteIsWrittenOnceMore() throws Exception {
    Intent intent = intent(Safety.KEYED);
    Claim.Granted claim = granted(journal, intent);
    lossy.loseStatement(UPDATE, () -> {});
    assertTrue(journal.sending(intent, claim));
    assertTrue(lossy.isOver());
    assertNotNull(database.column("first_sent_at"));
  }

  @Test
  void whoLostItsLeaseMeanwhileSendsNothing() throws Exception {
    Intent intent = intent(Safety.KEYED);
    Claim.Granted claim = granted(journal, intent);
    lossy.loseStatement(UPDATE, database::endLeases);
    assertFalse(journal.sending(intent, claim));
    assertTrue(lossy.isOver());
  }

  @ParameterizedTest
  @EnumSource(value = State.class, names = "IN_FLIGHT", mode = EnumSource.Mode.EXCLUDE)
  void anEndThatWasWrittenIsNoted(State state) throws Exception {
    Intent intent = intent(Safety.KEYED);
    Claim.Granted claim = sent(journal, intent);
    lossy.loseAnswer(UPDATE);
    assertTrue(journal.ended(intent, claim, ending(state)));
    assertTrue(lossy.isOver());
    assertEquals(state.toString(), database.state());
    assertEquals("2", database.column("attempts"), "once");
  }

  @ParameterizedTest
  @EnumSource(
      value = State.class,
      names = {"CLOSED", "READY"})
  void theEndOfADeliveryIsNoted(State state) throws Exception {
    Intent intent = intent(Safety.KEYED);
    database.enlist(journal, intent, "");
    Claim.Granted claim = sent(journal, intent);
    lossy.loseAnswer(UPDATE);
    assertTrue(journal.ended(intent, claim, without(state)));
    assertTrue(lossy.isOver());
    assertEquals("ready", database.state());
  }

  @Test
  void anEndThatWasNotWrittenIsWrittenOnceMore() throws Exception {
    Intent intent = intent(Safety.KEYED);
    Claim.Granted claim = sent(journal, intent);
    lossy.loseStatement(UPDATE, () -> {});
    assertTrue(journal.ended(intent, claim, ending(State.SUCCEEDED)));
    assertTrue(lossy.isOver());
    assertEquals("succeeded", database.state());
  }

  @Test
  void whatSomebodyElseSettledIsNotTakenForOnesOwn() throws Exception {
    Intent intent = intent(Safety.UNSAFE);
    Claim.Granted claim = sent(journal, intent);
    JdbcJournal other = database.journal();
    lossy.loseStatement(
        UPDATE,
        () -> {
          database.endLeases();
          assertTrue(other.settle(intent.id(), Lookup.APPLIED));
        });
    assertFalse(journal.ended(intent, claim, ending(State.SUCCEEDED)));
    assertTrue(lossy.isOver());
    assertEquals("1", database.column("claims"));
    assertEquals("0", database.column("attempts"));
  }

  @Test
  void whatSomebodyElseMarkedUnknownIsNotTakenForOnesOwn() throws Exception {
    Intent intent = intent(Safety.UNSAFE);
    Claim.Granted claim = sent(journal, intent);
    JdbcJournal other = database.journal();
    lossy.loseStatement(
        UPDATE,
        () -> {
          database.endLeases();
          assertInstanceOf(Claim.Unknown.class, claim(other, intent));
        });
    assertFalse(journal.ended(intent, claim, ending(State.UNKNOWN)));
    assertTrue(lossy.isOver());
  }

  @Test
  void whoeverWasFasterDecides() throws Exception {
    Intent never = intent("order-1", "5", terms(Safety.UNSAFE));
    sent(journal, never);
    database.endLeases();
    lossy.before(UPDATE, () -> database.set("row_version = row_version + 1"));
    assertInstanceOf(Claim.InFlight.class, claim(journal, never));
    assertTrue(lossy.isOver());
    assertEquals("in_flight", database.state());
  }

  @Test
  void aLossThatStaysIsReported() throws Exception {
    Intent intent = intent(Safety.KEYED);
    Claim.Granted claim = sent(journal, intent);
    database.execute("alter table steadfast_operation rename to elsewhere");
    try {
      IOException lost =
          assertThrows(
              IOException.class, () -> journal.ended(intent, claim, ending(State.SUCCEEDED)));
      assertFalse(lost instanceof RefusedException);
      assertEquals("the journal failed: SQLState 42P01", lost.getMessage());
      assertEquals(1, lost.getSuppressed().length);
    } finally {
      database.execute("alter table elsewhere rename to steadfast_operation");
    }
  }
}
