package dev.steadfast.retry.journal;

import static dev.steadfast.retry.journal.TestIntents.ending;
import static dev.steadfast.retry.journal.TestIntents.intent;
import static dev.steadfast.retry.journal.TestIntents.sender;
import static dev.steadfast.retry.journal.TestIntents.terms;
import static dev.steadfast.retry.journal.TestIntents.withoutBody;
import static dev.steadfast.retry.journal.TestJournals.claim;
import static dev.steadfast.retry.journal.TestJournals.ended;
import static dev.steadfast.retry.journal.TestJournals.granted;
import static dev.steadfast.retry.journal.TestJournals.sent;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.engine.Evidence.Safety;
import dev.steadfast.retry.http.Journaling;
import dev.steadfast.retry.http.Journaling.Sender;
import dev.steadfast.retry.journal.JdbcJournal.Lookup;
import dev.steadfast.retry.journal.JdbcJournal.Which;
import dev.steadfast.retry.operations.OperationJournal.Claim;
import dev.steadfast.retry.operations.OperationJournal.Intent;
import dev.steadfast.retry.operations.OperationJournal.Refusal;
import dev.steadfast.retry.operations.OperationJournal.RefusedException;
import dev.steadfast.retry.operations.OperationJournal.Settings;
import dev.steadfast.retry.operations.OperationJournal.State;
import dev.steadfast.retry.tck.internal.JournalUnderTest;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What happens to operations that nobody works on. */
@ParameterizedClass
@EnumSource(TestDatabase.Kind.class)
class BacklogTest {
  @RegisterExtension private static final TestJournals JOURNALS = new TestJournals();

  @Parameter private TestDatabase.Kind kind;

  private final List<Intent> seen = new ArrayList<>();
  private final Sender sender = sender((journal, due) -> seen.add(due));
  private TestDatabase database;
  private JdbcJournal journal;

  @BeforeEach
  void empty() throws Exception {
    database = JOURNALS.emptied(kind);
    journal = database.journal();
  }

  private List<String> seenKeys() {
    return seen.stream().map(each -> each.id().key()).toList();
  }

  private List<String> unknown() throws IOException {
    return journal.unknown(10).stream().map(each -> each.id().key()).toList();
  }

  /** One whose owner has claimed it and died. */
  private Intent abandoned(Safety safety) throws Exception {
    Intent intent = intent(safety);
    granted(journal, intent);
    database.endLeases();
    return intent;
  }

  private interface Change {
    void make() throws Exception;
  }

  /** Something changes after the operation was found to be due and before it is claimed. */
  private void assertNotSent(Change change) throws Exception {
    List<Claim> claims = new ArrayList<>();
    journal.resume(
        sender((view, due) -> {
          assertDoesNotThrow(change::make);
          claims.add(view.claim(due, Duration.ofSeconds(5)));
        }),
        Which.DUE,
        10);
    assertInstanceOf(Claim.InFlight.class, claims.get(0));
  }

  @Test
  void whatIsDueIsGivenAsItWasBegun() throws Exception {
    Intent intent = intent(Safety.KEYED);
    sent(journal, intent);
    assertEquals(0, journal.resume(sender, Which.DUE, 10), "its owner lives");
    database.endLeases();
    assertEquals(1, journal.resume(sender, Which.DUE, 10));
    JournalUnderTest.assertSame(intent, seen.get(0));
  }

  @Test
  void whatItsCallerHasClosedSinceItWasFoundIsNotSent() throws Exception {
    Intent intent = abandoned(Safety.UNSAFE);
    assertNotSent(() -> ended(journal, intent, ending(State.CLOSED)));
    assertEquals("closed", database.state(intent.id().key()));
  }

