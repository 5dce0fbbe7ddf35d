package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.RetryReport.Effect;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.operations.OperationJournal.Settings;
import dev.steadfast.retry.operations.OperationJournal.State;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import dev.steadfast.retry.tck.internal.Barrier;
import dev.steadfast.retry.tck.internal.JournalUnderTest;
import dev.steadfast.retry.tck.internal.JournalUnderTest.Step;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import okhttp3.Call;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A journal that hangs, fails or comes late, while the caller cancels or has no time left. */
class JournalFaultTest {
  private static final Duration DEADLINE = Duration.ofSeconds(20);

  private final ScriptedServer server = ScriptedServer.start();
  private final Rig rig = new Rig();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final JournalUnderTest journal = new JournalUnderTest(threads);
  private final Barrier barrier = new Barrier();

  @AfterEach
  void close() throws Exception {
    barrier.open();
    threads.shutdown();
    assertTrue(threads.awaitTermination(20, TimeUnit.SECONDS));
    rig.close();
    server.assertNoLeaks();
    server.close();
  }

  static Stream<Arguments> steps() {
    return Stream.of(Entry.values())
        .flatMap(entry -> Stream.of(Step.values()).map(step -> Arguments.of(entry, step)));
  }

  // In real time: with OkHttp 4 an interceptor asks now and then whether its call is cancelled.
  private Call.Factory calls(Entry entry) {
    return calls(entry, Rig.builder(), HttpRetry.builder());
  }

  /** In virtual time, which the test moves when the journal hangs. */
  private Call.Factory frozenCalls(Entry entry) {
    return calls(entry, Rig.builder(), rig.frozen());
  }

  private Call.Factory calls(Entry entry, OkHttpClient.Builder client, HttpRetry.Builder retry) {
    HttpRetry keyed = retry.journal(journal).idempotencyKeys(IdempotencyKeys.randomUuid()).build();
    return rig.calls(entry, client, keyed);
  }

  private Request request(RetryOptions.Builder options) {
    return new Request.Builder()
        .url(server.uri("/pay").toString())
        .post(RequestBody.create("5", null))
        .tag(RetryOptions.class, options.journaled("charge", "order-1").build())
        .build();
  }

  private Request request() {
    return request(RetryOptions.builder());
  }

  private CompletableFuture<Entry.Outcome> begin(Entry entry, Call call) {
    return CompletableFuture.supplyAsync(() -> entry.make(call), threads);
  }

  private static Entry.Outcome end(CompletableFuture<Entry.Outcome> outcome) throws Exception {
    return outcome.get(20, TimeUnit.SECONDS);
  }

  private void assertCanBeBegunAgain(Entry entry, Call.Factory calls) {
    journal.mend();
    server.enqueue(Reply.status(200).body("charged"));
    Entry.Outcome again = entry.make(calls.newCall(request()));
    assertEquals("charged", again.body(), again::toString);
    assertEquals(Effect.SUCCEEDED, saved(again).effect());
    assertEquals(1, server.requests().size());
  }

  private static RetryReport.Saved saved(Entry.Outcome outcome) {
    return outcome.report().saved().orElseThrow(() -> new AssertionError(outcome));
  }

  @ParameterizedTest
  @MethodSource("steps")
  void whoCancelsDoesNotWaitForTheJournal(Entry entry, Step step) throws Exception {
    journal.on(step, barrier);
    Call.Factory calls = calls(entry);
    Call call = calls.newCall(request());
    CompletableFuture<Entry.Outcome> running = begin(entry, call);
    barrier.awaitReached();

    call.cancel();

    Entry.Outcome outcome = end(running);
    assertNotNull(outcome.failure(), outcome::toString);
    assertEquals("Canceled", outcome.failure().getMessage());
    assertEquals(0, server.requests().size());
    barrier.open();
    assertEquals(State.CLOSED, journal.awaitEndings(1).get(0).state());
    assertCanBeBegunAgain(entry, calls);
  }

