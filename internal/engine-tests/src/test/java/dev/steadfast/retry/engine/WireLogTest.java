package dev.steadfast.retry.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.engine.Evidence.Safety;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What follows from the requests that an adapter reports. */
class WireLogTest {
  /**
   * A log of events, separated by blanks: {@code GET}, {@code PUT}, {@code POST} and {@code KEYED}
   * (a POST with the key) go out; {@code elsewhere} and {@code own} begin; {@code dead}, {@code
   * notSent}, {@code refused}, {@code unseen} (POST), {@code unseenAnswer}, {@code beside} (POST);
   * a number is an answer.
   */
  private static WireLog<String> log(String events) {
    return tell(
        new WireLog<>(plan(RetryPolicy.defaults(), Replayable.BY_REQUEST), each -> each + " /"),
        events);
  }

  private static RetryPlan plan(RetryPolicy policy, Replayable word) {
    return Course.plan(policy, () -> 0).withReplayable(word);
  }

  private static WireLog<String> tell(WireLog<String> log, String events) {
    for (String event : events.trim().isEmpty() ? new String[0] : events.trim().split(" +")) {
      switch (event) {
        case "elsewhere" -> log.begins(true);
        case "own" -> log.begins(false);
        case "dead" -> log.onDeadConnection();
        case "notSent" -> log.notSent();
        case "refused" -> log.refused();
        case "unseen" -> log.othersUnseen(Safety.UNSAFE, false);
        case "unseenAnswer" -> log.othersUnseen(Safety.UNSAFE, true);
        case "beside" -> log.otherSent(Safety.UNSAFE, false);
        case "GET", "PUT", "POST", "KEYED" ->
            assertTrue(log.sends(event, safety(event), event.equals("KEYED")));
        default -> log.answered(Integer.parseInt(event));
      }
    }
    return log;
  }

  private static Safety safety(String event) {
    return switch (event) {
      case "GET" -> Safety.READ_ONLY;
      case "PUT" -> Safety.IDEMPOTENT;
      case "KEYED" -> Safety.KEYED;
      default -> Safety.UNSAFE;
    };
  }

  @ParameterizedTest
  @CsvSource({
    "'',                          -1,  UNSENT UNPROCESSED,            0",
    "POST,                        -1,  UNKNOWN UNSAFE,                1",
    "POST notSent,                -1,  UNSENT UNSAFE,                 0",
    "POST refused,                -1,  REFUSED UNSAFE,                1",
    "dead,                        -1,  UNSENT UNPROCESSED,            0",
    "dead POST,                   -1,  UNKNOWN UNSAFE,                1",
    "POST 200,                    200, ANSWERED UNSAFE,               1",
    "POST 401,                    401, REFUSED UNSAFE,                1",
    "POST 401 POST 503,           503, ANSWERED UNSAFE,               2",
    "POST 303 GET,                -1,  UNKNOWN READ_ONLY after UNSAFE, 2",
    "POST 303 dead,               -1,  UNSENT UNPROCESSED after UNSAFE, 1",
    "POST 303 dead GET 200,       200, ANSWERED READ_ONLY after UNSAFE, 2",
    "POST notSent GET 200,        200, ANSWERED READ_ONLY,            1",
    "KEYED PUT GET 200,           200, ANSWERED READ_ONLY after KEYED, 3",
    // A server that names another place has done nothing, if nothing was sent there.
    "POST 307,                    -1,  REFUSED UNSAFE,                1",
    "POST 308,                    308, ANSWERED UNSAFE,               1",
    "POST 307 dead,               -1,  UNSENT UNPROCESSED after UNSAFE, 1",
    "POST 307 POST,               -1,  UNKNOWN UNSAFE after UNSAFE,   2",
    "POST 302,                    -1,  ANSWERED UNSAFE,               1",
    // What nobody saw is not known.
    "unseen,                      -1,  UNKNOWN UNSAFE,                0",
    "unseen,                      503, ANSWERED UNSAFE,               0",
    "PUT unseen,                  -1,  UNKNOWN UNSAFE,                1",
    "PUT 401 unseen,              -1,  UNKNOWN UNSAFE,                1",
    "POST 307 unseen,             -1,  UNKNOWN UNSAFE,                1",
    "GET refused unseenAnswer,    200, ANSWERED UNSAFE,               1",
    // An answer proves nothing of another request that went out.
    "POST 429 beside,             429, ANSWERED UNSAFE after UNSAFE,  1",
    "beside POST refused,         -1,  UNKNOWN UNSAFE after UNSAFE,   1",
  })
  void theEvidenceOfAnAttempt(String events, int status, String requests, int deliveries) {
    WireLog<String> log = log(events);
    Evidence evidence = log.evidence(status, true);
    assertEquals(requests, evidence.requests().toString());
    assertEquals(status, evidence.status());
    assertEquals(deliveries, evidence.deliveries());
    assertEquals(deliveries, log.deliveries());
    assertTrue(evidence.bodySpent());
    assertFalse(evidence.replayed());
    assertEquals(AnswerProof.of(status), evidence.proof());
  }

