package dev.steadfast.retry.journal;

import static dev.steadfast.retry.journal.TestIntents.SECRET;
import static dev.steadfast.retry.journal.TestIntents.WINDOW;
import static dev.steadfast.retry.journal.TestIntents.ending;
import static dev.steadfast.retry.journal.TestIntents.intent;
import static dev.steadfast.retry.journal.TestIntents.keyed;
import static dev.steadfast.retry.journal.TestIntents.sender;
import static dev.steadfast.retry.journal.TestIntents.text;
import static dev.steadfast.retry.journal.TestJournals.claim;
import static dev.steadfast.retry.journal.TestJournals.ended;
import static dev.steadfast.retry.journal.TestJournals.granted;
import static dev.steadfast.retry.journal.TestJournals.sent;
import static dev.steadfast.retry.tck.internal.JournalUnderTest.assertSame;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.engine.Evidence.Safety;
import dev.steadfast.retry.http.Journaling;
import dev.steadfast.retry.journal.JdbcJournal.Lookup;
import dev.steadfast.retry.journal.JdbcJournal.Which;
import dev.steadfast.retry.operations.OperationJournal;
import dev.steadfast.retry.operations.OperationJournal.Answer;
import dev.steadfast.retry.operations.OperationJournal.Claim;
import dev.steadfast.retry.operations.OperationJournal.Intent;
import dev.steadfast.retry.operations.OperationJournal.State;
import dev.steadfast.retry.operations.OperationJournal.Terms;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A codec hides contents and may change answers; a lost key stops only the rows that need it. */
class CodecTest {
  @RegisterExtension private static final TestJournals JOURNALS = new TestJournals();
  private static final String MARKED = "{steadfast}+body";

  private static JdbcJournal journal(TestDatabase database, StorageCodec codec) throws IOException {
    return JdbcJournal.builder(database.source()).codec(codec).build();
  }

  private static TestDatabase postgres() throws Exception {
    return JOURNALS.emptied(TestDatabase.Kind.POSTGRESQL);
  }

  private static List<Intent> resumed(JdbcJournal journal) throws Exception {
    List<Intent> found = new ArrayList<>();
    journal.resume(sender((in, due) -> found.add(due)), Which.DUE, 100);
    return found;
  }

  @ParameterizedTest
  @EnumSource(TestDatabase.Kind.class)
  void theSameOperationIsFoundAndSent(TestDatabase.Kind kind) throws Exception {
    TestDatabase database = JOURNALS.emptied(kind);
    JdbcJournal journal = journal(database, new AesGcm(1));
    database.enlist(journal, intent("order-2"), "");
    assertSame(intent("order-2"), resumed(journal).get(0));

    ended(journal, intent("order-1"), ending(State.SUCCEEDED));
    Claim.Finished again =
        assertInstanceOf(Claim.Finished.class, claim(journal, intent("order-1")));
    Answer answer = Objects.requireNonNull(again.answer());
    assertEquals("done", text(answer.content()));
    assertEquals(List.of("/c/1"), answer.headers("Location"));
    assertInstanceOf(
        Claim.OtherRequest.class, claim(journal, intent("order-1", "6", keyed("key-1"))));
  }

  @Test
  void nothingIsReadable() throws Exception {
    TestDatabase database = postgres();
    JdbcJournal journal = journal(database, new AesGcm(1));
    Intent hidden = intent("order-1", "amount=5", keyed("the-key"));
    ended(journal, hidden, ending(State.SUCCEEDED));

    String row =
        database.query(
            "select o::text || encode(body, 'escape') || encode(answer_body, 'escape')"
                + " from steadfast_operation o");
    List<String> secrets =
        List.of("amount", SECRET, "text/plain", "the-key", "/c/1", "done", hidden.fingerprint());
    for (String secret : secrets) {
      assertFalse(row.contains(secret), secret + " in " + row);
    }
    Oversight.Entry entry = journal.oversight().find(hidden.id()).orElseThrow();
    assertEquals("POST https://bank.example:443/pay", entry.target());
    assertEquals(
        "amount=5",
        text(journal.oversight().exchange(hidden.id()).orElseThrow().request().content()));
  }

  @Test
  void aNewKeyLeavesOldRowsReadable() throws Exception {
    TestDatabase database = postgres();
    ended(journal(database, new AesGcm(1)), intent("order-1"), ending(State.SUCCEEDED));
    JdbcJournal rotated = journal(database, new AesGcm(2, 1));
    assertInstanceOf(Claim.Finished.class, claim(rotated, intent("order-1")));
    sent(rotated, intent("order-2"));
    database.endLeases();
    assertInstanceOf(
        Claim.Granted.class, claim(journal(database, new AesGcm(2)), intent("order-2")));
  }