  @ParameterizedTest
  @MethodSource("steps")
  void theDeadlineDoesNotWaitForTheJournal(Entry entry, Step step) throws Exception {
    journal.on(step, barrier);
    Call.Factory calls = frozenCalls(entry);
    Call call = calls.newCall(request(RetryOptions.builder().deadline(DEADLINE)));
    CompletableFuture<Entry.Outcome> running = begin(entry, call);
    barrier.awaitReached();

    rig.time.advance(DEADLINE);

    Entry.Outcome outcome = end(running);
    assertInstanceOf(InterruptedIOException.class, outcome.failure());
    assertEquals(Effect.UNKNOWN, saved(outcome).effect(), "somebody else may have sent it");
    assertEquals(0, server.requests().size());
    barrier.open();
    assertEquals(State.CLOSED, journal.awaitEndings(1).get(0).state());
    assertCanBeBegunAgain(entry, calls);
  }

  @ParameterizedTest
  @EnumSource(names = {"EXECUTE", "INTERCEPTOR"})
  void whoIsInterruptedDoesNotWaitForTheJournal(Entry entry) throws Exception {
    for (Step step : EnumSet.allOf(Step.class)) {
      interrupted(entry, step);
    }
  }

  private void interrupted(Entry entry, Step step) throws Exception {
    Barrier here = new Barrier();
    journal.on(step, here);
    Call.Factory calls = calls(entry);
    AtomicBoolean kept = new AtomicBoolean();
    CompletableFuture<Entry.Outcome> running = new CompletableFuture<>();
    Thread caller =
        new Thread(() -> {
          Entry.Outcome outcome = entry.make(calls.newCall(request()));
          kept.set(Thread.interrupted());
          running.complete(outcome);
        });
    caller.start();
    here.awaitReached();
    caller.interrupt();
    Entry.Outcome outcome = end(running);
    caller.join();
    int before = journal.endings().size();
    here.open();
    journal.awaitEndings(before + 1);
    journal.mend();
    InterruptedIOException thrown =
        assertInstanceOf(InterruptedIOException.class, outcome.failure(), step::toString);
    assertEquals("interrupted", thrown.getMessage());
    assertTrue(kept.get(), "the interrupt is kept, as OkHttp does");
    assertEquals(0, server.requests().size());
  }

  @ParameterizedTest
  @EnumSource
  void theAnswerDoesNotWaitLongForTheJournal(Entry entry) throws Exception {
    journal.onEnded(barrier);
    Call.Factory calls = frozenCalls(entry);
    server.enqueue(Reply.status(200).body("charged"));
    Call call = calls.newCall(request(RetryOptions.builder().deadline(DEADLINE)));
    CompletableFuture<Entry.Outcome> running = begin(entry, call);
    barrier.awaitReached();

    rig.time.advance(DEADLINE);

    Entry.Outcome outcome = end(running);
    assertEquals("charged", outcome.body(), outcome::toString);
    assertEquals(Effect.SUCCEEDED, saved(outcome).effect());
    assertFalse(saved(outcome).recorded());
    barrier.open();
    assertEquals(State.SUCCEEDED, journal.awaitEndings(1).get(0).state());
    journal.mend();
    Entry.Outcome again = entry.make(calls.newCall(request()));
    assertEquals("charged", again.body());
    assertTrue(saved(again).handedBack());
  }

  @ParameterizedTest
  @EnumSource
  void whoCancelsOnTheWireDoesNotWaitForTheNote(Entry entry) throws Exception {
    journal.onEnded(barrier);
    server.enqueue(Reply.stallAfterRequest());
    CountDownLatch sent = new CountDownLatch(1);
    server.whenRequest(received -> sent.countDown());
    Call call = calls(entry).newCall(request());
    CompletableFuture<Entry.Outcome> running = begin(entry, call);
    assertTrue(sent.await(20, TimeUnit.SECONDS));
    call.cancel();
    Entry.Outcome outcome = end(running);
    assertEquals("Canceled", outcome.failure().getMessage());
    assertFalse(saved(outcome).recorded());
    barrier.open();
    assertEquals(State.READY, journal.awaitEndings(1).get(0).state());
  }