  @ParameterizedTest
  @CsvSource({
    "POST 429,              429, true",
    "POST 429,              -1,  true",
    "POST 500,              429, false",
    "POST 200,              429, false",
    "POST,                  429, false",
    "'',                    429, false",
    "POST 429 GET 200,      429, false",
    "POST 429 unseen,       429, true",
    "POST 429 unseenAnswer, 429, false",
  })
  void aClaimCounts_ifTheServerHasSentThatStatus(String events, int status, boolean counts) {
    Evidence evidence = log(events).evidence(status, false);
    Disposition claimed = evidence.withRefusal().last();
    assertEquals(counts, claimed == Disposition.REFUSED, claimed.name());
  }

  @ParameterizedTest
  @CsvSource({
    "POST 404,              404, false",
    "POST 303 GET 404,      404, true",
    "POST GET 404,          404, true",
    "POST 401 POST 404,     404, false",
    "POST 404 GET 404,      404, false",
    "POST 307 POST 404,     404, false",
    "POST notSent POST 404, 404, false",
    "GET 302 GET 404,       404, false",
    // User code has changed the answer.
    "POST 500,              404, true",
    "POST 200,              404, true",
    "POST 403,              404, false",
    "GET 500,               404, false",
  })
  void anEffectOfWhichTheAnswerTellsNothing(String events, int status, boolean unknown) {
    assertEquals(unknown, log(events).evidence(status, false).leavesUnknown(false));
  }

  @ParameterizedTest
  @CsvSource({
    // The reason of a single request is that of the operation: no name is needed.
    "POST,                                 -1,  ",
    "POST 303 GET 503,                     503, POST /",
    "elsewhere POST 200 own KEYED,         -1,  POST /",
    "elsewhere POST 200 own KEYED 503,     503, POST /",
    "elsewhere POST,                       -1,  POST /",
    "KEYED 307 POST,                       -1,  POST /",
    "elsewhere POST 401 own KEYED,         -1,  ",
    "elsewhere KEYED 200 own KEYED,        -1,  ",
  })
  void theRequestThatForbidsARepetition_isNamed(String events, int status, @Nullable String name) {
    assertEquals(name, log(events).evidence(status, false).trail().unsafe());
  }

  @ParameterizedTest
  @CsvSource({
    "KEYED,                                -1,  ",
    "POST,                                 -1,  POST /",
    "PUT,                                  -1,  PUT /",
    "GET,                                  -1,  ",
    "POST notSent,                         -1,  ",
    "POST 404,                             404, ",
    "KEYED 307 POST,                       -1,  POST /",
    "KEYED 307 POST 404,                   404, ",
    "POST 200 KEYED,                       -1,  POST /",
    "POST 401 KEYED,                       -1,  ",
    "elsewhere POST 200 own KEYED,         -1,  ",
    "elsewhere POST 303 PUT own KEYED,     -1,  ",
    "own KEYED 200 elsewhere POST,         -1,  ",
    // Where none is known to be the operation's, all are.
    "elsewhere POST,                       -1,  POST /",
    "elsewhere POST 303 GET,               -1,  POST /",
    "elsewhere POST 200 elsewhere KEYED,   -1,  POST /",
    "elsewhere POST 404 elsewhere KEYED,   -1,  ",
  })
  void theRequestThatDidNotCarryTheKey_isNamed(String events, int status, @Nullable String name) {
    assertEquals(name, log(events).evidence(status, false).trail().withoutKey());
  }