  /** A reservation does not wait for the disk, so a crash of the database may undo it. */
  @Test
  void whatIsCancelledAfterACrashIsNotSentByWhoeverHasReservedIt() throws Exception {
    Intent intent = abandoned(Safety.UNSAFE);
    String version = database.column("row_version");
    assertNotSent(() -> {
      database.set("due_at = null, row_version = " + version);
      assertEquals(Oversight.Decision.DONE, journal.oversight().cancel(intent.id()));
    });
    assertEquals("cancelled", database.state());
  }

  /**
   * A standby that takes over may lack the last changes, so the version of a row may come a second
   * time, with the claim of another process.
   */
  @Test
  void whatAnotherProcessHasClaimedSinceAFailOverIsNotSent() throws Exception {
    abandoned(Safety.KEYED);
    assertNotSent(() ->
        database.set(
            "lease_token = 'other', lease_until = timestamp with time zone '2200-01-01 00:00:00Z'"));
    assertEquals("other", database.column("lease_token"));
  }

  @Test
  void whatAnotherProcessHasSentSinceAFailOverIsNotSentAsIfForTheFirstTime() throws Exception {
    abandoned(Safety.UNSAFE);
    assertNotSent(() -> database.set("first_sent_at = current_timestamp"));
  }

  @Test
  void whatResumingCouldNotSendIsSentLater() throws Exception {
    Intent intent = intent(Safety.KEYED);
    granted(journal, intent);
    database.endLeases();
    journal.resume(
        sender((view, due) -> {
          Claim claim = view.claim(due, Duration.ofSeconds(5));
          Claim.Granted granted = assertInstanceOf(Claim.Granted.class, claim);
          assertTrue(view.ended(due, granted, ending(State.CLOSED)));
        }),
        Which.DUE,
        10);
    assertEquals("ready", database.state(intent.id().key()), "nobody was told of it");
  }

  @Test
  void anEmptyBodyIsABody() throws Exception {
    sent(journal, intent("order-1", "", terms(Safety.IDEMPOTENT)));
    database.endLeases();
    assertEquals(1, journal.resume(sender, Which.DUE, 10));
    assertEquals("", TestIntents.text(seen.get(0).request().content()));
  }