  @ParameterizedTest
  @EnumSource
  void whoCancelsWhileTheEndIsNotedLosesNoNote(Entry entry) throws Exception {
    journal.onEnded(barrier);
    Call.Factory calls = calls(entry);
    server.enqueue(Reply.status(200).body("charged"));
    Call call = calls.newCall(request());
    CompletableFuture<Entry.Outcome> running = begin(entry, call);
    barrier.awaitReached();

    call.cancel();
    barrier.open();

    Entry.Outcome outcome = end(running);
    assertEquals(State.SUCCEEDED, journal.awaitEndings(1).get(0).state());
    journal.mend();
    assertTrue(outcome.failure() == null || "Canceled".equals(outcome.failure().getMessage()));
    assertEquals("charged", entry.make(calls.newCall(request())).body());
    assertEquals(1, server.requests().size());
  }

  // Sending without the journal, where that is allowed.

  private void assertNothingIsSent(Entry entry) {
    journal.settings(Settings.defaults().sendingUnreachable());
    Entry.Outcome outcome = entry.make(calls(entry).newCall(request()));
    assertNotNull(outcome.failure(), outcome::toString);
    assertEquals(Effect.UNKNOWN, saved(outcome).effect());
    assertEquals(0, server.requests().size());
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
  void withoutAThreadForTheJournalItIsSentIfThatIsAllowed_andElseItIsNot(Entry entry) {
    ExecutorService none = Executors.newCachedThreadPool();
    none.shutdown();
    JournalUnderTest threadless = new JournalUnderTest(none);
    HttpRetry retry = HttpRetry.builder().journal(threadless).build();
    Call.Factory calls = rig.calls(entry, Rig.builder(), retry);
    assertNotNull(entry.make(calls.newCall(request())).failure());
    assertEquals(0, server.requests().size());
    threadless.settings(Settings.defaults().sendingUnreachable());
    server.enqueue(Reply.status(200).body("charged"));
    Entry.Outcome outcome = entry.make(calls.newCall(request()));
    assertEquals("charged", outcome.body(), outcome::toString);
    assertEquals(Effect.SUCCEEDED, saved(outcome).effect());
    assertFalse(saved(outcome).recorded());
  }

  @Test
  void cancelAllEndsCallsThatTheJournalHolds() throws Exception {
    journal.onClaim(barrier);
    RetryingCallFactory calls = (RetryingCallFactory) calls(Entry.ENQUEUE);
    List<CompletableFuture<Entry.Outcome>> running =
        Stream.of(Entry.EXECUTE, Entry.ENQUEUE)
            .map(entry -> begin(entry, calls.newCall(request())))
            .toList();
    barrier.awaitReached();
    while (calls.underWay() < 2) {
      Thread.onSpinWait();
    }
    calls.cancelAll();
    for (CompletableFuture<Entry.Outcome> each : running) {
      assertEquals("Canceled", end(each).failure().getMessage());
    }
    assertEquals(0, server.requests().size());
  }

  /** A caller can lift the timeout of a call, but not the bound of its claim, which expires. */
  @ParameterizedTest
  @EnumSource
  void liftingTheTimeoutOfACallDoesNotLiftThatOfItsClaim(Entry entry) throws Exception {
    Calls.assumeOkHttp5(); // the Okio of OkHttp 4 has no Timeout.cancel
    server.enqueue(Reply.stallAfterRequest());
    OkHttpClient.Builder client = Rig.builder().callTimeout(DEADLINE);
    Call call = calls(entry, client, rig.frozen()).newCall(request());
    CountDownLatch sent = new CountDownLatch(1);
    server.whenRequest(received -> sent.countDown());
    CompletableFuture<Entry.Outcome> running = begin(entry, call);
    assertTrue(sent.await(20, TimeUnit.SECONDS));
    call.timeout().cancel();
    rig.time.advance(DEADLINE);
    IOException failure = end(running).failure();
    assertInstanceOf(InterruptedIOException.class, failure);
    assertEquals(State.READY, journal.awaitEndings(1).get(0).state());
  }
}
