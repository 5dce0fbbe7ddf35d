package dev.steadfast.retry.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.Verdict;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

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
    "ANSWERED, 409, true", // nobody has read whether it asks to wait
    "ANSWERED, 499, true", // a gateway that lost its client
    "ANSWERED, 302, true",
    "ANSWERED, 307, false",
    "ANSWERED, 500, true",
    "ANSWERED, 503, true",
    "UNSENT,   -1,  false",
    "REFUSED,  503, false"
  })
  void nobodyKnowsWhatTheServerDid_unlessItSaidSo(Disposition last, int status, boolean unknown) {
    assertEquals(unknown, evidence(last, Evidence.Safety.UNPROCESSED, status).leavesUnknown(false));
  }

  @ParameterizedTest
  @EnumSource
  void anAcceptedAnswerLeavesNothingUnknown_butARedirect(AnswerProof proof) {
    Evidence evidence = Evidence.of(requests(), 200, 1, false).withProof(proof);
    assertEquals(proof == AnswerProof.REDIRECTED, evidence.leavesUnknown(true));
    assertEquals(proof.sendsElsewhere(), evidence.withEarlierEffect().leavesUnknown(true));
  }

  @ParameterizedTest
  @EnumSource
  void onlyTheReplayOfAFailureProvesIt(AnswerProof proof) {
    Evidence evidence = Evidence.of(requests(), 200, 1, false).withProof(proof);
    assertFalse(evidence.provesFailure());
    assertEquals(!proof.mayBeDone(), evidence.withReplay().provesFailure());
  }

  @Test
  void whatTheHeadersProve_changesNothingElse() {
    Evidence conflict = Evidence.of(requests(), 409, 2, true).withReplay();
    Evidence proved = conflict.withProof(AnswerProof.NOT_DONE);
    assertEquals(evidence(requests(), 409, true, AnswerProof.NOT_DONE), proved);
    assertSame(proved, proved.withProof(AnswerProof.NOT_DONE));
  }

  /** It answers another request than the one that may have had the effect. */
  @Test
  void aRefusalAfterAnEffect_saysNothingOfIt() {
    Evidence evidence = Evidence.of(requests(), 404, 2, true);
    assertFalse(evidence.leavesUnknown(false));
    assertTrue(evidence.withEarlierEffect().leavesUnknown(false));
    assertTrue(evidence.withEarlierEffect().withRefusal().leavesUnknown(false));
    assertEquals(requests().toString(), evidence.withEarlierEffect().requests().toString());
    Evidence unsent = evidence(Disposition.UNSENT, Evidence.Safety.UNPROCESSED, -1);
    assertTrue(unsent.withEarlierEffect().leavesUnknown(false));
  }

  @Test
  void aMarkedAnswer_isAReplay_andChangesNothingElse() {
    Evidence evidence = Evidence.of(requests(), 200, 2, true);
    assertEquals(Evidence.of(requests(), 200, 2, true).withReplay(), evidence.withReplay());
  }

  @Test
  void aRefusal_isOfTheLastRequest_andChangesNothingElse() {
    Evidence evidence = Evidence.of(requests(), 429, 2, true).withReplay();
    Evidence.Requests refused =
        Evidence.Requests.of(
            Disposition.REFUSED, Evidence.Safety.KEYED, Evidence.Safety.IDEMPOTENT);
    assertEquals(evidence(refused, 429, true, AnswerProof.REFUSED), evidence.withRefusal());
  }

  /** An interceptor has made it of another one: what it claims is not about what was sent. */
  @Test
  void aClaimOfAnAnswerThatUserCodeHasChanged_doesNotCount() {
    Evidence changed =
        Evidence.of(requests(), 429, 1, false)
            .withProof(AnswerProof.NOT_DONE)
            .withTrail(Evidence.WireFindings.of(false));
    assertSame(changed, changed.withRefusal());
    Verdict claims = Verdict.retryable(FailureKind.THROTTLED).withNothingDone();
    assertSame(changed, new Outcome(claims, changed).evidence());
    assertFalse(
        changed
            .withReplay()
            .withProof(AnswerProof.REFUSED)
            .withRefusal()
            .withReplay()
            .trail()
            .answerIsServers());
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
        Evidence.of(Disposition.UNSENT, Evidence.Safety.UNSAFE, -1, 0).requests().toString());
  }

  @Test
  void anAttemptOfSeveralDeliveries_changesNoLaterOne() {
    // Requests that no other test has: what attempts share lasts as long as the process.
    Evidence.Requests rare =
        Evidence.Requests.of(Disposition.REFUSED, Evidence.Safety.UNSAFE, Evidence.Safety.UNSAFE);
    for (int deliveries : new int[] {2, 0, 1, 3}) {
      Evidence each = Evidence.of(rare, 200, deliveries, false);
      assertEquals(deliveries, each.deliveries());
      assertSame(each, Outcome.of(Verdict.accepted(), each).evidence());
    }
    Evidence shared = Evidence.of(rare, 200, 1, false);
    assertSame(Outcome.of(Verdict.accepted(), shared), Outcome.of(Verdict.accepted(), shared));
  }

  private static Evidence replayed(Evidence evidence, boolean replayed) {
    return replayed ? evidence.withReplay() : evidence;
  }

  private static Evidence evidence(
      Evidence.Requests requests, int status, boolean replayed, AnswerProof proof) {
    return replayed(Evidence.of(requests, status, 2, true), replayed).withProof(proof);
  }

  private static Evidence.Requests requests() {
    return Evidence.Requests.of(
        Disposition.ANSWERED, Evidence.Safety.KEYED, Evidence.Safety.IDEMPOTENT);
  }

  private static Evidence evidence(Disposition last, Evidence.Safety earlier, int status) {
    return Evidence.of(last, Evidence.Safety.IDEMPOTENT, status, 1).withEarlier(earlier);
  }
}