  @Test
  void rowsFromBeforeTheCodecStayReadable() throws Exception {
    TestDatabase database = postgres();
    ended(database.journal(), intent("order-1"), ending(State.SUCCEEDED));
    database.enlist(database.journal(), intent("order-2"), "");
    JdbcJournal journal = journal(database, new AesGcm(1));
    assertInstanceOf(Claim.Finished.class, claim(journal, intent("order-1")));
    assertSame(intent("order-2"), resumed(journal).get(0));
  }

  // The first page is full of rows whose key is lost.
  @Test
  void aLostKeyHoldsNobodyUp() throws Exception {
    TestDatabase database = postgres();
    for (int i = 0; i < 45; i++) {
      database.enlist(journal(database, new AesGcm(1)), intent("lost-" + i), "");
    }
    JdbcJournal journal = journal(database, new AesGcm(2));
    database.enlist(journal, intent("readable"), "");
    List<Intent> sent = resumed(journal);
    assertEquals(List.of(intent("readable").id()), sent.stream().map(Intent::id).toList());

    IOException told = assertThrows(IOException.class, () -> claim(journal, intent("lost-0")));
    assertTrue(told.getMessage().contains("no key 1"), told::getMessage);
    assertEquals("ready", database.state("lost-0"));
    assertTrue(journal.oversight().isSettleable(intent("lost-0").id()));
    assertTrue(journal.settle(intent("lost-0").id(), Lookup.APPLIED));
    assertFalse(journal.settle(intent("readable").id(), Lookup.APPLIED));
  }

  @Test
  void aLostAnswerIsNotKept() throws Exception {
    TestDatabase database = postgres();
    ended(database.journal(), intent("order-1"), ending(State.SUCCEEDED));
    database.set("answer_body = convert_to('{steadfast}+x', 'UTF8')");
    Claim.Finished known =
        assertInstanceOf(Claim.Finished.class, claim(database.journal(), intent("order-1")));
    assertEquals(State.SUCCEEDED, known.state());
    assertTrue(Objects.requireNonNull(known.answer()).content().body().isEmpty());
  }

  @Test
  void aJournalWithoutCodecSendsAndSettlesNothing() throws Exception {
    TestDatabase database = postgres();
    JdbcJournal journal = journal(database, new AesGcm(1));
    database.enlist(journal, intent("order-1"), "");
    JdbcJournal without = database.journal();
    assertTrue(resumed(without).isEmpty());
    IOException told =
        assertThrows(IOException.class, () -> without.oversight().exchange(intent("order-1").id()));
    assertTrue(told.getMessage().contains("with a codec"), told::getMessage);
    assertFalse(without.settle(intent("order-1").id(), Lookup.APPLIED));
    assertFalse(without.oversight().isSettleable(intent("order-1").id()));

    database.set("due_at = clock_timestamp()");
    assertSame(intent("order-1"), resumed(journal).get(0));
  }

  @Test
  void whatIsCopiedFromAnotherOperationIsNotSent() throws Exception {
    TestDatabase database = postgres();
    JdbcJournal journal = journal(database, new AesGcm(1));
    database.enlist(journal, intent("order-1", "5", keyed("key-1")), "");
    database.enlist(journal, intent("order-2", "500", keyed("key-2")), "");
    database.set(
        "body = (select body from steadfast_operation where op_key = 'order-2')", "order-1");
    List<Intent> sent = resumed(journal);
    assertEquals(List.of(intent("order-2").id()), sent.stream().map(Intent::id).toList());
  }

  @ParameterizedTest
  @EnumSource(TestDatabase.Kind.class)
  void contentsThatLookEncodedAreSentAsTheyAre(TestDatabase.Kind kind) throws Exception {
    TestDatabase database = JOURNALS.emptied(kind);
    Intent odd = intent("order-1", MARKED, keyed("{steadfast}+key"));
    database.enlist(database.journal(), odd, "");
    assertSame(odd, resumed(database.journal()).get(0));
    assertSame(odd, resumed(journal(database, new AesGcm(1)), database).get(0));
  }

  private static List<Intent> resumed(JdbcJournal journal, TestDatabase database) throws Exception {
    database.set("due_at = current_timestamp");
    return resumed(journal);
  }

  /** A codec that may change or refuse something. */
  private interface Encoding extends StorageCodec {
    @Override
    default byte[] decode(Place place, byte[] encoded) {
      return encoded;
    }
  }

