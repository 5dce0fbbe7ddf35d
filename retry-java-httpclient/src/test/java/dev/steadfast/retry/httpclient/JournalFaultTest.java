package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.RetryReport.Effect;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.operations.OperationJournal.Settings;
import dev.steadfast.retry.operations.OperationJournal.State;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.internal.Barrier;
import dev.steadfast.retry.tck.internal.JournalUnderTest;
import dev.steadfast.retry.tck.internal.JournalUnderTest.Step;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A journal that hangs, fails or comes late, while the caller cancels or has no time left. */
class JournalFaultTest {
  private static final Duration DEADLINE = Duration.ofSeconds(20);

  private final Bench bench = new Bench();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final JournalUnderTest journal = new JournalUnderTest(threads);
  private final Barrier barrier = new Barrier();

  private final RetryingHttpClient client = client(HttpRetry.builder());

  /** In virtual time, which the test moves when the journal hangs. */
  private final RetryingHttpClient frozen = client(bench.retry());

  private RetryingHttpClient client(HttpRetry.Builder retry) {
    return bench.client(retry.journal(journal).idempotencyKeys(IdempotencyKeys.randomUuid()));
  }

  @AfterEach
  void close() throws InterruptedException {
    barrier.open();
    threads.shutdown();
    assertTrue(threads.awaitTermination(20, TimeUnit.SECONDS));
    bench.close();
  }

  static Stream<Arguments> steps() {
    return Stream.of(Entry.values())
        .flatMap(entry -> Stream.of(Step.values()).map(step -> Arguments.of(entry, step)));
  }

  private HttpResponse<String> call(Entry entry, RetryOptions.Builder options) throws Throwable {
    RetryingHttpClient view = client.with(options.journaled("charge", "order-1").build());
    return entry.call(view, bench.post("5"), BodyHandlers.ofString());
  }

  /** A call whose deadline passes while the journal hangs. */
  private HttpResponse<String> callPastDeadline(Entry entry) throws Throwable {
    RetryOptions options =
        RetryOptions.builder().journaled("charge", "order-1").deadline(DEADLINE).build();
    try (UnderWay<String> call =
        UnderWay.call(entry, frozen.with(options), bench.post("5"), BodyHandlers.ofString())) {
      barrier.awaitReached();
      bench.time.advance(DEADLINE);
      return call.outcome();
    }
  }

  private CompletableFuture<HttpResponse<String>> sendAsync() {
    RetryOptions options = RetryOptions.builder().journaled("charge", "order-1").build();
    return client.with(options).sendAsync(bench.post("5"), BodyHandlers.ofString());
  }

  private static RetryReport.Saved saved(Throwable thrown) {
    return RetryReport.of(thrown)
        .flatMap(RetryReport::saved)
        .orElseThrow(() -> new AssertionError(thrown));
  }

  private void assertCanBeBegunAgain(Entry entry) throws Throwable {
    journal.mend();
    bench.server.enqueue(Reply.status(200).body("charged"));
    assertEquals("charged", call(entry, RetryOptions.builder()).body());
    assertEquals(1, bench.server.requests().size());
  }

