package dev.steadfast.retry.journal;

import static dev.steadfast.retry.journal.TestIntents.intent;
import static dev.steadfast.retry.journal.TestIntents.sender;
import static dev.steadfast.retry.journal.TestIntents.terms;
import static dev.steadfast.retry.journal.TestIntents.without;
import static dev.steadfast.retry.journal.TestIntents.withoutBody;
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
import dev.steadfast.retry.http.Journaling.Sender;
import dev.steadfast.retry.journal.JdbcJournal.Lookup;
import dev.steadfast.retry.journal.JdbcJournal.Which;
import dev.steadfast.retry.journal.Oversight.Decision;
import dev.steadfast.retry.operations.OperationJournal;
import dev.steadfast.retry.operations.OperationJournal.Claim;
import dev.steadfast.retry.operations.OperationJournal.Ending;
import dev.steadfast.retry.operations.OperationJournal.Intent;
import dev.steadfast.retry.operations.OperationJournal.Refusal;
import dev.steadfast.retry.operations.OperationJournal.RefusedException;
import dev.steadfast.retry.operations.OperationJournal.State;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Deliveries that do not succeed: their end, and what a person sees and does about it. */
@ParameterizedClass
@EnumSource(TestDatabase.Kind.class)
class OversightTest {
  @RegisterExtension private static final TestJournals JOURNALS = new TestJournals();

  @Parameter private TestDatabase.Kind kind;

  private final List<OperationJournal.Id> told = new ArrayList<>();
  private final List<String> seen = new ArrayList<>();
  private Ending outcome = new Ending(State.READY, null, 1, null);
  private TestDatabase database;
  private final AtomicLong nanos = new AtomicLong();
  private JdbcJournal journal;
  private Oversight oversight;

  // Sends, with the outcome that the test wants.
  private Sender sender =
      sender((in, due) -> {
        if (in.claim(due, Duration.ofSeconds(30)) instanceof Claim.Granted granted) {
          seen.add(due.id().key());
          assertTrue(in.sending(due, granted));
          assertTrue(in.ended(due, granted, outcome));
        }
      });

  @BeforeEach
  void begin() throws Exception {
    database = JOURNALS.emptied(kind);
    with(Deliveries.defaults().withMost(2));
  }

  private void with(Deliveries deliveries) throws Exception {
    journal =
        JdbcJournal.builder(database.source())
            .ticker(nanos::get)
            .deliveries(deliveries.telling(told::add))
            .build();
    oversight = journal.oversight();
  }

  private void enlist(Intent intent, String sequence) throws Exception {
    database.enlist(journal, intent, sequence);
  }

  private void deliver(int times) throws Exception {
    for (int i = 0; i < times; i++) {
      nanos.addAndGet(Duration.ofMinutes(2).toNanos()); // after the pauses of its origin
      database.set("due_at = current_timestamp where state = 'ready' and due_at is not null");
      journal.resume(sender, Which.DUE, 100);
    }
  }

  private OperationJournal.Id id(String key) {
    return TestIntents.id(key);
  }

  private State state(String key) throws Exception {
    return oversight.find(id(key)).orElseThrow().state();
  }

  private void assertParkedAndTold(boolean inSequence) throws Exception {
    enlist(intent("order-1"), inSequence ? "account" : "");
    for (int i = 0; i < 5; i++) {
      database.execute("update steadfast_sequence set look_at = current_timestamp");
      deliver(1);
    }
    assertEquals(List.of("order-1", "order-1"), seen);
    assertEquals(State.PARKED, state("order-1"));
    assertEquals(List.of(id("order-1")), told);
  }

  @Test
  void whatFailsTooOftenIsParkedAndToldOnce() throws Exception {
    enlist(intent("order-1"), "");
    deliver(5);
    assertEquals(List.of("order-1", "order-1"), seen);
    assertEquals(State.PARKED, state("order-1"));
    assertEquals(List.of(id("order-1")), told);
    Oversight.Entry parked = oversight.parked(10, null).get(0);
    assertEquals(2, parked.deliveries());
    assertEquals("POST https://bank.example:443/pay", parked.target());
    assertEquals(List.of(), oversight.parked(10, parked.position()));
  }