  private static byte[] masked(StorageCodec.Place place, byte[] plain, StorageCodec.Part part) {
    return place.part() == part ? "***".getBytes(StandardCharsets.UTF_8) : plain;
  }

  @Test
  void aCodecMayChangeAnAnswer() throws Exception {
    TestDatabase database = postgres();
    Encoding masking = (place, plain) -> masked(place, plain, StorageCodec.Part.ANSWER_BODY);
    JdbcJournal journal = journal(database, masking);
    ended(journal, intent("order-1"), ending(State.SUCCEEDED));
    Claim.Finished again =
        assertInstanceOf(Claim.Finished.class, claim(journal, intent("order-1")));
    assertEquals("***", text(Objects.requireNonNull(again.answer()).content()));
  }

  @Test
  void aCodecMayNotChangeARequest() throws Exception {
    TestDatabase database = postgres();
    Encoding masking = (place, plain) -> masked(place, plain, StorageCodec.Part.REQUEST_BODY);
    JdbcJournal journal = journal(database, masking);
    IOException told = assertThrows(IOException.class, () -> claim(journal, intent("order-1")));
    assertTrue(told.getMessage().contains("REQUEST_BODY"), told::getMessage);
    assertEquals("0", database.query("select count(*) from steadfast_operation"));
  }

  @Test
  void anEndIsNotedWithoutItsAnswer() throws Exception {
    TestDatabase database = postgres();
    Encoding failing =
        (place, plain) -> {
          if (place.part().isOfAnswer()) {
            throw new GeneralSecurityException("no key for answers");
          }
          return plain;
        };
    JdbcJournal journal = journal(database, failing);
    ended(journal, intent("order-1"), ending(State.SUCCEEDED));
    assertEquals("succeeded", database.state());
    assertEquals("201", database.column("status"));
  }

  @Test
  void theKeyOnTheWireIsCompared() throws Exception {
    TestDatabase database = postgres();
    JdbcJournal journal = journal(database, new AesGcm(1));
    Claim.Granted claim = granted(journal, intent("order-1", "5", keyed("key-1")));
    assertTrue(journal.sending(intent("order-1", "5", keyed("key-1")), claim));
    database.endLeases();
    assertInstanceOf(Claim.Unknown.class, claim(journal, intent("order-1", "5", keyed("key-2"))));
    Terms same = new Terms(Safety.KEYED, WINDOW, new Journaling.Key("Idempotency-Key", "key-1"));
    assertInstanceOf(Claim.Granted.class, claim(journal, intent("order-1", "5", same)));
  }

  @Test
  void anAnswerThatNoCodecWroteIsCorrupt() throws Exception {
    TestDatabase database = postgres();
    JdbcJournal journal = journal(database, new AesGcm(1));
    ended(journal, intent("order-1"), ending(State.SUCCEEDED));
    database.set("answer_headers = 'none'");
    IOException told = assertThrows(IOException.class, () -> claim(journal, intent("order-1")));
    assertTrue(told.getMessage().contains("column answer_headers"), told::getMessage);
  }

  @Test
  void aCodecMayOverwriteWhatItGets() throws Exception {
    TestDatabase database = postgres();
    Encoding wiping =
        (place, plain) -> {
          byte[] encoded = plain.clone();
          Arrays.fill(plain, (byte) 0);
          return encoded;
        };
    JdbcJournal journal = journal(database, wiping);
    database.enlist(journal, intent("order-1"), "");
    assertSame(intent("order-1"), resumed(journal).get(0));
  }

  @Test
  void placesDiffer() {
    OperationJournal.Id id = new OperationJournal.Id("ab", "c", "d");
    List<StorageCodec.Place> places =
        List.of(
            new StorageCodec.Place(id, StorageCodec.Part.REQUEST_BODY),
            new StorageCodec.Place(id, StorageCodec.Part.ANSWER_BODY),
            body("b", "c", "d"),
            body("ab", "", "d"),
            body("ab", "c", "e"),
            body("a", "bc", "d"),
            body("ab", "cd", "d"));
    long different = places.stream().map(each -> Arrays.toString(each.bytes())).distinct().count();
    assertEquals(places.size(), different);
    assertArrayEquals(places.get(0).bytes(), places.get(0).bytes());
  }

  private static StorageCodec.Place body(String name, String principal, String key) {
    return new StorageCodec.Place(
        new OperationJournal.Id(name, principal, key), StorageCodec.Part.REQUEST_BODY);
  }
}
