package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.AttemptReport;
import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.DelayReason;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.Reply;
import java.net.URL;
import java.net.URLClassLoader;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What runs for an operation after its first attempt runs on other threads. It sees the context
 * class loader of the thread that began the operation.
 */
class ContextClassLoaderTest {
  private final Bench bench = new Bench();
  private final ClassLoader before = Thread.currentThread().getContextClassLoader();
  private final URLClassLoader mine = new URLClassLoader(new URL[0], before);
  private final CountDownLatch attached = new CountDownLatch(1);

  // The client's threads would have the loader of the thread that made them start.
  private final ExecutorService workers =
      Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "worker");
        thread.setContextClassLoader(before);
        return thread;
      });

  /** Where the loader was looked at, and which loader it was. */
  private final Map<String, String> seen = new ConcurrentHashMap<>();

  @BeforeEach
  void setLoader() {
    Thread.currentThread().setContextClassLoader(mine);
  }

  @AfterEach
  void close() throws Exception {
    Thread.currentThread().setContextClassLoader(before);
    attached.countDown();
    bench.close();
    workers.shutdownNow();
    mine.close();
  }

  private void look(String where) {
    ClassLoader loader = Thread.currentThread().getContextClassLoader();
    seen.put(where, mine.equals(loader) ? "mine" : "not mine");
  }

  private HttpClient client() {
    RetryPolicy policy =
        RetryPolicy.builder()
            .maxAttempts(2)
            .backoff(Backoff.fixed(Duration.ofMillis(20)))
            .totalTimeout(Duration.ofMinutes(1))
            .build();
    HttpClient delegate =
        new OwnDelegate(Bench.plain().executor(workers).build(), () -> look("delegate"));
    return RetryingHttpClient.wrap(
        delegate, HttpRetry.builder().policy(policy).listener(new Looking()).build());
  }

  private final class Looking implements RetryListener {
    @Override
    public void operationStarted(OperationInfo operation) {
      look("operationStarted");
    }

    @Override
    public void attemptStarted(OperationInfo operation, int attempt, Object request) {
      look("attemptStarted " + attempt);
    }

    @Override
    public void attemptEnded(OperationInfo operation, AttemptReport attempt) {
      look("attemptEnded " + attempt.number());
    }

    @Override
    public void waiting(OperationInfo operation, Duration delay, DelayReason why) {
      look("waiting");
    }

    @Override
    public void ended(OperationInfo operation, RetryReport report) {
      look("ended");
    }
  }

  private void awaitCallbacks(CompletableFuture<?> future) throws Exception {
    CountDownLatch called = new CountDownLatch(2);
    future.whenComplete((value, thrown) -> {
      look("whenComplete");
      called.countDown();
    });
    future.handle((value, thrown) -> {
      look("handle");
      called.countDown();
      return null;
    });
    attached.countDown();
    assertTrue(called.await(20, TimeUnit.SECONDS), "callbacks came");
  }

  private static Map<String, String> mineAt(String... places) {
    Map<String, String> expected = new TreeMap<>();
    for (String place : places) {
      expected.put(place, "mine");
    }
    return expected;
  }

  private void assertMineInTwoAttempts() {
    assertEquals(
        mineAt(
            "operationStarted",
            "attemptStarted 1",
            "attemptEnded 1",
            "waiting",
            "attemptStarted 2",
            "delegate",
            "attemptEnded 2",
            "ended",
            "whenComplete",
            "handle"),
        new TreeMap<>(seen));
  }

  @Test
  void sendAsyncThatIsRetriedAndAnswered() throws Exception {
    bench.server.enqueue(Reply.status(503).delayUntil(attached));

    awaitCallbacks(client().sendAsync(bench.put("a"), BodyHandlers.ofString()));

    assertMineInTwoAttempts();
  }

  @Test
  void sendAsyncThatFails() throws Exception {
    bench.server.defaultReply(Reply.closeAfterRequest().delayUntil(attached));

    awaitCallbacks(client().sendAsync(bench.put("a"), BodyHandlers.ofString()));

    assertMineInTwoAttempts();
  }

  @Test
  void sendAsyncThatEndsAtItsDeadline() throws Exception {
    bench.server.defaultReply(Reply.stallAfterRequest());
    RetryPolicy policy = RetryPolicy.builder().totalTimeout(Duration.ofSeconds(1)).build();
    HttpClient client =
        RetryingHttpClient.wrap(
            Bench.plain().executor(workers).build(),
            HttpRetry.builder().policy(policy).listener(new Looking()).build());

    awaitCallbacks(client.sendAsync(bench.put("a"), BodyHandlers.ofString()));

    assertEquals(
        mineAt(
            "operationStarted",
            "attemptStarted 1",
            "attemptEnded 1",
            "ended",
            "whenComplete",
            "handle"),
        new TreeMap<>(seen));
  }

  @Test
  void sendThatIsRetried() throws Exception {
    bench.server.enqueue(Reply.status(503));

    HttpResponse<String> response = client().send(bench.put("a"), BodyHandlers.ofString());

    assertNotNull(response);
    assertEquals(
        mineAt(
            "operationStarted",
            "attemptStarted 1",
            "attemptEnded 1",
            "waiting",
            "attemptStarted 2",
            "delegate",
            "attemptEnded 2",
            "ended"),
        new TreeMap<>(seen));
  }

  /** A pool thread that ran something for the operation goes back as it was. */
  @Test
  void theLoaderIsTakenBackFromThreadsThatAreNotOurs() throws Exception {
    bench.server.enqueue(Reply.status(503));
    Map<Thread, ClassLoader> after = new ConcurrentHashMap<>();
    ThreadsOfTheUser executor = new ThreadsOfTheUser(after);
    HttpClient delegate = Bench.plain().executor(executor).build();
    HttpClient client =
        RetryingHttpClient.wrap(
            delegate,
            HttpRetry.builder()
                .policy(RetryPolicy.builder().backoff(Backoff.fixed(Duration.ofMillis(20))).build())
                .build());

    client.sendAsync(bench.put("a"), BodyHandlers.ofString()).get(20, TimeUnit.SECONDS);
    executor.awaitIdle();

    assertEquals(0, after.values().stream().filter(mine::equals).count());
  }

  /** Makes threads with a loader of their own, and notes the one that each task leaves behind. */
  private static final class ThreadsOfTheUser implements Executor {
    private final ClassLoader own = ClassLoader.getSystemClassLoader();
    private final Map<Thread, ClassLoader> after;
    private final Phaser running = new Phaser(1);

    ThreadsOfTheUser(Map<Thread, ClassLoader> after) {
      this.after = after;
    }

    @Override
    public void execute(Runnable task) {
      running.register();
      Thread thread =
          new Thread(() -> {
            try {
              task.run();
            } finally {
              after.put(Thread.currentThread(), Thread.currentThread().getContextClassLoader());
              running.arriveAndDeregister();
            }
          });
      thread.setContextClassLoader(own);
      thread.setDaemon(true);
      thread.start();
    }

    void awaitIdle() throws Exception {
      running.awaitAdvanceInterruptibly(running.arrive(), 20, TimeUnit.SECONDS);
    }
  }
}
