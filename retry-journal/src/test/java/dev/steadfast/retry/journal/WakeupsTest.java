package dev.steadfast.retry.journal;

import static dev.steadfast.retry.journal.TestIntents.ending;
import static dev.steadfast.retry.journal.TestIntents.intent;
import static dev.steadfast.retry.journal.TestIntents.sender;
import static dev.steadfast.retry.journal.TestIntents.terms;
import static dev.steadfast.retry.journal.TestIntents.without;
import static dev.steadfast.retry.journal.TestIntents.withoutBody;
import static dev.steadfast.retry.journal.TestJournals.ended;
import static dev.steadfast.retry.journal.TestJournals.granted;
import static dev.steadfast.retry.journal.TestJournals.sent;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.engine.Evidence.Safety;
import dev.steadfast.retry.http.Journaling.Sender;
import dev.steadfast.retry.journal.JdbcJournal.Lookup;
import dev.steadfast.retry.operations.OperationJournal.Claim;
import dev.steadfast.retry.operations.OperationJournal.Ending;
import dev.steadfast.retry.operations.OperationJournal.Intent;
import dev.steadfast.retry.operations.OperationJournal.Refusal;
import dev.steadfast.retry.operations.OperationJournal.RefusedException;
import dev.steadfast.retry.operations.OperationJournal.State;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The wake-ups of an engine that delivers operations. */
@ParameterizedClass
@EnumSource(TestDatabase.Kind.class)
class WakeupsTest {
  @RegisterExtension private static final TestJournals JOURNALS = new TestJournals();
  private static final Duration LATER = Duration.ofMinutes(1);

  @Parameter private TestDatabase.Kind kind;

  private final Map<String, Duration> kept = new LinkedHashMap<>();
  private final List<String> sent = new ArrayList<>();
  private State outcome = State.SUCCEEDED;
  private TestDatabase database;
  private JdbcJournal journal;
  private Wakeups wakeups;
  private Connection own; // a transaction of the caller's

  private final Sender sender =
      sender((in, due) -> {
        Claim claim = in.claim(due, Duration.ofSeconds(30));
        if (!(claim instanceof Claim.Granted granted)) {
          throw new RefusedException(Refusal.IN_FLIGHT, claim.toString(), null);
        }
        sent.add(due.id().key());
        assertTrue(in.sending(due, granted));
        assertTrue(in.ended(due, granted, new Ending(outcome, null, 1, LATER)));
      });

  @BeforeEach
  void begin() throws Exception {
    database = JOURNALS.emptied(kind);
    journal = database.journal();
    wakeups = journal.wakeups((connection, names, in) -> names.forEach(name -> kept.put(name, in)));
    own = database.source().getConnection();
    own.setAutoCommit(false);
  }

  @AfterEach
  void end() throws SQLException {
    own.rollback();
    own.close();
  }

  private String enlisted(Intent intent) throws Exception {
    assertTrue(wakeups.enlist(own, intent, null));
    own.commit();
    return kept.keySet().iterator().next();
  }

  private void enlisted(String... keys) throws Exception {
    for (String key : keys) {
      assertTrue(wakeups.enlist(own, intent(key), "payments"));
    }
    own.commit();
  }

  private Optional<Duration> wake(String wakeup) throws Exception {
    return wakeups.wake(sender, wakeup);
  }

  @Test
  void anOperationIsSentAndNeedsItsWakeupNoMore() throws Exception {
    String wakeup = enlisted(intent("order-1"));
    assertEquals("operation " + database.column("id"), wakeup);
    assertEquals(Duration.ZERO, kept.get(wakeup));
    assertEquals(Optional.empty(), wake(wakeup));
    assertEquals(Optional.empty(), wake(wakeup), "again");
    assertEquals(List.of("order-1"), sent);
  }

