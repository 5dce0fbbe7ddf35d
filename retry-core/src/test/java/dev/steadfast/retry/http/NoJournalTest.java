package dev.steadfast.retry.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

/** Journaled operations need a module that is not on the class path of these tests. */
class NoJournalTest {
  private static final TestRequest CHARGE = TestRequest.of("POST").body("5");

  private final HttpRetry retry = HttpRetry.builder().build();

  private static RetryOptions journaled() {
    return RetryOptions.builder().journaled("charge", "order-4711").build();
  }

  private static void refusal(HttpRetry retry) {
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> retry.operation(CHARGE, journaled()));
    assertEquals(
        "journaled operation charge: no journal on the class path (expected: the module"
            + " dev.steadfast:retry-operations)",
        refused.getMessage());
  }

  @Test
  void aJournaledCallIsRefused_andNamesTheModule() {
    refusal(retry);
    refusal(retry); // each time
    refusal(HttpRetry.builder().journal(new Journaling.Journal() {}).build());
  }

  @Test
  void otherCallsNeedNoJournal() {
    Wire wire = Wire.run(retry.operation(CHARGE, RetryOptions.none()), TestResponse.of(201));
    assertEquals(1, wire.sent().size());
    HttpOperation operation = retry.operation(CHARGE, RetryOptions.none());
    assertEquals(0, operation.keepsAnswerBytes());
    assertThrows(IllegalArgumentException.class, operation::intent);
  }
}
