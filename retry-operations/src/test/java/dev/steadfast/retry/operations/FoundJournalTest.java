package dev.steadfast.retry.operations;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.engine.Evidence;
import dev.steadfast.retry.engine.Outcome;
import dev.steadfast.retry.engine.RetryTransport;
import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.Journaling;
import dev.steadfast.retry.http.ResponseView;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.http.TestRequest;
import dev.steadfast.retry.http.TestResponse;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A client that was given no journal finds this module on the class path. */
class FoundJournalTest {
  private static final TestRequest CHARGE = TestRequest.of("POST").body("5");
  private static final RetryOptions ORDER =
      RetryOptions.builder().journaled("charge", "order-4711").build();

  private int sent;

  /** Answers each attempt at once. */
  private final class Answering implements RetryTransport<String>, Journaling.Codec<String> {
    private static final Evidence EVIDENCE =
        Evidence.of(Disposition.ANSWERED, Evidence.Safety.KEYED, 201, 1);

    @Override
    public void start(Attempt<String> attempt) {
      sent++;
      attempt.begin("request");
      attempt.complete("answer " + sent, null);
    }

    @Override
    public Outcome outcome(String response) {
      return new Outcome(Verdict.accepted(), EVIDENCE);
    }

    @Override
    public Outcome outcome(Throwable failure) {
      throw new AssertionError(failure);
    }

    @Override
    public Evidence evidence() {
      return EVIDENCE;
    }

    @Override
    public Throwable failure(End end, @Nullable Throwable cause) {
      throw new AssertionError(end.toString(), cause);
    }

    @Override
    public ResponseView head(String response) {
      return TestResponse.of(201);
    }

    @Override
    public byte[] body(String response) {
      return response.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public Journaling.EarlierRequest earlierRequest(String response) {
      return Journaling.EarlierRequest.NONE;
    }

    @Override
    public String restore(ResponseView head, byte[] body, RetryReport report) {
      return "kept " + head.status() + " " + new String(body, StandardCharsets.UTF_8);
    }
  }

  private static HttpRetry.Builder builder() {
    return HttpRetry.builder().idempotencyKeys(IdempotencyKeys.randomUuid());
  }

  private String call(HttpRetry retry) throws Throwable {
    HttpOperation operation = retry.operation(CHARGE, ORDER);
    Answering client = new Answering();
    return operation.loop(operation.plan(), client, client).run(operation.boundNanos());
  }

  @Test
  void itGuardsItsProcess() throws Throwable {
    HttpRetry retry = builder().build();
    assertEquals("answer 1", call(retry));
    assertEquals("kept 201 answer 1", call(retry));
    assertEquals("kept 201 answer 1", call(retry.toBuilder().build()), "the same journal");
    assertEquals("answer 2", call(builder().build()), "another configuration has its own");
  }

  @Test
  void aJournalThatIsGivenIsUsed() throws Throwable {
    OperationJournal journal = OperationJournal.inMemory(1);
    assertEquals("answer 1", call(builder().journal(journal).build()));
    assertEquals("kept 201 answer 1", call(builder().journal(journal).build()));
  }

  @Test
  void anAdapterWithoutACodecSendsNoJournaledOperation() throws Throwable {
    HttpOperation operation = builder().build().operation(CHARGE, ORDER);
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class,
            () -> operation.loop(operation.plan(), new Answering()));
    assertEquals(
        "journaled operation charge: a client without a codec (expected: one whose adapter gives"
            + " Journaling.Codec)",
        refused.getMessage());
    assertEquals(0, sent);

    HttpOperation plain = builder().build().operation(CHARGE, RetryOptions.none());
    assertEquals("answer 1", plain.loop(plain.plan(), new Answering()).run(plain.boundNanos()));
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
