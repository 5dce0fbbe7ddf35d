package dev.steadfast.retry.operations;

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
import dev.steadfast.retry.operations.OperationJournal.Content;
import dev.steadfast.retry.operations.OperationJournal.Ending;
import dev.steadfast.retry.operations.OperationJournal.Intent;
import dev.steadfast.retry.operations.OperationJournal.RefusedException;
import dev.steadfast.retry.operations.OperationJournal.Request;
import dev.steadfast.retry.operations.OperationJournal.State;
import dev.steadfast.retry.operations.OperationJournal.Terms;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class InMemoryJournalTest {
  private static final Duration LEASE = Duration.ofSeconds(5);

  private final AtomicLong now = new AtomicLong();
  private final InMemoryJournal journal =
      new InMemoryJournal(2, OperationJournal.Settings.defaults(), now::get);

  private static Intent intent(String key, Safety safety) {
    Duration window = safety == Safety.UNSAFE ? null : Duration.ofSeconds(10);
    Journaling.Key wire =
        safety == Safety.KEYED ? new Journaling.Key("Idempotency-Key", "k-" + key) : null;
    Request request =
        new Request(
            "POST", URI.create("http://a/pay?user=1"), new Content(Map.of(), new byte[] {1}));
    return new Intent(
        new OperationJournal.Id("charge", "", key),
        "",
        request,
        "f",
        new Terms(safety, window, wire));
  }

  private Claim.Granted granted(Intent intent) throws RefusedException {
    return assertInstanceOf(Claim.Granted.class, journal.claim(intent, LEASE));
  }

  private static Intent other(Intent intent) {
    return new Intent(intent.id(), intent.caller(), intent.request(), "g", intent.terms());
  }

  private static Ending ending(State state) {
    Answer answer = new Answer(200, new Content(Map.of(), new byte[0]));
    return new Ending(state, answer, 1, null);
  }

  @Test
  void oneWorksOnItAtATime() throws Exception {
    Intent intent = intent("1", Safety.KEYED);
    Claim.Granted claim = granted(intent);
    assertInstanceOf(Claim.InFlight.class, journal.claim(intent, LEASE));
    assertTrue(journal.ended(intent, claim, ending(State.SUCCEEDED)));
    assertInstanceOf(Claim.Finished.class, journal.claim(intent, LEASE));
    assertFalse(journal.ended(intent, claim, ending(State.FAILED)), "the claim is over");
  }

  @Test
  void anotherRequestIsToldWhatTheNameStandsFor() throws Exception {
    Intent intent = intent("1", Safety.KEYED);
    granted(intent);
    Intent other = other(intent);
    Claim.OtherRequest refused =
        assertInstanceOf(Claim.OtherRequest.class, journal.claim(other, LEASE));
    assertEquals("POST a/pay", refused.existing(), "no query: it may hold secrets");
  }

  @Test
  void aClosedOneBeginsAnew() throws Exception {
    Intent intent = intent("1", Safety.UNSAFE);
    journal.ended(intent, granted(intent), ending(State.CLOSED));
    assertFalse(granted(intent).mayHaveActed());
  }

  @Test
  void aClosedOneMakesRoomForAnotherRequest() throws Exception {
    Intent intent = intent("1", Safety.KEYED);
    journal.ended(intent, granted(intent), ending(State.CLOSED));
    assertFalse(granted(other(intent)).mayHaveActed());
  }

  @Test
  void anotherKeyOnTheWireIsNotSentAfterTheFirst() throws Exception {
    Intent intent = intent("1", Safety.KEYED);
    Claim.Granted claim = granted(intent);
    journal.sending(intent, claim);
    journal.ended(intent, claim, ending(State.READY));
    Terms terms =
        new Terms(Safety.KEYED, Duration.ofSeconds(10), new Journaling.Key("Idempotency-Key", "x"));
    Intent rekeyed =
        new Intent(intent.id(), intent.caller(), intent.request(), intent.fingerprint(), terms);
    assertInstanceOf(Claim.Unknown.class, journal.claim(rekeyed, LEASE));
    assertTrue(granted(intent).mayHaveActed(), "the first key still settles it");
  }

  @ParameterizedTest
  @EnumSource(names = {"KEYED", "IDEMPOTENT"})
  void anUnsettledOneIsSentAgainUntilItsTimeIsOver(Safety safety) throws Exception {
    Intent intent = intent("1", safety);
    Claim.Granted claim = granted(intent);
    journal.sending(intent, claim);
    now.addAndGet(Duration.ofSeconds(4).toNanos());
    journal.ended(intent, claim, ending(State.READY));
    Claim.Granted again = granted(intent);
    assertTrue(again.mayHaveActed());
    assertEquals(Duration.ofSeconds(6), again.windowLeft(), "from the first time it was sent");
    journal.sending(intent, again);
    journal.ended(intent, again, ending(State.READY));
    now.addAndGet(Duration.ofSeconds(6).toNanos());
    assertInstanceOf(Claim.Unknown.class, journal.claim(intent, LEASE));
    assertInstanceOf(Claim.Unknown.class, journal.claim(intent, LEASE), "for good");
  }

  @ParameterizedTest
  @EnumSource(names = {"SUCCEEDED", "FAILED", "CLOSED"})
  void theOldestThatIsFinishedIsForgotten(State state) throws Exception {
    Intent oldest = intent("1", Safety.KEYED);
    Intent running = intent("2", Safety.KEYED);
    Claim.Granted claim = granted(oldest);
    granted(running);
    journal.ended(oldest, claim, ending(state));
    granted(intent("3", Safety.KEYED));
    assertInstanceOf(Claim.InFlight.class, journal.claim(running, LEASE));
  }

  private static Claim.Finished finished(InMemoryJournal journal, String key)
      throws RefusedException {
    return (Claim.Finished) journal.claim(intent(key, Safety.KEYED), LEASE);
  }

  @ParameterizedTest
  @EnumSource(names = {"READY", "UNKNOWN"})
  void oneWhoseEffectIsNotKnownIsForgottenAfterADay(State state) throws Exception {
    Intent oldest = intent("1", Safety.KEYED);
    Claim.Granted claim = granted(oldest);
    granted(intent("2", Safety.KEYED));
    journal.ended(oldest, claim, ending(state));
    now.addAndGet(Duration.ofHours(24).toNanos());
    granted(intent("3", Safety.KEYED));
    assertInstanceOf(Claim.InFlight.class, journal.claim(intent("2", Safety.KEYED), LEASE));
  }

  @ParameterizedTest
  @EnumSource(names = {"READY", "UNKNOWN", "IN_FLIGHT"})
  void oneWhoseEffectIsNotKnownIsNotForgotten(State state) throws Exception {
    Intent oldest = intent("1", Safety.KEYED);
    Claim.Granted claim = granted(oldest);
    granted(intent("2", Safety.KEYED));
    journal.ended(oldest, claim, ending(state));
    assertThrows(RefusedException.class, () -> granted(intent("3", Safety.KEYED)));
  }

  @Test
  void answersOfMoreThan16MebibytesMakeRoom() throws Exception {
    InMemoryJournal large =
        new InMemoryJournal(1_000, OperationJournal.Settings.defaults(), now::get);
    Answer big = new Answer(200, new Content(Map.of(), new byte[1 << 16]));
    for (int i = 0; i <= 256; i++) {
      Intent intent = intent("k" + i, Safety.KEYED);
      Claim.Granted claim = (Claim.Granted) large.claim(intent, LEASE);
      large.ended(intent, claim, new Ending(State.SUCCEEDED, big, 1, null));
    }
    assertNull(finished(large, "k0").answer(), "the oldest answer made room");
    assertNotNull(finished(large, "k1").answer());
  }

  @Test
  void aFullOneRefuses() throws Exception {
    granted(intent("1", Safety.KEYED));
    granted(intent("2", Safety.KEYED));
    RefusedException refused =
        assertThrows(RefusedException.class, () -> journal.claim(intent("3", Safety.KEYED), LEASE));
    assertTrue(refused.getMessage().contains("2 operations"), refused.getMessage());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, 1_000_001})
  void theSizeHasARange(int operations) {
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> OperationJournal.inMemory(operations));
    assertTrue(refused.getMessage().contains("1 to 1000000"), refused.getMessage());
  }
}
