package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.Dispatcher;
import okhttp3.OkHttpClient;
import okhttp3.Response;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who calls back, on which thread, how often. */
class CallbackTest {
  private static final String NAME = "of-the-dispatcher";

  private final Rig rig = new Rig();
  private final ScriptedServer server = ScriptedServer.start();
  private final CountDownLatch open = new CountDownLatch(1); // the dispatcher's threads

  @AfterEach
  void leavesNothing() throws InterruptedException {
    open.countDown();
    rig.close();
    server.assertNoLeaks();
    server.close();
  }

  private OkHttpClient.Builder named() {
    ExecutorService threads =
        Executors.newCachedThreadPool(work ->
            new Thread(
                () -> {
                  await(open);
                  work.run();
                },
                NAME));
    return Rig.builder().dispatcher(new Dispatcher(threads));
  }

  private static void await(CountDownLatch latch) {
    try {
      assertTrue(latch.await(20, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static void assertOfDispatcher(Entry.Answers answers) {
    // OkHttp renames its threads while they work.
    assertTrue(
        answers.thread().getName().equals(NAME) || answers.thread().getName().startsWith("OkHttp "),
        answers.thread().toString());
  }

  /** Lets an answer come while the queue still keeps the thread that enqueues. */
  private static ExecutorService keepsCallerUntil(CountDownLatch answered) {
    return new ThreadPoolExecutor(
        0, 100, 1, TimeUnit.SECONDS, new SynchronousQueue<>(), work -> new Thread(work, NAME)) {
      @Override
      public void execute(Runnable work) {
        super.execute(work);
        CallbackTest.await(answered);
      }
    };
  }

  /** The answer is there before enqueue returns: it goes to a thread of the dispatcher's. */
  @Test
  void aQuickAnswerIsNotCalledBackByWhoeverEnqueues() throws Exception {
    CountDownLatch answered = new CountDownLatch(1);
    Dispatcher slow = new Dispatcher(keepsCallerUntil(answered));
    OkHttpClient.Builder builder = Rig.builder().dispatcher(slow);
    builder.addInterceptor(chain -> {
      Response response = chain.proceed(chain.request());
      answered.countDown();
      return response;
    });
    // The head has been read; the rest takes the dispatcher's thread a moment, or none.
    Call call = rig.factory(rig.client(builder), rig.retry().build()).newCall(Calls.get(server));
    Entry.Answers answers = new Entry.Answers();

    call.enqueue(answers);

    answers.get().close();
    assertOfDispatcher(answers);
    assertSame(call, answers.call());
  }

  /** So does a retry that a timer's thread began. */
  @Test
  void aRetryIsCalledBackByTheDispatcher() throws Exception {
    open.countDown();
    HttpRetry retry = rig.frozen().policy(Calls.seconds().noTotalTimeout().build()).build();
    Call call = rig.factory(rig.client(named()), retry).newCall(Calls.get(server));
    server.enqueue(Reply.status(503));
    Entry.Answers answers = new Entry.Answers();
    call.enqueue(answers);
    rig.time.awaitPending(1);
    rig.time.advance(Duration.ofSeconds(1)); // runs the retry on this thread
    answers.get().close();
    assertOfDispatcher(answers);
  }

  @Test
  void aTimeoutIsCalledBackByTheDispatcher() throws Exception {
    open.countDown();
    Call call = rig.factory(rig.client(named()), rig.frozen().build()).newCall(Calls.post(server));
    server.enqueue(Reply.stallAfterRequest());
    server.whenRequest(request -> rig.time.advance(Duration.ofMinutes(1)));
    Entry.Answers answers = new Entry.Answers();
    call.enqueue(answers);
    assertEquals(
        "timeout: the total timeout of 30s is over (totalTimeout)", answers.failure().getMessage());
    assertOfDispatcher(answers);
  }

  @Test
  void aRefusalIsCalledBackByTheDispatcher() throws Exception {
    open.countDown();
    Books books = new Books();
    books.refuse(false);
    HttpRetry retry = rig.retry().guard(books).build();
    Call call = rig.factory(rig.client(named()), retry).newCall(Calls.get(server));
    Entry.Answers answers = new Entry.Answers();
    call.enqueue(answers);
    assertTrue(answers.failure().getMessage().startsWith("attempt refused"));
    assertOfDispatcher(answers);
  }

  @Test
  void aDirectDispatcherCallsBackWithinEnqueue() throws Exception {
    open.countDown();
    OkHttpClient client =
        rig.client(Rig.builder().dispatcher(new Dispatcher(new DirectExecutor())));
    server.enqueue(Reply.status(503), Reply.closeAfterRequest());
    Entry.Answers answers = new Entry.Answers();
    HttpRetry at = rig.retry().build(); // waits of zero
    rig.factory(client, at).newCall(Calls.get(server)).enqueue(answers);
    assertTrue(answers.done());
    assertSame(Thread.currentThread(), answers.thread());
    answers.get().close();
    assertEquals(3, server.requests().size());
  }

  // ---- callbacks that throw

  /** OkHttp logs it; no callback is called twice. */
  @Test
  void aCallbackThatFailsIsNotToldOfIt() throws Exception {
    open.countDown();
    AtomicInteger calls = new AtomicInteger();
    CountDownLatch called = new CountDownLatch(1);
    rig.factory(rig.client(named()), rig.retry().build())
        .newCall(Calls.get(server))
        .enqueue(
            new Callback() {
              @Override
              public void onFailure(Call call, IOException failure) {
                calls.incrementAndGet();
              }

              @Override
              public void onResponse(Call call, Response response) throws IOException {
                calls.incrementAndGet();
                response.close();
                called.countDown();
                throw new IOException("the caller's own");
              }
            });
    await(called);
    rig.close();
    assertEquals(1, calls.get());
  }

  /**
   * OkHttp cancels the call, because the response will not be closed, and throws the error again.
   */
  @Test
  void aCallbackWithABugLeavesNoConnection() throws Exception {
    open.countDown();
    LinkedBlockingQueue<Throwable> uncaught = new LinkedBlockingQueue<>();
    IllegalStateException bug = new IllegalStateException("bug");
    server.enqueue(Reply.stalledBody(200, 10, "half"));
    AtomicInteger calls = new AtomicInteger();
    rig.factory(
            rig.client(Rig.builder().dispatcher(OutcomeTest.reporting(uncaught))),
            rig.retry().build())
        .newCall(Calls.get(server))
        .enqueue(
            new Callback() {
              @Override
              public void onFailure(Call call, IOException failure) {
                calls.incrementAndGet();
              }

              @Override
              public void onResponse(Call call, Response response) {
                calls.incrementAndGet();
                throw bug;
              }
            });
    assertSame(bug, uncaught.poll(10, TimeUnit.SECONDS));
    assertEquals(1, calls.get());
    assertNull(uncaught.poll());
    server.assertNoLeaks();
    assertFalse(uncaught.contains(bug));
  }
}
