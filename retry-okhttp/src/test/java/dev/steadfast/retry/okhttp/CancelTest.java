package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import okhttp3.Call;
import okhttp3.EventListener;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Ends from outside: cancelled by the caller, by the dispatcher, by an interrupt. */
class CancelTest {
  private final Rig rig = new Rig();
  private final Books books = new Books();
  private final ScriptedServer server = ScriptedServer.start();

  @AfterEach
  void leavesNothing() throws InterruptedException {
    rig.close();
    books.assertBalanced();
    server.assertNoLeaks();
    server.close();
  }

  /** One second between attempts, of which the test decides. */
  private HttpRetry waiting() {
    return rig.frozen()
        .policy(Calls.seconds().noTotalTimeout().build())
        .budget(books)
        .guard(books)
        .build();
  }

  private static CompletableFuture<Entry.Outcome> inBackground(Entry entry, Call call) {
    return CompletableFuture.supplyAsync(() -> entry.make(call));
  }

  private static void assertCanceled(Entry.Outcome got, Entry entry, int attempts) {
    assertEquals(IOException.class, got.failure().getClass(), got.toString());
    assertEquals("Canceled", got.failure().getMessage());
    assertEquals(StopReason.CANCELLED, got.report().reason(), entry.toString());
    assertEquals(attempts, got.report().attempts());
  }

  @Test
  void beforeEnqueueTheCallbackStillComesFromTheDispatcher() {
    Call call = rig.factory(waiting()).newCall(Calls.get(server));
    call.cancel();
    Entry.Answers answers = new Entry.Answers();
    call.enqueue(answers);
    assertEquals("Canceled", answers.failure().getMessage());
    assertNotEquals(Thread.currentThread(), answers.thread());
  }

  @Test
  void whileQueued() throws Exception {
    OkHttpClient client = rig.client(Rig.builder());
    client.dispatcher().setMaxRequests(1);
    RetryingCallFactory calls = rig.factory(client, waiting());
    CountDownLatch held = new CountDownLatch(1);
    server.enqueue(Reply.status(200).delayUntil(held));
    Entry.Answers first = new Entry.Answers();
    calls.newCall(Calls.get(server)).enqueue(first);
    server.awaitRequests(1, Calls.SOON);
    Entry.Answers second = new Entry.Answers();
    Call queued = calls.newCall(Calls.get(server));
    queued.enqueue(second);
    assertEquals(1, client.dispatcher().queuedCallsCount());

    queued.cancel();

    IOException failure = second.failure(); // though the first has not ended
    assertEquals("Canceled", failure.getMessage());
    assertEquals(StopReason.CANCELLED, RetryReport.of(failure).orElseThrow().reason());
    assertEquals(0, RetryReport.of(failure).orElseThrow().attempts());
    assertNotEquals(Thread.currentThread(), second.thread());
    assertFalse(first.done());
    held.countDown();
    first.get().close();
    assertEquals(1, server.requests().size());
  }

  @Test
  void duringAWaitTheCallbackComesFromTheDispatcher() throws Exception {
    Call call = rig.factory(waiting()).newCall(Calls.get(server));
    server.enqueue(Reply.status(503));
    Entry.Answers answers = new Entry.Answers();
    call.enqueue(answers);
    rig.time.awaitPending(1);
    call.cancel();
    assertEquals("Canceled", answers.failure().getMessage());
    assertNotEquals(Thread.currentThread(), answers.thread());
  }

  /** OkHttp's cancel ends the body, too. */
  @ParameterizedTest
  @EnumSource
  void whileTheBodyIsRead(Entry entry) throws Exception {
    Call call = rig.calls(entry, Rig.builder(), waiting()).newCall(Calls.get(server));
    server.enqueue(Reply.stalledBody(200, 100, "some"));
    try (Response response = entry == Entry.ENQUEUE ? Entry.enqueued(call) : call.execute()) {
      assertEquals("some", response.body().source().readUtf8(4));
      CompletableFuture<Void> canceller = CompletableFuture.runAsync(call::cancel);
      assertThrows(IOException.class, () -> response.body().source().readUtf8(4));
      canceller.get(10, TimeUnit.SECONDS);
    }
    assertTrue(call.isCanceled());
  }

