package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.DelayReason;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import dev.steadfast.retry.testkit.FakeTime;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import okhttp3.Call;
import okhttp3.Dispatcher;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Executors of the dispatcher that take no work: the callback still comes. */
class ExecutorTest {
  private final Rig rig = new Rig();
  private final Books books = new Books();
  private final ScriptedServer server = ScriptedServer.start();
  private final Failing threads = new Failing();
  private final Dispatcher dispatcher = new Dispatcher(threads);

  @AfterEach
  void leavesNothing() throws InterruptedException {
    threads.blocked.countDown();
    rig.close();
    books.assertBalanced();
    server.assertNoLeaks();
    server.close();
  }

  /** How an executor fails. */
  enum Fails {
    NEVER,
    REJECTS,
    THROWS_AN_ERROR,
    THROWS_AN_EXCEPTION,
    BLOCKS
  }

  /** An executor that fails from some time on. */
  private static final class Failing extends ThreadPoolExecutor {
    final CountDownLatch blocked = new CountDownLatch(1);
    volatile Fails fails = Fails.NEVER;

    Failing() {
      super(0, Integer.MAX_VALUE, 1, TimeUnit.SECONDS, new SynchronousQueue<>());
    }

    @Override
    public void execute(Runnable work) {
      switch (fails) {
        case REJECTS -> throw new RejectedExecutionException("full");
        case THROWS_AN_ERROR -> throw new OutOfMemoryError("unable to create native thread");
        case THROWS_AN_EXCEPTION -> throw new IllegalStateException("broken");
        case BLOCKS -> {
          try {
            blocked.await();
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
        }
        default -> {}
      }
      super.execute(work);
    }
  }

  private Call call(HttpRetry.Builder retry) {
    OkHttpClient client = rig.client(Rig.builder().dispatcher(dispatcher));
    return rig.factory(client, retry.budget(books).guard(books).build()).newCall(Calls.get(server));
  }

  @ParameterizedTest
  @EnumSource(names = {"REJECTS", "THROWS_AN_ERROR", "THROWS_AN_EXCEPTION"})
  void atTheFirstAttempt(Fails fails) {
    threads.fails = fails;
    Entry.Answers answers = new Entry.Answers();
    call(rig.retry()).enqueue(answers);
    assertTrue(answers.failure() != null);
    assertEquals(0, server.requests().size());
  }

  /** The thread that began the operation, or its wait, is kept until the test is over. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theDeadlineHoldsWhileItBlocks(boolean atTheSecondAttempt) throws Exception {
    HttpRetry.Builder retry = HttpRetry.builder().policy(hurried());
    if (atTheSecondAttempt) {
      server.enqueue(Reply.status(503));
      retry.listener(
          new RetryListener() {
            @Override
            public void waiting(OperationInfo operation, Duration delay, DelayReason why) {
              threads.fails = Fails.BLOCKS;
            }
          });
    } else {
      threads.fails = Fails.BLOCKS;
    }
    Entry.Answers answers = new Entry.Answers();
    Call call = call(retry);

    Thread caller = new Thread(() -> call.enqueue(answers));
    caller.start();

    assertInstanceOf(InterruptedIOException.class, answers.failure());
    assertTrue(call.isCanceled());
    threads.blocked.countDown();
    caller.join();
    while (dispatcher.runningCallsCount() > 0) {
      Thread.onSpinWait(); // the attempt that was kept in the queue
    }
    assertEquals(atTheSecondAttempt ? 1 : 0, server.requests().size());
  }

  /** An interceptor keeps the calling thread, whatever cancels its call. */
  @Test
  void theDeadlineHoldsWhileItRunsWorkOnTheCallingThread() throws Exception {
    OkHttpClient.Builder builder = Rig.builder().dispatcher(new Dispatcher(new DirectExecutor()));
    builder.addInterceptor(chain -> {
      try {
        threads.blocked.await();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
      return chain.proceed(chain.request());
    });
    HttpRetry retry = HttpRetry.builder().policy(hurried()).build();
    Call call = rig.factory(rig.client(builder), retry).newCall(Calls.get(server));
    Entry.Answers answers = new Entry.Answers();

    Thread caller = new Thread(() -> call.enqueue(answers));
    caller.start();

    assertInstanceOf(InterruptedIOException.class, answers.failure());
    threads.blocked.countDown();
    caller.join();
    assertEquals(0, server.requests().size());
  }

  private static RetryPolicy hurried() {
    return RetryPolicy.builder()
        .backoff(Backoff.fixed(Duration.ofMillis(100)))
        .totalTimeout(Duration.ofSeconds(1))
        .build();
  }

  /** The wait is over, and no executor takes the second attempt. */
  @ParameterizedTest
  @EnumSource(names = {"REJECTS", "THROWS_AN_ERROR", "THROWS_AN_EXCEPTION"})
  void atTheSecondAttempt(Fails fails) throws Exception {
    server.enqueue(Reply.status(503));
    Entry.Answers answers = new Entry.Answers();
    call(rig.frozen().policy(Calls.seconds().noTotalTimeout().build())).enqueue(answers);
    rig.time.awaitPending(1);
    threads.fails = fails;

    rig.time.advance(Duration.ofSeconds(1));

    answers.failure();
    assertEquals(1, server.requests().size());
    assertEquals(1, books.refunded.get());
  }

  /** Cancelled while it waits: the callback is all that is to be run. */
  @ParameterizedTest
  @EnumSource(names = {"REJECTS", "THROWS_AN_ERROR", "THROWS_AN_EXCEPTION", "BLOCKS"})
  void atTheCallback(Fails fails) throws Exception {
    server.enqueue(Reply.status(503));
    Entry.Answers answers = new Entry.Answers();
    HttpRetry.Builder retry = HttpRetry.builder().policy(patient());
    Call call = call(retry.listener(rig.recorder));
    call.enqueue(answers);
    while (rig.recorder.waits().isEmpty()) {
      Thread.onSpinWait();
    }
    threads.fails = fails;

    call.cancel();

    assertEquals("Canceled", answers.failure().getMessage());
    assertNotSame(Thread.currentThread(), answers.thread());
  }

  /** One that is busy has taken it all the same. */
  @Test
  void aCallbackThatIsQueuedWaitsForItsTurn() {
    FakeTime time = new FakeTime();
    Queue<Runnable> queued = new ArrayDeque<>();
    List<Thread> called = new ArrayList<>();
    CallbackTask callback = new CallbackTask(() -> called.add(Thread.currentThread()));

    callback.start(queued::add, time);
    time.advance(Duration.ofHours(1));

    assertEquals(List.of(), called);
    assertEquals(0, time.pending());
    queued.remove().run();
    assertEquals(List.of(Thread.currentThread()), called);
  }

  private static RetryPolicy patient() {
    return RetryPolicy.builder()
        .backoff(Backoff.fixed(Duration.ofMinutes(1)))
        .noTotalTimeout()
        .build();
  }
}