  /** It counts although nothing was sent, or it would be tried for ever. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatTheClientNeverSendsIsParkedAndToldOnce(boolean inSequence) throws Exception {
    sender =
        sender((in, due) -> {
          seen.add(due.id().key());
          throw new IllegalArgumentException("a header that this client does not take");
        });
    assertParkedAndTold(inSequence);
    assertEquals(Decision.DONE, oversight.cancel(id("order-1")), "it was never sent");
  }

  /** A client with a journal of its own may do so, without asking this one. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void soIsWhatTheClientRefusesEachTime(boolean inSequence) throws Exception {
    sender =
        sender((in, due) -> {
          seen.add(due.id().key());
          throw new RefusedException(Refusal.IN_FLIGHT, "it always says so", null);
        });
    assertParkedAndTold(inSequence);
  }

  /** A class is missing for one operation: the others are sent. */
  @Test
  void soIsOneWhoseClientThrowsAnError() throws Exception {
    Sender healthy = sender;
    sender =
        sender((in, due) -> {
          if (due.id().key().equals("order-1")) {
            throw new NoClassDefFoundError("of a converter");
          }
          healthy.send(in, due);
        });
    outcome = without(State.SUCCEEDED);
    enlist(intent("order-1"), "");
    enlist(intent("order-2"), "");
    deliver(5);
    assertEquals(State.PARKED, state("order-1"));
    assertEquals(State.SUCCEEDED, state("order-2"));
  }

  /** An interceptor throws: the operation was claimed, and its end is noted. */
  @Test
  void soIsWhatTheClientClaimsAndNeverSends() throws Exception {
    outcome = new Ending(State.CLOSED, null, 0, null);
    Sender claims = sender;
    sender =
        sender((in, due) -> {
          claims.send(in, due);
          throw new IllegalStateException("an interceptor is broken");
        });
    enlist(intent("order-1"), "");
    deliver(5);
    assertEquals(List.of("order-1", "order-1"), seen);
    assertEquals(State.PARKED, state("order-1"));
    assertEquals(List.of(id("order-1")), told);
  }

  @Test
  void whatIsTooOldIsParked() throws Exception {
    with(Deliveries.defaults().withMostAge(Duration.ofHours(1)));
    enlist(intent("order-1"), "");
    deliver(1);
    database.set("delivering_since = delivering_since - interval '2' hour");
    deliver(1);
    assertEquals(State.PARKED, state("order-1"));
    assertEquals(List.of("order-1"), seen);
  }

  @Test
  void anOutageParksNothing() throws Exception {
    with(Deliveries.defaults().withMost(2).withMostAge(Duration.ofHours(1)));
    enlist(intent("order-1"), "");
    outcome = new Ending(State.CLOSED, null, 1, null); // no connection
    deliver(4);
    outcome = new Ending(State.READY, null, 0, null); // held back by a guard
    deliver(4);
    database.set("delivering_since = delivering_since - interval '2' hour");
    outcome = without(State.SUCCEEDED);
    deliver(1);
    assertEquals(State.SUCCEEDED, state("order-1"));
    assertEquals(List.of(), told);
  }

  @Test
  void aListenerThatFailsStopsNothing() throws Exception {
    journal =
        JdbcJournal.builder(database.source())
            .ticker(nanos::get)
            .deliveries(
                Deliveries.defaults()
                    .withMost(1)
                    .telling(parked -> {
                      throw new AssertionError("broken");
                    }))
            .build();
    enlist(intent("order-1"), "");
    enlist(intent("order-2"), "");
    deliver(2);
    assertEquals(
        "2", database.query("select count(*) from steadfast_operation where state = 'parked'"));
  }

