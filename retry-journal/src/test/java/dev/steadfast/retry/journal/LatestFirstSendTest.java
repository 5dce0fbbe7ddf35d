package dev.steadfast.retry.journal;

import static dev.steadfast.retry.journal.TestIntents.intent;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.journal.JdbcJournal.Lookup;
import dev.steadfast.retry.journal.JdbcJournal.Which;
import dev.steadfast.retry.operations.OperationJournal.Claim;
import dev.steadfast.retry.operations.OperationJournal.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** A database that was restored from a backup says of what was sent that it was not. */
@ParameterizedClass
@EnumSource(TestDatabase.Kind.class)
class LatestFirstSendTest {
  @RegisterExtension private static final TestJournals JOURNALS = new TestJournals();
  private static final Duration LATEST = Duration.ofHours(2);

  @Parameter private TestDatabase.Kind kind;

  private final List<String> sent = new ArrayList<>();
  private TestDatabase database;
  private JdbcJournal journal;

  @BeforeEach
  void begin() throws Exception {
    database = JOURNALS.emptied(kind);
    Deliveries deliveries = Deliveries.defaults().withLatestFirstSend(LATEST);
    journal = JdbcJournal.builder(database.source()).deliveries(deliveries).build();
  }

  private void enlist(String key, String sequence) throws Exception {
    database.enlist(journal, intent(key), sequence);
  }

  private void passes(int hours) throws Exception {
    String back = " - interval '" + hours + "' hour";
    database.set("created_at = created_at" + back + ", delivering_since = delivering_since" + back);
  }

  private void resume() throws Exception {
    journal.resume(
        TestIntents.sender((in, due) -> {
          if (in.claim(due, Duration.ofSeconds(30)) instanceof Claim.Granted granted) {
            sent.add(due.id().key());
            assertTrue(in.sending(due, granted));
            assertTrue(in.ended(due, granted, TestIntents.ending(State.SUCCEEDED)));
          }
        }),
        Which.DUE_AND_UNSETTLED,
        10);
  }

  @Test
  void anOperationIsSentUntilThen() throws Exception {
    enlist("order-1", "");
    passes(1);
    resume();
    assertEquals(List.of("order-1"), sent);
  }

  @Test
  void afterThatItIsLookedUpAndNotSent() throws Exception {
    enlist("order-1", "");
    passes(3);
    resume();
    assertEquals(List.of(), sent);
    assertEquals("unknown", database.state());
    assertEquals(1, journal.unknown(10).size());
    assertInstanceOf(Claim.Unknown.class, TestJournals.claim(journal, intent("order-1")));
    assertTrue(journal.settle(TestIntents.id("order-1"), Lookup.APPLIED));
  }

  @Test
  void theSameCallDoesNotSendItEither() throws Exception {
    enlist("order-1", "");
    passes(3);
    assertInstanceOf(Claim.Unknown.class, TestJournals.claim(journal, intent("order-1")));
  }

  @Test
  void itHoldsItsSequence() throws Exception {
    enlist("order-1", "account");
    passes(3);
    enlist("order-2", "account");
    resume();
    assertEquals(List.of(), sent);
    assertEquals("unknown", database.state("order-1"));
  }

  @Test
  void whatAProcessThatDiedHadNotSentIsTooLateAsWell() throws Exception {
    TestJournals.granted(journal, intent("order-1"));
    passes(3);
    database.endLeases();
    resume();
    assertEquals(List.of(), sent);
    assertEquals("unknown", database.state());
  }

  @Test
  void whatWasSentInTimeIsRepeatedLater() throws Exception {
    TestJournals.sent(journal, intent("order-1"));
    passes(3);
    database.endLeases();
    resume();
    assertEquals(List.of("order-1"), sent);
  }

  @Test
  void aPersonWhoHasLookedMayHaveItSent() throws Exception {
    enlist("order-1", "");
    passes(3);
    Oversight oversight = journal.oversight();
    assertEquals(Oversight.Decision.DONE, oversight.park(TestIntents.id("order-1")));
    assertEquals(Oversight.Decision.DONE, oversight.resume(TestIntents.id("order-1"), false));
    resume();
    assertEquals(List.of("order-1"), sent);
  }

  @Test
  void aCallThatMayBeginAgainCountsAnew() throws Exception {
    TestJournals.ended(journal, intent("order-1"), TestIntents.without(State.CLOSED));
    passes(3);
    TestJournals.granted(journal, intent("order-1"));
    database.endLeases();
    resume();
    assertEquals(List.of("order-1"), sent);
  }

  @Test
  void aTimeOutOfItsRangeIsRefused() {
    for (Duration each : List.of(Duration.ZERO, Duration.ofDays(3_651))) {
      IllegalArgumentException refused =
          assertThrows(
              IllegalArgumentException.class,
              () -> Deliveries.defaults().withLatestFirstSend(each));
      assertEquals(
          "latest first send: " + each + " (expected: 1 second to 3,650 days)",
          refused.getMessage());
    }
    assertEquals(
        "Deliveries(most 100, age PT168H, first send within PT2H)",
        Deliveries.defaults().withLatestFirstSend(LATEST).toString());
  }
}
