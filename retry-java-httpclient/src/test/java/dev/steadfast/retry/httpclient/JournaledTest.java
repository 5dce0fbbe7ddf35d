package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.operations.OperationJournal.Refusal;
import dev.steadfast.retry.operations.OperationJournal.RefusedException;
import dev.steadfast.retry.operations.OperationJournal.State;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.internal.JournalUnderTest;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** An operation with a name and a business key is begun once. */
class JournaledTest {
  private final Bench bench = new Bench();
  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void close() throws InterruptedException {
    bench.close();
    threads.shutdown();
    assertTrue(threads.awaitTermination(20, TimeUnit.SECONDS));
  }

  /** Each way in, with a journal on the caller's thread and with one on threads of its own. */
  static Stream<Arguments> ways() {
    return Stream.of(Entry.values())
        .flatMap(entry -> Stream.of(Arguments.of(entry, false), Arguments.of(entry, true)));
  }

  private JournalUnderTest journal(boolean elsewhere) {
    return new JournalUnderTest(elsewhere ? threads : null);
  }

  private RetryingHttpClient client(JournalUnderTest journal, boolean keyed) {
    HttpRetry.Builder retry = bench.retry().journal(journal);
    return bench.client(keyed ? retry.idempotencyKeys(IdempotencyKeys.randomUuid()) : retry);
  }

  private static RetryOptions charge(String key) {
    return RetryOptions.builder().journaled("charge", key).build();
  }

  private static HttpResponse<String> call(Entry entry, RetryingHttpClient client, HttpRequest what)
      throws Throwable {
    return entry.call(client.with(charge("order-1")), what, BodyHandlers.ofString());
  }

  private static RetryReport.Saved saved(RetryReport report) {
    return report.saved().orElseThrow();
  }

  private static RefusedException refused(Throwable thrown, Refusal refusal) {
    RefusedException refused = (RefusedException) thrown;
    assertEquals(refusal, refused.refusal());
    return refused;
  }

  @Test
  void aStreamIsHandedBackWhole() throws Throwable {
    RetryingHttpClient client = client(journal(true), false).with(charge("order-1"));
    bench.server.enqueue(Reply.status(200).body("0123456789"));
    client.send(bench.post("5"), BodyHandlers.ofString());
    HttpResponse<InputStream> again = client.send(bench.post("5"), BodyHandlers.ofInputStream());
    try (InputStream body = again.body()) {
      assertArrayEquals("0123456789".getBytes(StandardCharsets.UTF_8), body.readAllBytes());
    }
  }

  /** For a wrapped client that may drop the key: the JDK's API does not show what it sends. */
  @ParameterizedTest
  @MethodSource("ways")
  void neitherIsOneWhoseKeyTheCallerDoesNotTrust(Entry entry, boolean elsewhere) throws Throwable {
    JournalUnderTest journal = journal(elsewhere);
    RetryingHttpClient client =
        client(journal, true).with(RetryOptions.builder().replayable(false).build());
    bench.server.enqueue(Reply.closeAfterRequest());
    IOException lost = assertThrows(IOException.class, () -> call(entry, client, bench.post("5")));
    assertTrue(saved(RetryReport.of(lost).orElseThrow()).resumableUntil().isEmpty());
    assertEquals(State.UNKNOWN, journal.endings().get(0).state());
    assertTrue(bench.server.requests().get(0).header("Idempotency-Key").isPresent());
    Throwable again = assertThrows(IOException.class, () -> call(entry, client, bench.post("5")));
    refused(again, Refusal.UNKNOWN);
    assertEquals(1, bench.server.requests().size());
  }

  @ParameterizedTest
  @MethodSource("ways")
  void whoCallsMeanwhileWaitsForTheAnswer(Entry entry, boolean elsewhere) throws Throwable {
    JournalUnderTest journal = journal(elsewhere);
    RetryingHttpClient client = client(journal, false);
    CountDownLatch answer = new CountDownLatch(1);
    bench.server.enqueue(Reply.status(200).body("once").delayUntil(answer));
    CompletableFuture<HttpResponse<String>> first =
        client.with(charge("order-1")).sendAsync(bench.post("5"), BodyHandlers.ofString());
    bench.server.awaitRequests(1, Bench.PATIENCE);
    CompletableFuture<String> second =
        CompletableFuture.supplyAsync(() -> bodyOf(entry, client), threads);
    awaitClaims(journal, 2, second);
    answer.countDown();
    assertEquals("once", first.get(20, TimeUnit.SECONDS).body());
    for (int seconds = 1; seconds <= 5 && !second.isDone(); seconds++) {
      bench.time.advance(Duration.ofSeconds(1)); // longer than any wait between two polls
      awaitClaims(journal, 2 + seconds, second);
    }
    assertEquals("once", second.get(20, TimeUnit.SECONDS));
    assertEquals(1, bench.server.requests().size());
  }

  private String bodyOf(Entry entry, RetryingHttpClient client) {
    try {
      return call(entry, client, bench.post("5")).body();
    } catch (Throwable thrown) {
      throw new AssertionError(thrown);
    }
  }

  private static void awaitClaims(JournalUnderTest journal, int claims, CompletableFuture<?> call) {
    long patience = System.nanoTime() + Bench.PATIENCE.toNanos();
    while (journal.claims() < claims && !call.isDone()) {
      assertTrue(System.nanoTime() < patience, () -> journal.claims() + " claims");
      Thread.onSpinWait();
    }
  }

  @ParameterizedTest
  @MethodSource("ways")
  void aLostNoteBeforeTheFirstByteSendsNothing(Entry entry, boolean elsewhere) {
    JournalUnderTest journal = journal(elsewhere);
    journal.onSending(() -> {
      throw new IOException("connection lost in commit");
    });
    RetryingHttpClient client = client(journal, true);
    assertThrows(IOException.class, () -> call(entry, client, bench.post("5")));
    assertEquals(0, bench.server.requests().size());
  }

  @Test
  void aBodyThatCannotBeReadNeedsAFingerprint() {
    RetryingHttpClient client = client(journal(false), false);
    HttpRequest oneShot =
        HttpRequest.newBuilder(bench.server.uri("/things"))
            .POST(BodyPublishers.ofInputStream(InputStream::nullInputStream))
            .build();
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class,
            () -> client.with(charge("order-1")).send(oneShot, BodyHandlers.ofString()));
    assertTrue(refused.getMessage().contains("RetryOptions.fingerprint"), refused.getMessage());
  }
}
