package dev.steadfast.retry.journal;

import static dev.steadfast.retry.journal.TestIntents.WINDOW;
import static dev.steadfast.retry.journal.TestIntents.ending;
import static dev.steadfast.retry.journal.TestIntents.intent;
import static dev.steadfast.retry.journal.TestIntents.keyed;
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
import dev.steadfast.retry.http.Journaling;
import dev.steadfast.retry.operations.OperationJournal.Answer;
import dev.steadfast.retry.operations.OperationJournal.Claim;
import dev.steadfast.retry.operations.OperationJournal.Intent;
import dev.steadfast.retry.operations.OperationJournal.State;
import dev.steadfast.retry.operations.OperationJournal.Terms;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Who may send an operation, and what is kept of it. */
@ParameterizedClass
@EnumSource(TestDatabase.Kind.class)
class ClaimTest {
  @RegisterExtension private static final TestJournals JOURNALS = new TestJournals();

  @Parameter private TestDatabase.Kind kind;

  private TestDatabase database;
  private JdbcJournal journal;

  @BeforeEach
  void empty() throws Exception {
    database = JOURNALS.emptied(kind);
    journal = database.journal();
  }

  @Test
  void aFinishedOneIsKeptWithItsAnswer() throws Exception {
    Intent intent = intent(Safety.KEYED);
    Claim.Granted claim = sent(journal, intent);
    assertFalse(claim.mayHaveActed());
    assertFalse(claim.delivered());
    assertEquals(WINDOW, claim.windowLeft());
    assertTrue(journal.ended(intent, claim, ending(State.SUCCEEDED)));

    Claim.Finished finished =
        assertInstanceOf(Claim.Finished.class, claim(database.journal(), intent));

    assertEquals(State.SUCCEEDED, finished.state());
    Answer answer = finished.answer();
    assertEquals(201, answer.status());
    assertEquals(List.of("/c/1"), answer.content().headers().get("location"));
    assertEquals("done", TestIntents.text(answer.content()));
    assertEquals("2", database.column("attempts"));
    assertEquals("1", database.column("claims"));
  }

  @Test
  void anAnswerWithoutItsBodyKeepsStatusAndHeaders() throws Exception {
    Intent intent = intent(Safety.KEYED);
    Answer tooLong = TestIntents.answer(Map.of("Location", List.of("/c/1")), null);
    ended(journal, intent, TestIntents.with(tooLong));
    Claim.Finished finished = assertInstanceOf(Claim.Finished.class, claim(journal, intent));
    assertNotNull(finished.answer());
    assertEquals(201, finished.answer().status());
    assertEquals(List.of("/c/1"), finished.answer().content().headers().get("Location"));
    assertTrue(finished.answer().content().body().isEmpty());
  }

  @Test
  void secretsOfAnAnswerAreNotKept() throws Exception {
    Map<String, List<String>> headers =
        Map.of(
            "Set-Cookie", List.of("session=1"),
            "set-cookie2", List.of("session=2"),
            "WWW-Authenticate", List.of("Negotiate a"),
            "proxy-authenticate", List.of("Negotiate b"),
            "Authentication-Info", List.of("rspauth=c"),
            "Location", List.of("/c/1"));
    ended(journal, intent(Safety.KEYED), TestIntents.with(TestIntents.answer(headers, "")));
    assertEquals("Location: /c/1\n", database.column("answer_headers"));
  }

  @Test
  void whileSomebodyWorksOnItNobodyElseMay() throws Exception {
    Intent intent = intent(Safety.KEYED);
    sent(journal, intent);
    assertInstanceOf(Claim.InFlight.class, claim(journal, intent));
  }

  @Test
  void theNoteIsThereBeforeTheFirstByte() throws Exception {
    Intent intent = intent(Safety.KEYED);
    granted(journal, intent);
    assertNull(database.column("first_sent_at"));
    database.endLeases();
    Claim.Granted claim = sent(journal, intent);
    assertFalse(claim.mayHaveActed(), "the owner died before it sent");
    Duration window =
        Duration.between(database.time("first_sent_at"), database.time("key_expires_at"));
    assertEquals(0, window.minus(WINDOW).toSeconds());
  }

  @Test
  void afterTheDeathOfItsOwnerAKeyedOneIsSentAgain() throws Exception {
    Intent intent = intent(Safety.KEYED);
    Claim.Granted dead = sent(journal, intent);
    database.endLeases();
    Claim.Granted claim = granted(journal, intent);
    assertTrue(claim.mayHaveActed());
    assertTrue(claim.windowLeft().compareTo(WINDOW) <= 0);
    assertFalse(journal.ended(intent, dead, ending(State.FAILED)), "it has lost its claim");
    assertFalse(journal.sending(intent, dead));
    assertEquals("in_flight", database.state());
    assertTrue(journal.ended(intent, claim, ending(State.SUCCEEDED)));
  }

  @Test
  void whoComesBackFromAFreezeMaySendNothing() throws Exception {
    Intent intent = intent(Safety.KEYED);
    Claim.Granted claim = granted(journal, intent);
    database.endLeases();
    assertFalse(journal.sending(intent, claim));
  }