  @Test
  void aParkedOneHoldsItsSequence() throws Exception {
    enlist(intent("order-1"), "payments");
    enlist(intent("order-2"), "payments");
    deliver(3);
    outcome = without(State.SUCCEEDED);
    deliver(2);
    assertEquals(State.PARKED, state("order-1"));
    assertEquals(State.READY, state("order-2"));
    assertInstanceOf(Claim.InFlight.class, claim(journal, intent("order-2")));
    assertEquals(Decision.DONE, oversight.resume(id("order-1"), false));
    deliver(1);
    assertEquals(State.SUCCEEDED, state("order-1"));
    assertEquals(State.SUCCEEDED, state("order-2"));
  }

  @Test
  void aParkedOneThatWasPassedIsResumedByForceAlone() throws Exception {
    with(Deliveries.defaults().withMost(2).passingParked());
    enlist(intent("order-1"), "payments");
    enlist(intent("order-2"), "payments");
    deliver(3);
    outcome = without(State.SUCCEEDED);
    deliver(1);
    assertEquals(State.SUCCEEDED, state("order-2"));
    assertEquals(Decision.PASSED, oversight.resume(id("order-1"), false));
    assertEquals(Decision.DONE, oversight.resume(id("order-1"), true));
    assertEquals(Decision.DONE, oversight.park(id("order-1")), "by a person");
    assertEquals(Decision.PASSED, oversight.resume(id("order-1"), false));
    assertEquals(Decision.DONE, oversight.resume(id("order-1"), true));
    deliver(1);
    assertEquals(State.SUCCEEDED, state("order-1"));
  }

  @Test
  void resumingBeginsTheBoundsAnewWithinTheTimeOfTheKey() throws Exception {
    enlist(intent("order-1"), "");
    deliver(3);
    assertEquals(Decision.DONE, oversight.resume(id("order-1"), false));
    deliver(3);
    assertEquals(4, seen.size());
    assertEquals(State.PARKED, state("order-1"));
    database.endWindows();
    assertEquals(Decision.KEY_EXPIRED, oversight.resume(id("order-1"), true));
    assertEquals(Decision.MAY_HAVE_ACTED, oversight.cancel(id("order-1")));
    assertTrue(journal.settle(id("order-1"), Lookup.APPLIED));
    assertEquals(Decision.NOTHING_TO_DO, oversight.resume(id("order-1"), true));
  }

  @Test
  void theSameCallOfAParkedOneIsRefused() throws Exception {
    enlist(intent("order-1"), "");
    assertEquals(Decision.DONE, oversight.park(id("order-1")));
    assertEquals(Decision.NOTHING_TO_DO, oversight.park(id("order-1")));
    assertEquals(new Claim.Stopped(State.PARKED), claim(journal, intent("order-1")));
    deliver(1);
    assertEquals(List.of(), seen);
    assertEquals(Decision.DONE, oversight.cancel(id("order-1")), "it was never sent");
  }

  @Test
  void cancelledIsFinal() throws Exception {
    Intent intent = intent("order-1");
    enlist(intent, "payments");
    enlist(intent("order-2"), "payments");
    assertEquals(Decision.DONE, oversight.cancel(intent.id()));
    assertEquals(new Claim.Stopped(State.CANCELLED), claim(journal, intent));
    assertEquals(Decision.NOTHING_TO_DO, oversight.cancel(intent.id()));
    assertEquals(Decision.NOTHING_TO_DO, oversight.resume(intent.id(), true));
    assertFalse(journal.settle(intent.id(), Lookup.APPLIED));
    try (Connection own = database.source().getConnection()) {
      own.setAutoCommit(false);
      RefusedException refused =
          assertThrows(RefusedException.class, () -> journal.enlist(own, intent));
      assertEquals(Refusal.CANCELLED, refused.refusal());
      own.rollback();
    }
    outcome = without(State.SUCCEEDED);
    deliver(1);
    assertEquals(List.of("order-2"), seen);
  }

