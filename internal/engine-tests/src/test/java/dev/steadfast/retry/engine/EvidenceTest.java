package dev.steadfast.retry.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Disposition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the requests of an attempt and its answer tell of the attempt as a whole. */
class EvidenceTest {
  @ParameterizedTest
  @CsvSource({
    // One request: what became of it.
    "UNSENT,   UNPROCESSED, -1,  UNSENT",
    "REFUSED,  UNPROCESSED, 429, REFUSED",
    "ANSWERED, UNPROCESSED, 200, ANSWERED",
    "UNKNOWN,  UNPROCESSED, -1,  UNKNOWN",
    // An earlier one may have acted, as before a redirect to a host that refuses connections.
    "UNSENT,   IDEMPOTENT,  -1,  UNKNOWN",
    "REFUSED,  KEYED,       401, ANSWERED",
    "REFUSED,  UNSAFE,      0,   ANSWERED",
    "UNKNOWN,  UNSAFE,      200, UNKNOWN",
    "ANSWERED, UNSAFE,      -1,  ANSWERED"
  })
  void theDispositionOfAnAttempt_isThatOfItsHardestRequest(
      Disposition last, Evidence.Safety earlier, int status, Disposition expected) {
    assertEquals(expected, evidence(last, earlier, status).disposition());
  }

  @ParameterizedTest
  @CsvSource({
    "UNKNOWN,  -1,  true",
    "ANSWERED, 200, true", // accepted or not: that is the verdict's
    "ANSWERED, 399, true",
    "ANSWERED, 400, false",
    "ANSWERED, 404, false",
    "ANSWERED, 407, false",
    "ANSWERED, 408, true", // a proxy that lost patience
    "ANSWERED, 409, false",
    "ANSWERED, 499, false",
    "ANSWERED, 500, true",
    "ANSWERED, 503, true",
    "UNSENT,   -1,  false",
    "REFUSED,  503, false"
  })
  void nobodyKnowsWhatTheServerDid_unlessItSaidSo(Disposition last, int status, boolean ambiguous) {
    assertEquals(ambiguous, evidence(last, Evidence.Safety.UNPROCESSED, status).ambiguous());
  }

  /** It answers another request than the one that may have had the effect. */
  @Test
  void aRefusalAfterAnEffect_saysNothingOfIt() {
    Evidence evidence = new Evidence(requests(), 404, 2, false, true);
    assertFalse(evidence.ambiguous());
    assertTrue(evidence.afterEffect().ambiguous());
    assertTrue(evidence.afterEffect().refused().ambiguous());
    assertEquals(requests().toString(), evidence.afterEffect().requests().toString());
    Evidence unsent = evidence(Disposition.UNSENT, Evidence.Safety.UNPROCESSED, -1);
    assertTrue(unsent.afterEffect().ambiguous());
  }

  @Test
  void aMarkedAnswer_isAReplay_andChangesNothingElse() {
    Evidence evidence = new Evidence(requests(), 200, 2, false, true);
    assertEquals(new Evidence(requests(), 200, 2, true, true), evidence.marked());
  }

  @Test
  void aRefusal_isOfTheLastRequest_andChangesNothingElse() {
    Evidence evidence = new Evidence(requests(), 429, 2, true, true);
    Evidence.Requests refused =
        Evidence.Requests.of(
            Disposition.REFUSED, Evidence.Safety.KEYED, Evidence.Safety.IDEMPOTENT);
    assertEquals(new Evidence(refused, 429, 2, true, true), evidence.refused());
  }

  @Test
  void theWeakerOfTwoReasons_holdsForBoth() {
    Evidence.Safety keyed = Evidence.Safety.KEYED;
    assertSame(keyed, keyed.and(Evidence.Safety.IDEMPOTENT));
    assertSame(keyed, Evidence.Safety.IDEMPOTENT.and(keyed));
  }

  @Test
  void requestsReadAsTheyWereSent() {
    assertEquals("ANSWERED KEYED after IDEMPOTENT", requests().toString());
    assertEquals(
        "UNSENT UNSAFE",
        Evidence.Requests.of(Disposition.UNSENT, Evidence.Safety.UNSAFE).toString());
  }

  private static Evidence.Requests requests() {
    return Evidence.Requests.of(
        Disposition.ANSWERED, Evidence.Safety.KEYED, Evidence.Safety.IDEMPOTENT);
  }

  private static Evidence evidence(Disposition last, Evidence.Safety earlier, int status) {
    Evidence.Requests requests = Evidence.Requests.of(last, Evidence.Safety.IDEMPOTENT, earlier);
    return Evidence.of(requests, status, 1);
  }
}
