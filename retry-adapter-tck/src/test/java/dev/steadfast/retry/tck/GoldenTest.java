package dev.steadfast.retry.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.tck.example.ExampleEntryPoint;
import org.junit.jupiter.api.Test;

/** A golden file fails the run that gives something else, and says what. */
class GoldenTest {
  private static final String TEXT =
      """
      == POST with a minted key
      -- reference blocking, reference asynchronous
      request 1: POST /pay | idempotency-key: k1 | body 100
      request 2: POST /pay | idempotency-key: k1 | body 100
      caller: 200 | body ok
      report of the caller: 2 attempts, accepted [#1 503, #2 200] | ACCEPTED | effect SUCCEEDED | server may have acted | earlier attempt may have acted | waited 100ms | key k1
      attempt 1: status 503 | UNAVAILABLE | ANSWERED | deliveries 1 | after a wait of 0s
      attempt 2: status 200 | ANSWERED | deliveries 1 | after a wait of 100ms
      events: attempt 1: 503 UNAVAILABLE answered; wait 100ms backoff; attempt 2: 200; done ACCEPTED 2
      budget: took 1 UNAVAILABLE, SUCCEEDED
      permits: failed, succeeded

      """;

  private static final Scenario ROW =
      Scenario.row("POST with a minted key")
          .post("/pay", "100")
          .retry(b -> b.idempotencyKeys(IdempotencyKeys.randomUuid()))
          .replies(Reply.status(503), Reply.status(200).body("ok"))
          .expect(e -> e.key("minted"))
          .retriedAfter("503 UNAVAILABLE answered");

  @Test
  void whatIsAsTheFileSays_passes() throws Exception {
    Golden golden = Golden.of(TEXT);
    ScenarioRun.of(ROW, ExampleEntryPoint.blocking(), golden::compare);
    ScenarioRun.of(ROW, ExampleEntryPoint.async(), golden::compare);
    golden.end();
  }

  @Test
  void whatDiffers_isShownLineByLine() {
    String found = found(Golden.of(TEXT.replace("permits: failed", "permits: released")));
    assertTrue(found.contains("\n      - permits: released, succeeded"), found);
    assertTrue(found.contains("\n      + permits: failed, succeeded"), found);
    assertFalse(found.contains("- budget"), found);
  }

  @Test
  void rowThatTheFileDoesNotHave_isShownAsNew() {
    String found = found(Golden.of(""));
    assertTrue(found.contains("\n      + caller: 200 | body ok"), found);
  }

  @Test
  void rowThatDidNotRun_isNamed() throws Exception {
    Golden golden = Golden.of(TEXT);
    ScenarioRun.of(ROW, ExampleEntryPoint.blocking(), golden::compare);
    String found = assertThrows(AssertionError.class, golden::end).getMessage();
    assertTrue(found.endsWith("POST with a minted key [reference asynchronous]"), found);
  }

  @Test
  void print_givesWhatWasRead() {
    assertEquals(TEXT, Golden.print(Golden.parse(TEXT)));
  }

  private static String found(Golden golden) {
    return assertThrows(
            AssertionError.class,
            () -> ScenarioRun.of(ROW, ExampleEntryPoint.blocking(), golden::compare))
        .getMessage();
  }
}