  @Test
  void whatMayHaveBeenSentIsNotCancelled() throws Exception {
    sent(journal, intent("order-1"));
    assertEquals(Decision.IN_FLIGHT, oversight.cancel(id("order-1")));
    assertEquals(Decision.IN_FLIGHT, oversight.park(id("order-1")));
    assertEquals(Decision.IN_FLIGHT, oversight.resume(id("order-1"), true));
    database.endLeases();
    assertEquals(Decision.MAY_HAVE_ACTED, oversight.cancel(id("order-1")));
    ended(journal, intent("order-2", "5", terms(Safety.UNSAFE)), without(State.UNKNOWN));
    assertEquals(Decision.MAY_HAVE_ACTED, oversight.cancel(id("order-2")));
    assertEquals(Decision.KEY_EXPIRED, oversight.resume(id("order-2"), true));
    granted(journal, intent("order-3"));
    database.endLeases();
    assertEquals(Decision.DONE, oversight.cancel(id("order-3")), "it died before it sent");
    assertEquals(Decision.NOT_FOUND, oversight.cancel(id("order-4")));
  }

  @Test
  void whoWasToldUnknownCanHaveItResumed() throws Exception {
    ended(journal, intent("order-1"), without(State.READY));
    ended(journal, withoutBody("order-2", terms(Safety.KEYED)), without(State.READY));
    assertEquals(Decision.BODY_NOT_KEPT, oversight.resume(id("order-2"), false));
    assertEquals(Decision.DONE, oversight.resume(id("order-1"), false));
    outcome = without(State.SUCCEEDED);
    journal.resume(sender, Which.DUE, 10);
    assertEquals(List.of("order-1"), seen);
  }

  @Test
  void whatWaitsForTooLongIsListed() throws Exception {
    enlist(intent("order-1"), "");
    enlist(intent("order-2"), "payments");
    enlist(intent("order-3"), "payments");
    enlist(intent("order-4"), "");
    assertEquals(List.of(), oversight.overdue(Duration.ofMinutes(1), 10, null));
    List<String> all = new ArrayList<>();
    Oversight.Position last = null;
    for (int i = 0; i < 3; i++) {
      List<Oversight.Entry> page = oversight.overdue(Duration.ZERO, 1, last);
      last = Oversight.Position.valueOf(page.get(0).position().toString());
      all.add(page.get(0).id().key());
    }
    all.sort(null);
    assertEquals(List.of("order-1", "order-2", "order-4"), all);
    assertEquals(List.of(), oversight.overdue(Duration.ZERO, 1, last));
  }

  @Test
  void whatADeadOwnerLeftIsListedAndCounted() throws Exception {
    sent(journal, intent("order-1"));
    assertEquals(List.of(), oversight.overdue(Duration.ZERO, 10, null));
    database.endLeases();
    assertEquals("order-1", oversight.overdue(Duration.ZERO, 10, null).get(0).id().key());
    database.set("lease_until = lease_until - interval '2' hour, due_at = null");
    assertEquals(2, oversight.totals().leftFor().toHours());
  }

  @Test
  void whatIsLeftToDoIsCounted() throws Exception {
    assertEquals(new Oversight.Totals(0, Duration.ZERO, 0, 0, Duration.ZERO), oversight.totals());
    enlist(intent("order-1"), "");
    enlist(intent("order-2"), "payments");
    enlist(intent("order-3"), "payments");
    enlist(intent("order-4"), "");
    database.set("delivering_since = delivering_since - interval '3' hour", "order-1");
    ended(journal, intent("order-5", "5", terms(Safety.UNSAFE)), without(State.UNKNOWN));
    oversight.park(id("order-4"));
    Oversight.Totals totals = oversight.totals();
    assertEquals(2, totals.due(), "order-1 and the sequence");
    assertEquals(3, totals.dueFor().toHours());
    assertEquals(1, totals.unknown());
    assertEquals(1, totals.parked());
    assertEquals("order-5", oversight.unknown(10, null).get(0).id().key());
    assertEquals(List.of(), oversight.unknown(10, oversight.unknown(1, null).get(0).position()));
  }