  @ParameterizedTest
  @EnumSource
  void byTheDispatcher(Entry entry) {
    OkHttpClient.Builder builder = Rig.builder();
    OkHttpClient shared = builder.build();
    Call call = rig.calls(entry, shared.newBuilder(), waiting()).newCall(Calls.get(server));
    server.enqueue(Reply.stallAfterRequest());
    server.whenRequest(request -> shared.dispatcher().cancelAll());

    Entry.Outcome got = entry.make(call);

    assertInstanceOf(IOException.class, got.failure());
    if (entry != Entry.INTERCEPTOR) {
      assertCanceled(got, entry, 1);
    }
    assertEquals(StopReason.CANCELLED, got.report().reason());
    assertEquals(1, server.requests().size());
    assertTrue(call.isCanceled());
  }

  @Test
  void byTheFactory() throws Exception {
    OkHttpClient client = rig.client(Rig.builder());
    client.dispatcher().setMaxRequests(1);
    RetryingCallFactory calls = rig.factory(client, waiting());
    server.enqueue(Reply.status(503), Reply.stallAfterRequest());
    Entry.Answers waits = new Entry.Answers();
    calls.newCall(Calls.get(server)).enqueue(waits);
    rig.time.awaitPending(1);
    Entry.Answers sends = new Entry.Answers();
    calls.newCall(Calls.get(server)).enqueue(sends);
    server.awaitRequests(2, Calls.SOON);
    Entry.Answers queued = new Entry.Answers();
    calls.newCall(Calls.get(server)).enqueue(queued);
    Call executed = calls.newCall(Calls.get(server));
    server.enqueue(Reply.stallAfterRequest());
    CompletableFuture<Entry.Outcome> executes = inBackground(Entry.EXECUTE, executed);
    server.awaitRequests(3, Calls.SOON);

    calls.cancelAll();

    for (Entry.Answers each : new Entry.Answers[] {waits, sends, queued}) {
      assertEquals("Canceled", each.failure().getMessage());
    }
    assertCanceled(executes.get(10, TimeUnit.SECONDS), Entry.EXECUTE, 1);
    assertEquals(3, server.requests().size());
  }

  /** A call that ends gives its place to the next one, which must not use it. */
  @Test
  void byTheFactoryNothingComesOutOfTheQueue() throws Exception {
    MovesOn movesOn = new MovesOn();
    OkHttpClient client = rig.client(Rig.builder().eventListener(movesOn));
    client.dispatcher().setMaxRequests(1);
    RetryingCallFactory calls = rig.factory(client, waiting());
    server.enqueue(Reply.stallAfterRequest());
    List<Entry.Answers> all = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      all.add(new Entry.Answers());
      calls.newCall(Calls.get(server)).enqueue(all.get(i));
    }
    server.awaitRequests(1, Calls.SOON);

    calls.cancelAll();