  @ParameterizedTest
  @EnumSource(
      value = Safety.class,
      names = {"KEYED", "IDEMPOTENT"})
  void afterItsWindowItIsNotSentAgain(Safety safety) throws Exception {
    Intent intent = intent(safety);
    assertEquals(WINDOW, sent(journal, intent).windowLeft());
    database.endLeases();
    database.endWindows();
    assertInstanceOf(Claim.Unknown.class, claim(journal, intent));
    assertEquals("unknown", database.state());
  }

  @Test
  void withoutAKeyItIsNeverSentAgain() throws Exception {
    Intent intent = intent(Safety.UNSAFE);
    assertNull(sent(journal, intent).windowLeft());
    database.endLeases();
    assertInstanceOf(Claim.Unknown.class, claim(journal, intent));
    assertInstanceOf(Claim.Unknown.class, claim(journal, intent));
    assertEquals("unknown", database.state());
  }

  @Test
  void itIsNotSentAgainWithAnotherKey() throws Exception {
    sent(journal, intent("order-1", "5", keyed("key-1")));
    database.endLeases();
    String version = database.column("row_version");
    Journaling.Key otherHeader = new Journaling.Key("X-Key", "key-1");
    List<Terms> others =
        List.of(keyed("key-2"), terms(Safety.UNSAFE), new Terms(Safety.KEYED, WINDOW, otherHeader));
    for (Terms other : others) {
      assertInstanceOf(Claim.Unknown.class, claim(journal, intent("order-1", "5", other)));
    }
    assertEquals("in_flight", database.state());
    assertEquals(version, database.column("row_version"));
    assertTrue(granted(journal, intent("order-1", "5", keyed("key-1"))).mayHaveActed());
  }

  @Test
  void theRowSaysWhatIsSentAfterAll() throws Exception {
    granted(journal, intent("order-1", "5", terms(Safety.UNSAFE)));
    database.endLeases(); // nothing was sent
    granted(journal, intent("order-1", "5", keyed("key-1")));
    database.endLeases();
    Intent keyed = intent("order-1", "5", keyed("key-2"));
    assertFalse(sent(journal, keyed).mayHaveActed());
    assertEquals("keyed", database.column("repeatable"));
    assertEquals("Idempotency-Key", database.column("key_header"));
    assertEquals("key-2", database.column("key_line"));
    database.endLeases();
    assertTrue(granted(journal, keyed).mayHaveActed());
  }

  @Test
  void aClosedOneBeginsAnewAlsoAsAnotherRequest() throws Exception {
    ended(journal, intent("order-1", "5", terms(Safety.UNSAFE)), without(State.CLOSED));
    Intent other = intent("order-1", "6", keyed("key-2"));
    Claim.Granted claim = granted(journal, other);
    assertFalse(claim.mayHaveActed());
    assertEquals(WINDOW, claim.windowLeft());
    assertNull(database.column("first_sent_at"));
    assertEquals(other.fingerprint(), database.column("fingerprint"));
    assertEquals("key-2", database.column("key_line"));
    assertInstanceOf(
        Claim.OtherRequest.class, claim(journal, intent("order-1", "5", keyed("key-2"))));
  }

  @ParameterizedTest
  @EnumSource(value = State.class, names = "CLOSED", mode = EnumSource.Mode.EXCLUDE)
  void anotherRequestIsRefusedWithTheNameOfTheFirst(State state) throws Exception {
    Intent intent = intent(Safety.KEYED);
    if (state == State.IN_FLIGHT) {
      sent(journal, intent);
    } else {
      ended(journal, intent, ending(state));
    }
    Claim.OtherRequest other =
        assertInstanceOf(
            Claim.OtherRequest.class, claim(journal, intent("order-1", "6", terms(Safety.KEYED))));
    assertTrue(other.existing().startsWith("POST /pay of 2"), other.existing());
    assertFalse(other.existing().contains(TestIntents.SECRET), other.existing());
  }

  @Test
  void ofManyClaimsOneIsGranted() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      for (int round = 0; round < 20; round++) {
        Intent intent = intent("order-" + round);
        List<Callable<Claim>> claims = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
          claims.add(() -> claim(journal, intent));
        }
        int granted = 0;
        for (Future<Claim> claim : threads.invokeAll(claims)) {
          granted += claim.get() instanceof Claim.Granted ? 1 : 0;
        }
        assertEquals(1, granted, "round " + round);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void aCorruptRowIsKeptAndNotSent() throws Exception {
    sent(journal, intent(Safety.KEYED));
    database.endLeases();
    database.set("repeatable = 'perhaps'");
    IOException refused =
        assertThrows(IOException.class, () -> claim(journal, intent(Safety.KEYED)));
    assertTrue(refused.getMessage().endsWith("cannot be read: column repeatable"));
    assertEquals("1", database.column("count(*)"));
  }

  @Test
  void theJournalTellsNoSecret() throws Exception {
    assertEquals("JdbcJournal(" + kind + ")", journal.toString());
  }
}
