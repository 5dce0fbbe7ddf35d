package dev.steadfast.retry.operations;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.Journaling;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.http.TestRequest;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** A client that was given no journal finds this module on the class path. */
class FoundJournalTest {
  private static final TestRequest CHARGE = TestRequest.of("POST").body("5");
  private static final RetryOptions ORDER =
      RetryOptions.builder().journaled("charge", "order-4711").build();

  private final AnsweringClient client = new AnsweringClient();

  private static HttpRetry.Builder builder() {
    return HttpRetry.builder().idempotencyKeys(IdempotencyKeys.randomUuid());
  }

  /** Makes the same call, and returns how many of them have been sent. */
  private int call(HttpRetry retry) throws Throwable {
    HttpOperation operation = retry.operation(CHARGE, ORDER);
    assertEquals(
        "answer", operation.loop(operation.plan(), client, client).run(operation.boundNanos()));
    return client.sent.get();
  }

  @Test
  void itGuardsItsProcess() throws Throwable {
    HttpRetry retry = builder().build();
    assertEquals(1, call(retry));
    assertEquals(1, call(retry));
    assertEquals(1, call(retry.toBuilder().build()), "the same journal");
    assertEquals(2, call(builder().build()), "another configuration has its own");
  }

  @Test
  void aJournalThatIsGivenIsUsed() throws Throwable {
    OperationJournal journal = OperationJournal.inMemory(1);
    assertEquals(1, call(builder().journal(journal).build()));
    assertEquals(1, call(builder().journal(journal).build()));
  }

  @Test
  void anAdapterWithoutACodecSendsNoJournaledOperation() throws Throwable {
    HttpOperation operation = builder().build().operation(CHARGE, ORDER);
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class, () -> operation.loop(operation.plan(), client));
    assertEquals(
        "journaled operation charge: a client without a codec (expected: one whose adapter gives"
            + " Journaling.Codec)",
        refused.getMessage());
    assertEquals(0, client.sent.get());

    HttpOperation plain = builder().build().operation(CHARGE, RetryOptions.none());
    assertEquals("answer", plain.loop(plain.plan(), client).run(plain.boundNanos()));
  }

  @Test
  void whatIsNoJournalIsRefused() {
    HttpRetry retry = builder().journal(new Journaling.Journal() {}).build();
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> retry.operation(CHARGE, ORDER));
    assertTrue(refused.getMessage().endsWith("(expected: an OperationJournal)"));
  }

  @Test
  void anIntentIsThatOfThisModule() {
    Journaling.Kept kept = builder().build().operation(CHARGE, ORDER).intent();
    OperationJournal.Intent intent = OperationJournal.Intent.of(kept);
    assertEquals("order-4711", intent.id().key());
    assertEquals(intent.terms().key(), kept.sentKey());
    assertEquals("5", new String(kept.request().body(1).orElseThrow(), StandardCharsets.UTF_8));
    assertTrue(kept.request().body(0).isEmpty(), "longer than asked for");
  }
}