  @ParameterizedTest
  @CsvSource({
    "GET,          true",
    "KEYED,        true",
    "POST,         false",
    "POST refused, true",
    "POST notSent, true",
    "POST 401,     true",
    "POST 303 GET, true", // the GET alone
    "GET 307 POST, false",
  })
  void theClientSendsARequestAgain_byTheRuleOfTheLoop(String events, boolean may) {
    assertEquals(may, log(events).maySendAgain());
  }

  @Test
  void theCallersWordHoldsForTheClientToo() {
    for (Replayable word : List.of(Replayable.ALWAYS, Replayable.NEVER)) {
      WireLog<String> log = new WireLog<>(plan(RetryPolicy.defaults(), word), each -> each);
      for (String request : new String[] {"GET", "KEYED", "POST"}) {
        assertEquals(word == Replayable.ALWAYS, tell(log, request).maySendAgain(), request);
        assertEquals(
            word == Replayable.ALWAYS, log.survivesDeadConnection(safety(request)), request);
      }
    }
  }

  /** Only the loop counts repeats, so a word that allows a number of them is not the client's. */
  @Test
  void aWordThatIsCountedHoldsForTheLoopAlone() {
    RetryPlan paid =
        Course.plan(RetryPolicy.defaults(), () -> 0).withReplayable(Replayable.ALWAYS, 3);
    WireLog<String> log = new WireLog<>(paid, each -> each);
    assertFalse(tell(log, "POST").maySendAgain(), "POST");
    assertFalse(log.survivesDeadConnection(Safety.UNSAFE), "POST on a dead connection");
    assertTrue(tell(log, "KEYED").maySendAgain(), "POST with a key");
  }

  @ParameterizedTest
  @CsvSource({
    "READ_ONLY, 1, true",
    "IDEMPOTENT, 1, true",
    "KEYED, 1, false",
    "KEYED, 2, true",
    "UNSAFE, 2, false"
  })
  void aDeadConnectionEndsTheOperation_ifItsResendCountsAndNoneIsLeft(
      Safety why, int attempts, boolean survives) {
    RetryPolicy policy = RetryPolicy.builder().maxAttempts(attempts).build();
    WireLog<String> log = new WireLog<>(plan(policy, Replayable.BY_REQUEST), each -> each);
    assertEquals(survives, log.survivesDeadConnection(why));
  }

  @ParameterizedTest
  @CsvSource({
    "'',                 false, false",
    "POST,               false, false",
    "dead,               false, false",
    "POST 303 GET,       true,  true",
    "POST 401 POST,      true,  false",
    "POST 303 dead GET,  true,  true",
    "POST 303 GET GET,   false, true",
  })
  void whatComesBeforeTheLatestRequest(String events, boolean followUp, boolean processed) {
    WireLog<String> log = log(events);
    assertEquals(followUp, log.isFollowUp());
    assertEquals(processed, log.followsProcessed());
  }

  @Test
  void whatIsSealed_sendsNothingAnyMore() {
    WireLog<String> log = log("POST");
    log.seal();
    log.seal();
    assertTrue(log.isSealed());
    assertFalse(log.sends("GET", Safety.READ_ONLY, true));
    assertEquals("UNKNOWN UNSAFE", log.evidence(-1, false).requests().toString());
    assertEquals("POST", log.latest());
    log.notSent(); // its thread learns that now
    assertEquals(0, log.deliveries());
    assertTrue(log.isSealed());
    assertEquals(Disposition.UNSENT, log.disposition());
  }

  @Test
  void aDeadConnectionLeavesNoRequest() {
    assertNull(log("POST 303 dead").latest());
    assertEquals(Safety.UNPROCESSED, log("POST 303 dead").safety());
    assertEquals("unsent", log("").disposition().name().toLowerCase(Locale.ROOT));
  }
}