  /** An alert watches this while a destination is dead. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aDeliveryThatFailsMakesNothingYounger(boolean inSequence) throws Exception {
    outcome = new Ending(State.CLOSED, null, 1, null); // no connection
    enlist(intent("order-1"), inSequence ? "account" : "");
    for (int hour = 1; hour <= 3; hour++) {
      database.set("delivering_since = delivering_since - interval '1' hour");
      deliver(1);
      assertEquals(hour, oversight.totals().dueFor().toHours());
    }
    assertEquals(List.of("order-1", "order-1", "order-1"), seen);
    outcome = without(State.SUCCEEDED);
    deliver(1);
    assertEquals(Duration.ZERO, oversight.totals().dueFor());
  }

  @Test
  void aDryRunTellsWhatWouldBeDoneAndChangesNothing() throws Exception {
    enlist(intent("order-1"), "");
    Oversight dry = oversight.dryRun();
    assertEquals(Decision.DONE, dry.park(id("order-1")));
    assertEquals(Decision.DONE, dry.cancel(id("order-1")));
    assertEquals(Decision.DONE, dry.resume(id("order-1"), false));
    assertEquals(Decision.NOT_FOUND, dry.park(id("order-2")));
    assertEquals(State.READY, state("order-1"));
    assertFalse(oversight.isSettleable(id("order-1")));
    sent(journal, intent("order-1"));
    assertEquals(Decision.IN_FLIGHT, dry.cancel(id("order-1")));
    database.endLeases();
    assertEquals(Decision.MAY_HAVE_ACTED, dry.cancel(id("order-1")));
    assertFalse(oversight.isSettleable(id("order-1")));
    database.endWindows();
    assertTrue(oversight.isSettleable(id("order-1")));
    assertTrue(journal.settle(id("order-1"), Lookup.APPLIED));
    assertEquals(1, oversight.purgeable(Duration.ZERO));
    assertEquals(0, oversight.purgeable(Duration.ofDays(1)));
    assertEquals(1, journal.purge(Duration.ZERO));
    assertEquals(0, oversight.purgeable(Duration.ZERO));
  }

  @Test
  void aParkedOneOfARestoredBackupIsSettledAlthoughTheJournalKnowsOfNoRequest() throws Exception {
    enlist(intent("order-1"), "");
    assertFalse(journal.settle(id("order-1"), Lookup.APPLIED));
    assertEquals(Decision.DONE, oversight.park(id("order-1")));
    assertTrue(journal.settle(id("order-1"), Lookup.APPLIED));
    assertInstanceOf(Claim.Finished.class, claim(journal, intent("order-1")));
  }

  @Test
  void requestAndAnswerAreShownOnlyWhereAskedFor() throws Exception {
    assertEquals(java.util.Optional.empty(), oversight.exchange(id("order-1")));
    sent(journal, intent("order-1"));
    Oversight.Exchange kept = oversight.exchange(id("order-1")).orElseThrow();
    assertEquals("POST", kept.request().method());
    assertTrue(kept.request().content().body().isPresent());
    assertNull(kept.answer());
  }

  @Test
  void aPositionOutOfItsFormIsRefused() {
    for (String bad : List.of("", "7", "2026-01-31T08:00:00Z", "yesterday_7", "_")) {
      assertThrows(IllegalArgumentException.class, () -> Oversight.Position.valueOf(bad), bad);
    }
  }

  @Test
  void anOperationIsFoundByItsName() throws Exception {
    assertEquals(java.util.Optional.empty(), oversight.find("charge", "order-1"));
    sent(journal, intent("order-1"));
    Oversight.Entry found = oversight.find(id("order-1")).orElseThrow();
    assertEquals(State.IN_FLIGHT, found.state());
    assertNotNull(found.times().firstSentAt());
    assertNull(found.sequence());
    assertFalse(found.toString().contains(TestIntents.SECRET), found::toString);
  }

  @Test
  void numbersOutOfRangeAreRefused() {
    Deliveries defaults = Deliveries.defaults();
    assertThrows(IllegalArgumentException.class, () -> defaults.withMost(0));
    assertThrows(IllegalArgumentException.class, () -> defaults.withMostAge(Duration.ZERO));
    assertThrows(IllegalArgumentException.class, () -> oversight.parked(0, null));
    assertThrows(
        IllegalArgumentException.class, () -> oversight.overdue(Duration.ofSeconds(-1), 1, null));
  }
}