    for (Entry.Answers each : all) {
      IOException failure = each.failure();
      assertEquals("Canceled", failure.getMessage());
      RetryReport report = RetryReport.of(failure).orElseThrow();
      assertEquals(StopReason.CANCELLED, report.reason());
      assertEquals(each.equals(all.get(0)) ? 1 : 0, report.attempts());
    }
    assertEquals(0, movesOn.next.getCount());
    assertEquals(1, server.requests().size());
  }

  /** Who cancels the call that is under way goes on when the next one has had its turn. */
  private static final class MovesOn extends EventListener {
    final CountDownLatch next = new CountDownLatch(1);
    private final AtomicReference<Call> first = new AtomicReference<>();

    @Override
    public void requestHeadersEnd(Call call, Request request) {
      if (!first.compareAndSet(null, call)) {
        next.countDown();
      }
    }

    @Override
    public void callFailed(Call call, IOException failure) {
      if (!call.equals(first.get())) {
        next.countDown();
      }
    }

    @Override
    public void canceled(Call call) {
      if (call.equals(first.get())) {
        await(next);
      }
    }
  }

  /** What comes too late is closed. */
  @Test
  void aLateResponseIsClosed() throws Exception {
    CountDownLatch answered = new CountDownLatch(1);
    CountDownLatch cancelled = new CountDownLatch(1);
    OkHttpClient.Builder builder = Rig.builder();
    AtomicReference<Response> late = new AtomicReference<>();
    builder.addInterceptor(chain -> {
      Response response = chain.proceed(chain.request());
      late.set(response);
      answered.countDown();
      await(cancelled);
      return response;
    });
    Call call = rig.factory(rig.client(builder), waiting()).newCall(Calls.get(server));
    Entry.Answers answers = new Entry.Answers();
    call.enqueue(answers);
    await(answered);

    call.cancel();

    assertEquals("Canceled", answers.failure().getMessage());
    cancelled.countDown();
    rig.close(); // sees that the connection is not in use any more
  }

  private static void await(CountDownLatch latch) {
    try {
      assertTrue(latch.await(10, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  // ---- interrupt

  /** HTTP/2 waits for its answer on a monitor, so an interrupt reaches it. */
  @ParameterizedTest
  @EnumSource(names = {"EXECUTE", "INTERCEPTOR"})
  void anInterruptEndsAnAttemptAndStays(Entry entry) throws Exception {
    try (Target h2 = new Target(true)) {
      CountDownLatch arrived = new CountDownLatch(1);
      h2.h2().enqueue((peer, stream) -> arrived.countDown());
      Call call = rig.calls(entry, h2.client(), waiting()).newCall(h2.get());
      AtomicReference<Entry.Outcome> got = new AtomicReference<>();
      AtomicBoolean kept = new AtomicBoolean();
      Thread caller =
          new Thread(() -> {
            got.set(entry.make(call));
            kept.set(Thread.currentThread().isInterrupted());
          });
      caller.start();
      await(arrived);

      caller.interrupt();
      caller.join(10_000);

      assertInstanceOf(InterruptedIOException.class, got.get().failure());
      assertEquals(StopReason.INTERRUPTED, got.get().report().reason());
      assertEquals(1, got.get().report().attempts());
      assertTrue(kept.get());
      rig.close();
    }
  }

  /** What the socket of a virtual thread throws, on threads that Java 17 has. */
  @ParameterizedTest
  @EnumSource(names = {"EXECUTE", "INTERCEPTOR"})
  void aSocketThatAnInterruptClosedIsNoNewsOfTheConnection(Entry entry) {
    SocketException closed = new SocketException("Closed by interrupt");
    OkHttpClient.Builder builder = Rig.builder();
    builder.addNetworkInterceptor(chain -> {
      Thread.currentThread().interrupt();
      throw closed;
    });
    Call call = rig.calls(entry, builder, waiting()).newCall(Calls.get(server));
    Entry.Outcome got = entry.make(call);
    assertTrue(Thread.interrupted());

    assertInstanceOf(InterruptedIOException.class, got.failure());
    assertEquals(closed, got.failure().getCause());
    assertEquals(StopReason.INTERRUPTED, got.report().reason());
  }

  /** The interrupt flag of the thread that enqueues does not matter. */
  @Test
  void anInterruptedThreadMayEnqueue() throws Exception {
    Call call = rig.calls(Entry.ENQUEUE, Rig.builder(), rig.once()).newCall(Calls.get(server));
    server.enqueue(Reply.closeAfterRequest());
    Entry.Answers answers = new Entry.Answers();
    Thread.currentThread().interrupt();
    try {
      call.enqueue(answers);
    } finally {
      assertTrue(Thread.interrupted());
    }
    IOException failure = answers.failure();
    assertEquals(StopReason.ATTEMPTS_EXHAUSTED, RetryReport.of(failure).orElseThrow().reason());
  }
}