  @Test
  void whatIsEnlistedAlreadyGetsNoOtherWakeup() throws Exception {
    enlisted(intent("order-1"));
    kept.clear();
    assertFalse(wakeups.enlist(own, intent("order-1"), null));
    assertEquals(Map.of(), kept);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void withoutItsWakeupNothingIsEnlisted(boolean unchecked) throws Exception {
    SQLException full = new SQLException("full");
    IllegalStateException broken = new IllegalStateException("broken");
    Wakeups failing =
        journal.wakeups((connection, names, in) -> {
          if (unchecked) {
            throw broken;
          }
          throw full;
        });
    Exception thrown =
        assertThrows(Exception.class, () -> failing.enlist(own, intent("order-1"), "payments"));
    assertSame(unchecked ? broken : full, thrown);
    own.commit();
    assertEquals("0", database.column("count(*)"));
    assertEquals("0", database.query("select count(*) from steadfast_sequence"));
  }

  @Test
  void anotherRequestIsRefusedAndTheTransactionGoesOn() throws Exception {
    enlisted("order-1");
    Intent other = intent("order-1", "6", terms(Safety.KEYED));
    assertThrows(RefusedException.class, () -> wakeups.enlist(own, other, null));
    enlisted("order-2");
  }

  @Test
  void itComesAgainWhenTheJournalSaysSo() throws Exception {
    String wakeup = enlisted(intent("order-1"));
    outcome = State.READY;
    Duration again = wake(wakeup).orElseThrow();
    assertTrue(again.toMillis() > 0 && again.compareTo(LATER.multipliedBy(2)) < 0, again::toString);
    database.set("due_at = " + in("1", "HOUR"));
    again = wake(wakeup).orElseThrow();
    assertTrue(
        again.toMinutes() >= 59 && again.compareTo(Duration.ofHours(1)) <= 0, again::toString);
    assertEquals(1, sent.size());
    database.set("due_at = current_timestamp");
    outcome = State.FAILED;
    assertEquals(Optional.empty(), wake(wakeup));
    assertEquals(2, sent.size());
  }

  private String in(String number, String unit) {
    return kind == TestDatabase.Kind.H2
        ? "dateadd('" + unit + "', " + number + ", current_timestamp)"
        : "clock_timestamp() + " + number + " * interval '1 " + unit + "'";
  }

  @Test
  void whileSomebodyWorksOnItNothingIsSent() throws Exception {
    String wakeup = enlisted(intent("order-1"));
    Claim.Granted claim = sent(journal, intent("order-1"));
    assertEquals(Optional.of(Duration.ofSeconds(5)), wake(wakeup));
    database.set("lease_until = " + in("4", "SECOND"));
    Duration again = wake(wakeup).orElseThrow();
    assertTrue(again.toMillis() > 0 && again.toMillis() <= 4_000, again::toString);
    assertTrue(journal.ended(intent("order-1"), claim, ending(State.SUCCEEDED)));
    assertEquals(Optional.empty(), wake(wakeup));
    assertEquals(List.of(), sent);
  }

  @Test
  void whoeverIsFasterDecides() throws Exception {
    String wakeup = enlisted(intent("order-1"));
    Sender late =
        sender((in, due) -> {
          granted(journal, due);
          sender.send(in, due);
        });
    assertEquals(Optional.of(Duration.ofSeconds(5)), wakeups.wake(late, wakeup));
    assertEquals(List.of(), sent);
  }

  @Test
  void whatItsCallerOwnsIsLeftToIt() throws Exception {
    ended(journal, intent("told"), without(State.READY));
    sent(journal, withoutBody("bodiless", terms(Safety.KEYED)));
    granted(journal, intent("unsendable", "5", terms(Safety.UNSAFE)));
    ended(journal, intent("closed"), without(State.CLOSED));
    wakeups.sweep();
    assertEquals(Map.of(), kept, "leases are not over");
    database.endLeases();
    wakeups.sweep();
    assertEquals(List.of("unsendable"), keysOf(kept.keySet().stream().toList()));
    for (String key : List.of("told", "bodiless", "closed")) {
      assertEquals(Optional.empty(), wake("operation " + database.column("id", key)));
    }
    assertEquals(List.of(), sent);
  }

  private List<String> keysOf(List<String> names) throws SQLException {
    List<String> keys = new ArrayList<>();
    for (String name : names) {
      String id = name.substring("operation ".length());
      keys.add(database.query("select op_key from steadfast_operation where id = " + id));
    }
    return keys;
  }

  @Test
  void whatItsOwnerLeftIsSentUnlessThatIsNotSafe() throws Exception {
    sent(journal, intent("keyed"));
    sent(journal, intent("keyless", "5", terms(Safety.UNSAFE)));
    database.endLeases();
    String keyless = "operation " + database.column("id", "keyless");
    assertEquals(Optional.empty(), wake(keyless));
    assertEquals("unknown", database.state("keyless"));
    wakeups.sweep();
    assertEquals(1, kept.size());
    assertEquals(Optional.empty(), wake(kept.keySet().iterator().next()));
    assertEquals(List.of("keyed"), sent);
  }

  @Test
  void whoDiesWhileItSendsMayHaveSent() throws Exception {
    String wakeup = enlisted(intent("order-1", "5", terms(Safety.UNSAFE)));
    Sender dying =
        sender((in, due) -> {
          Claim.Granted claim = (Claim.Granted) in.claim(due, Duration.ofSeconds(30));
          assertTrue(in.sending(due, claim));
        });
    assertEquals(Optional.of(Duration.ofSeconds(5)), wakeups.wake(dying, wakeup));
    database.endLeases();
    assertEquals(Optional.empty(), wake(wakeup));
    assertEquals("unknown", database.state());
    assertEquals(List.of(), sent);
  }

  @Test
  void whatChangedSinceItWasReadIsNotClaimed() throws Exception {
    String wakeup = enlisted(intent("order-1"));
    Sender late =
        sender((in, due) -> {
          Claim.Granted faster = granted(journal, due);
          assertInstanceOf(Claim.InFlight.class, in.claim(due, Duration.ofSeconds(30)));
          assertTrue(journal.ended(due, faster, ending(State.SUCCEEDED)));
          assertInstanceOf(Claim.Finished.class, in.claim(due, Duration.ofSeconds(30)));
        });
    assertEquals(Optional.empty(), wakeups.wake(late, wakeup));
  }

  @Test
  void aSweepMarksWhatCannotBeSentAgain() throws Exception {
    sent(journal, intent("order-1"));
    database.endLeases();
    database.endWindows();
    wakeups.sweep();
    assertEquals("unknown", database.state());
    assertEquals(Map.of(), kept);
  }

  @Test
  void aSequenceHasOneWakeupAndIsSentInItsOrder() throws Exception {
    enlisted("order-1", "order-2", "order-3");
    assertEquals(Map.of("sequence payments", Duration.ZERO), kept);
    kept.clear();
    wakeups.sweep();
    assertEquals(Map.of("sequence payments", Duration.ZERO), kept);
    assertEquals(Optional.empty(), wake("sequence payments"));
    assertEquals(List.of("order-1", "order-2", "order-3"), sent);
  }

  @Test
  void theFirstOfASequenceDecidesWhenItComesAgain() throws Exception {
    enlisted("order-1", "order-2");
    outcome = State.READY;
    assertTrue(wake("sequence payments").orElseThrow().toMillis() > 0);
    assertEquals(List.of("order-1"), sent);
    kept.clear();
    wakeups.sweep();
    assertEquals(Map.of(), kept, "nothing is due");
  }

  @Test
  void anUnknownOneHoldsItsSequence() throws Exception {
    enlisted("order-1", "order-2");
    outcome = State.UNKNOWN;
    assertEquals(Optional.of(LATER), wake("sequence payments"));
    assertEquals(Optional.of(LATER), wake("sequence payments"));
    assertEquals(List.of("order-1"), sent);
    assertTrue(journal.settle(TestIntents.id("order-1"), Lookup.APPLIED));
    outcome = State.SUCCEEDED;
    assertEquals(Optional.empty(), wake("sequence payments"));
    assertEquals(List.of("order-1", "order-2"), sent);
  }

  @Test
  void aLongSequenceLetsOthersHaveTheirTurn() throws Exception {
    for (int i = 0; i < 25; i++) {
      enlisted("order-" + i);
    }
    assertEquals(Optional.of(Duration.ZERO), wake("sequence payments"));
    assertEquals(20, sent.size());
    assertEquals(Optional.empty(), wake("sequence payments"));
    assertEquals(25, sent.size());
  }

  @Test
  void whatIsEnlistedWhileAWakeupIsRemovedKeepsIt() throws Exception {
    enlisted("order-1");
    assertEquals(Optional.empty(), wake("sequence payments"));
    kept.clear();
    wakeups.removed("sequence payments");
    assertEquals(Map.of(), kept);
    assertTrue(wakeups.enlist(own, intent("order-2"), "payments"));
    kept.clear();
    wakeups.removed("sequence payments");
    assertEquals(Map.of("sequence payments", Duration.ofSeconds(1)), kept);
    own.commit();
    wakeups.removed("sequence payments");
    assertEquals(Map.of("sequence payments", Duration.ZERO), kept);
    wakeups.removed("operation 1");
  }

  @Test
  void whatCannotBeReadOrSentIsTriedAgainLater() throws Exception {
    String wakeup = enlisted(intent("order-1"));
    Sender broken =
        sender((in, due) -> {
          throw new IllegalArgumentException("no such scheme");
        });
    assertEquals(Optional.of(LATER), wakeups.wake(broken, wakeup));
    database.set("uri = 'no uri \\'");
    assertEquals(Optional.of(LATER), wake(wakeup));
    assertEquals("1", database.column("count(*)"));
    assertEquals(List.of(), sent);
  }

  @Test
  void whatIsNotThereNeedsNoWakeup() throws Exception {
    assertEquals(Optional.empty(), wake("operation 4711"));
    assertEquals(Optional.empty(), wake("sequence nobody knows"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "operation", "operation x", "4711"})
  void otherNamesAreRefused(String name) {
    String message = "wakeup: " + name + " (expected: one that a journal gave)";
    assertEquals(
        message, assertThrows(IllegalArgumentException.class, () -> wake(name)).getMessage());
    assertThrows(IllegalArgumentException.class, () -> wakeups.removed(name));
  }
}