  @Test
  void whatItsCallerWasToldIsUnknownIsSentOnRequest() throws Exception {
    ended(journal, intent(Safety.KEYED), ending(State.READY));
    assertEquals(0, journal.resume(sender, Which.DUE, 10));
    assertEquals(1, journal.resume(sender, Which.DUE_AND_UNSETTLED, 10));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatCannotBeSentAgainBecomesUnknown(boolean told) throws Exception {
    List<Safety> all = List.of(Safety.IDEMPOTENT, Safety.KEYED, Safety.UNSAFE);
    for (Safety safety : all) {
      Intent intent = intent(safety.name(), "5", terms(safety));
      Claim.Granted claim = sent(journal, intent);
      if (told) {
        assertTrue(journal.ended(intent, claim, ending(State.READY)));
      }
    }
    database.endLeases();
    database.endWindows();
    assertEquals(all.size(), unknown().size());
    assertEquals(0, journal.resume(sender, Which.DUE_AND_UNSETTLED, 10));
    for (Safety safety : all) {
      assertEquals("unknown", database.state(safety.name()));
    }
    assertEquals(all.size(), unknown().size());
  }

  @Test
  void whatWasNotSentIsNotUnknown() throws Exception {
    granted(journal, intent(Safety.UNSAFE));
    database.endLeases();
    assertEquals(List.of(), unknown());
    assertFalse(journal.settle(TestIntents.id("order-1"), Lookup.APPLIED));
    assertEquals(1, journal.resume(sender, Which.DUE, 10));
  }

  @Test
  void whatCanBeSentAgainIsNotUnknown() throws Exception {
    ended(journal, intent("told"), ending(State.READY));
    sent(journal, intent("died"));
    database.endLeases();
    assertEquals(List.of(), unknown());
    assertFalse(journal.settle(TestIntents.id("told"), Lookup.APPLIED));
    assertFalse(journal.settle(TestIntents.id("died"), Lookup.APPLIED));
  }

  @Test
  void withoutItsBodyItWaitsForItsCallerOrALookUp() throws Exception {
    Intent intent = withoutBody("order-1", terms(Safety.KEYED));
    sent(journal, intent);
    assertEquals(List.of(), unknown(), "its owner lives");
    assertFalse(journal.settle(intent.id(), Lookup.APPLIED), "its owner lives");
    database.endLeases();
    assertEquals(0, journal.resume(sender, Which.DUE_AND_UNSETTLED, 10));
    assertEquals(List.of("order-1"), unknown());
    assertTrue(granted(journal, intent).mayHaveActed());
    assertEquals(List.of(), unknown());
    database.endLeases();
    assertTrue(journal.settle(intent.id(), Lookup.APPLIED));
    assertEquals("succeeded", database.state());
  }

  @ParameterizedTest
  @EnumSource(Lookup.class)
  void aLookUpSettlesWhatIsUnknown(Lookup lookup) throws Exception {
    Intent intent = intent(Safety.UNSAFE);
    ended(journal, intent, ending(State.UNKNOWN));
    boolean settles = lookup != Lookup.DONT_KNOW;
    assertEquals(settles, journal.settle(intent.id(), lookup));
    String expected =
        switch (lookup) {
          case APPLIED -> "succeeded";
          case NOT_APPLIED_AND_FENCED -> "failed";
          case DONT_KNOW -> "unknown";
        };
    assertEquals(expected, database.state());
    assertFalse(journal.settle(intent.id(), lookup), "once");
  }

  @Test
  void aLookUpTakesTheOperationFromWhoeverComesBack() throws Exception {
    Intent intent = intent(Safety.UNSAFE);
    Claim.Granted frozen = sent(journal, intent);
    assertFalse(journal.settle(intent.id(), Lookup.APPLIED), "its lease is not over");
    database.endLeases();
    assertTrue(journal.settle(intent.id(), Lookup.NOT_APPLIED_AND_FENCED));
    assertFalse(journal.ended(intent, frozen, ending(State.SUCCEEDED)));
    assertFalse(journal.sending(intent, frozen));
    assertEquals("failed", database.state());
  }

  @Test
  void whatIsRefusedDoesNotKeepOthersFromBeingSent() throws Exception {
    for (int i = 0; i < 50; i++) {
      granted(journal, intent("order-" + i));
    }
    database.endLeases();
    Sender picky =
        sender((in, due) -> {
          if (!due.id().key().equals("order-49")) {
            throw new RefusedException(Refusal.IN_FLIGHT, "somebody else works on it", null);
          }
          seen.add(due);
        });
    assertEquals(1, journal.resume(picky, Which.DUE, 1));
    assertEquals(List.of("order-49"), seenKeys());
  }

  @Test
  void whatFailsIsCountedAndComesLastTheNextTime() throws Exception {
    for (int i = 0; i < 3; i++) {
      ended(journal, intent("order-" + i), ending(State.READY));
    }
    Sender failing =
        sender((in, due) -> {
          seen.add(due);
          Claim.Granted claim = (Claim.Granted) in.claim(due, Duration.ofSeconds(5));
          assertTrue(in.sending(due, claim));
          assertTrue(in.ended(due, claim, ending(State.READY)));
          throw new IOException("the server is down");
        });
    for (int i = 0; i < 3; i++) {
      assertEquals(1, journal.resume(failing, Which.DUE_AND_UNSETTLED, 1));
    }
    assertEquals(List.of("order-0", "order-1", "order-2"), seenKeys());
  }

  @Test
  void eachOneIsSentOnce() throws Exception {
    int operations = 45; // more than two pages
    for (int i = 0; i < operations; i++) {
      granted(journal, intent("order-" + i));
    }
    database.endLeases(); // all of them at the same time
    assertEquals(20, journal.resume(sender, Which.DUE, 20));
    seen.clear();
    assertEquals(operations, journal.resume(sender, Which.DUE, 1_000));
    assertEquals(operations, seenKeys().stream().distinct().count());
  }

  @Test
  void anUnreachableJournalEndsTheRun() throws Exception {
    granted(journal, intent(Safety.KEYED));
    database.endLeases();
    Sender unreachable =
        sender((in, due) -> {
          throw new RefusedException(Refusal.UNREACHABLE, "no connection", null);
        });
    RefusedException refused =
        assertThrows(RefusedException.class, () -> journal.resume(unreachable, Which.DUE, 10));
    assertEquals(Refusal.UNREACHABLE, refused.refusal());
  }

  @Test
  void whatIsResumedIsNeverSentWithoutTheJournal() throws Exception {
    Settings settings = Settings.defaults().sendingUnreachable().withMostBodyBytes(7);
    JdbcJournal lenient = JdbcJournal.builder(database.source()).settings(settings).build();
    granted(lenient, intent(Safety.KEYED));
    database.endLeases();
    List<Settings> seen = new ArrayList<>();
    lenient.resume(sender((in, due) -> seen.add(in.settings())), Which.DUE, 1);
    assertFalse(seen.get(0).sendsUnreachable());
    assertEquals(7, seen.get(0).mostBodyBytes(), "all else is the same");
  }

  @Test
  void corruptRowsAreKeptAndSkipped() throws Exception {
    List<String> changes =
        List.of(
            "uri = 'no uri \\'",
            "headers = 'none'",
            "repeatable = 'perhaps'",
            "name = ''",
            "key_line = null");
    for (int i = 0; i <= changes.size(); i++) {
      sent(journal, intent("order-" + i));
    }
    database.endLeases();
    for (int i = 0; i < changes.size(); i++) {
      database.set(changes.get(i), "order-" + i);
    }
    assertEquals(1, journal.resume(sender, Which.DUE, 10));
    assertEquals(List.of("order-" + changes.size()), seenKeys());
    assertEquals(Integer.toString(changes.size() + 1), database.column("count(*)"));
  }

  @Test
  void whatIsWithinItsRetentionIsNotPurged() throws Exception {
    ended(journal, intent("keyed"), ending(State.SUCCEEDED));
    ended(journal, intent("keyless", "5", terms(Safety.UNSAFE)), ending(State.FAILED));
    ended(journal, intent("unknown", "5", terms(Safety.UNSAFE)), ending(State.UNKNOWN));
    assertEquals(0, journal.purge(Duration.ofHours(1)));
    assertEquals(0, journal.purge(Duration.ofSeconds(Long.MAX_VALUE)));
    assertEquals(1, journal.purge(Duration.ZERO), "the one without a key");
    database.endWindows();
    assertEquals(1, journal.purge(Duration.ZERO), "the one with a key");
    assertEquals("unknown", database.state());
  }

  @Test
  void whatWasPurgedIsBegunAsIfItWereNew() throws Exception {
    Intent intent = intent(Safety.UNSAFE);
    ended(journal, intent, ending(State.SUCCEEDED));
    assertInstanceOf(Claim.Finished.class, claim(journal, intent));
    assertEquals(1, journal.purge(Duration.ZERO));
    assertFalse(granted(journal, intent).mayHaveActed());
  }

  @Test
  void numbersOutOfRangeAreRefused() {
    Journaling.Sender none = sender;
    assertEquals(
        "most: 0 (expected: 1 or more)",
        assertThrows(IllegalArgumentException.class, () -> journal.resume(none, Which.DUE, 0))
            .getMessage());
    assertEquals(
        "most: -1 (expected: 1 or more)",
        assertThrows(IllegalArgumentException.class, () -> journal.unknown(-1)).getMessage());
    assertEquals(
        "olderThan: PT-1S (expected: zero or more)",
        assertThrows(IllegalArgumentException.class, () -> journal.purge(Duration.ofSeconds(-1)))
            .getMessage());
  }
}