  private void assertNothingRuns() throws InterruptedException {
    for (RetryingHttpClient each : List.of(client, frozen)) {
      each.shutdown();
      if (Runtime.version().feature() >= 21) {
        assertTrue(each.awaitTermination(Bench.PATIENCE), "operations under way");
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void whoCancelsDoesNotWaitForTheJournal(Step step) throws Throwable {
    journal.on(step, barrier);
    CompletableFuture<HttpResponse<String>> future = sendAsync();
    barrier.awaitReached();
    assertTrue(future.cancel(true));
    assertThrows(CancellationException.class, future::join);
    barrier.open();
    assertEquals(State.CLOSED, journal.awaitEndings(1).get(0).state());
    assertCanBeBegunAgain(Entry.SEND_ASYNC);
    assertNothingRuns();
  }

  @ParameterizedTest
  @MethodSource("steps")
  void theDeadlineDoesNotWaitForTheJournal(Entry entry, Step step) throws Throwable {
    journal.on(step, barrier);
    Throwable thrown = assertThrows(HttpTimeoutException.class, () -> callPastDeadline(entry));
    assertEquals(Effect.UNKNOWN, saved(thrown).effect(), "somebody else may have sent it");
    assertEquals(0, bench.server.requests().size());
    barrier.open();
    assertEquals(State.CLOSED, journal.awaitEndings(1).get(0).state());
    assertCanBeBegunAgain(entry);
    assertNothingRuns();
  }

  @ParameterizedTest
  @EnumSource
  void whoIsInterruptedDoesNotWaitForTheJournal(Step step) throws Throwable {
    journal.on(step, barrier);
    Throwable thrown = interrupted(() -> call(Entry.SEND, RetryOptions.builder()));
    assertInstanceOf(InterruptedException.class, thrown);
    assertEquals(0, bench.server.requests().size());
    barrier.open();
    assertEquals(State.CLOSED, journal.awaitEndings(1).get(0).state());
    assertCanBeBegunAgain(Entry.SEND);
    assertNothingRuns();
  }

  /** What the test does on a thread that is interrupted at the barrier. */
  private interface Calling {
    void call() throws Throwable;
  }

  private Throwable interrupted(Calling calling) throws Exception {
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    Thread caller =
        new Thread(() -> {
          try {
            calling.call();
          } catch (Throwable failure) {
            thrown.set(failure);
          }
        });
    caller.start();
    barrier.awaitReached();
    caller.interrupt();
    caller.join(Bench.PATIENCE.toMillis());
    assertFalse(caller.isAlive(), "the interrupted thread waits on");
    return thrown.get();
  }

  @Test
  void whoIsInterruptedOnTheWireDoesNotWaitForTheNote() throws Exception {
    journal.onEnded(barrier);
    bench.server.enqueue(Reply.stallAfterRequest());
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    Thread caller =
        new Thread(() -> {
          try {
            call(Entry.SEND, RetryOptions.builder());
          } catch (Throwable failure) {
            thrown.set(failure);
          }
        });
    caller.start();
    bench.server.awaitRequests(1, Bench.PATIENCE);
    caller.interrupt();
    barrier.awaitReached();
    caller.join(Bench.PATIENCE.toMillis());
    assertFalse(caller.isAlive(), "the interrupted thread waits on");
    assertInstanceOf(InterruptedException.class, thrown.get());
    assertFalse(saved(thrown.get()).recorded());
    barrier.open();
    assertEquals(State.READY, journal.awaitEndings(1).get(0).state());
    assertNothingRuns();
  }

  /** On a thread of a fork-join pool, send waits for an asynchronous operation. */
  @ParameterizedTest
  @EnumSource
  void aTaskThatIsInterruptedDoesNotWaitForTheJournal(Step step) throws Throwable {
    journal.on(step, barrier);
    ForkJoinPool pool = new ForkJoinPool(1);
    AtomicReference<Thread> worker = new AtomicReference<>();
    CompletableFuture<Throwable> thrown = new CompletableFuture<>();
    pool.execute(() -> {
      worker.set(Thread.currentThread());
      try {
        call(Entry.SEND, RetryOptions.builder());
      } catch (Throwable failure) {
        thrown.complete(failure);
      }
    });
    barrier.awaitReached();
    worker.get().interrupt();
    assertInstanceOf(InterruptedException.class, thrown.get(20, TimeUnit.SECONDS));
    pool.shutdown();
    barrier.open();
    assertEquals(State.CLOSED, journal.awaitEndings(1).get(0).state());
    assertEquals(0, bench.server.requests().size());
  }

  @ParameterizedTest
  @EnumSource
  void theAnswerDoesNotWaitLongForTheJournal(Entry entry) throws Throwable {
    journal.onEnded(barrier);
    bench.server.enqueue(Reply.status(200).body("charged"));
    HttpResponse<String> response = callPastDeadline(entry);
    RetryReport.Saved saved = JdkReports.of(response).saved().orElseThrow();
    assertEquals("charged", response.body());
    assertEquals(Effect.SUCCEEDED, saved.effect());
    assertFalse(saved.recorded());
    barrier.open();
    assertEquals(State.SUCCEEDED, journal.awaitEndings(1).get(0).state());
    journal.mend();
    assertEquals("charged", call(entry, RetryOptions.builder()).body());
    assertEquals(1, bench.server.requests().size());
    assertNothingRuns();
  }

  @Test
  void whoCancelsWhileTheEndIsNotedLosesNoNote() throws Throwable {
    journal.onEnded(barrier);
    bench.server.enqueue(Reply.status(200).body("charged"));
    CompletableFuture<HttpResponse<String>> future = sendAsync();
    barrier.awaitReached();
    assertTrue(future.cancel(true));
    barrier.open();
    assertEquals(State.SUCCEEDED, journal.awaitEndings(1).get(0).state());
    journal.mend();
    assertEquals("charged", call(Entry.SEND, RetryOptions.builder()).body());
    assertEquals(1, bench.server.requests().size());
    assertNothingRuns();
  }

  @Test
  void whoIsInterruptedWhileTheEndIsNotedGetsTheAnswer() throws Throwable {
    journal.onEnded(barrier);
    bench.server.enqueue(Reply.status(200).body("charged"));
    AtomicReference<String> body = new AtomicReference<>();
    AtomicReference<Boolean> kept = new AtomicReference<>();
    Thread caller =
        new Thread(() -> {
          try {
            body.set(call(Entry.SEND, RetryOptions.builder()).body());
          } catch (Throwable thrown) {
            body.set(thrown.toString());
          }
          kept.set(Thread.interrupted());
        });
    caller.start();
    barrier.awaitReached();
    caller.interrupt();
    barrier.open();
    caller.join();
    assertEquals("charged", body.get());
    assertTrue(kept.get(), "the interrupt comes next");
    assertEquals(State.SUCCEEDED, journal.awaitEndings(1).get(0).state());
  }

  @ParameterizedTest
  @MethodSource("steps")
  void shutdownNowEndsWhatTheJournalHolds(Entry entry, Step step) throws Throwable {
    journal.on(step, barrier);
    CompletableFuture<Throwable> thrown =
        CompletableFuture.supplyAsync(
            () -> assertThrows(Throwable.class, () -> call(entry, RetryOptions.builder())),
            threads);
    barrier.awaitReached();
    client.shutdownNow();
    assertEquals("shutdownNow", thrown.get(20, TimeUnit.SECONDS).getMessage());
    assertEquals(0, bench.server.requests().size());
  }

  // Sending without the journal, where that is allowed.

  private void assertNothingIsSent(Entry entry) {
    journal.settings(Settings.defaults().sendingUnreachable());
    Throwable thrown = assertThrows(IOException.class, () -> call(entry, RetryOptions.builder()));
    assertEquals(Effect.UNKNOWN, saved(thrown).effect());
    assertEquals(0, bench.server.requests().size());
  }

  @ParameterizedTest
  @EnumSource
  void whatIsClaimedIsNotSentWithoutTheJournal(Entry entry) {
    journal.onSending(JournalUnderTest.unreachable());
    assertNothingIsSent(entry);
    assertEquals(1, journal.claims());
  }

  @ParameterizedTest
  @EnumSource
  void whatMayBeClaimedIsNotSentWithoutTheJournal(Entry entry) {
    journal.onClaim(() -> {
      throw new IOException("the connection broke within the claim");
    });
    assertNothingIsSent(entry);
  }

  @ParameterizedTest
  @EnumSource
  void withoutAThreadForTheJournalItIsSentIfThatIsAllowed_andElseItIsNot(Entry entry)
      throws Throwable {
    ExecutorService none = Executors.newCachedThreadPool();
    none.shutdown();
    JournalUnderTest threadless = new JournalUnderTest(none);
    RetryOptions options = RetryOptions.builder().journaled("charge", "order-1").build();
    RetryingHttpClient without =
        RetryingHttpClient.wrap(
                Bench.plain().build(), HttpRetry.builder().journal(threadless).build())
            .with(options);
    assertThrows(
        IOException.class, () -> entry.call(without, bench.post("5"), BodyHandlers.ofString()));
    assertEquals(0, bench.server.requests().size());
    threadless.settings(Settings.defaults().sendingUnreachable());
    bench.server.enqueue(Reply.status(200).body("charged"));
    HttpResponse<String> response = entry.call(without, bench.post("5"), BodyHandlers.ofString());
    RetryReport.Saved saved = JdkReports.of(response).saved().orElseThrow();
    assertEquals(Effect.SUCCEEDED, saved.effect());
    assertFalse(saved.recorded());
  }

  @Test
  void aFutureThatIsCompletedFromOutsideEndsTheClaim() throws Exception {
    journal.onClaim(barrier);
    CompletableFuture<HttpResponse<String>> future = sendAsync();
    barrier.awaitReached();
    future.completeExceptionally(new IllegalStateException("enough"));
    assertThrows(ExecutionException.class, future::get);
    barrier.open();
    assertEquals(State.CLOSED, journal.awaitEndings(1).get(0).state());
    assertEquals(0, bench.server.requests().size());
  }
}
