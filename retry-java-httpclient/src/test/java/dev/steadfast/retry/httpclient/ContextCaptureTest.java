package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.ContextCapture;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.Reply;
import java.net.http.HttpClient;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a caller's library keeps on its threads is there wherever something runs for the call. */
class ContextCaptureTest {
  /** As a logging or tracing library keeps it. */
  private static final ThreadLocal<String> TRACE = new ThreadLocal<>();

  private final Bench bench = new Bench();
  private final CountDownLatch attached = new CountDownLatch(1);
  private final AtomicInteger captured = new AtomicInteger();
  private final AtomicInteger restored = new AtomicInteger();
  private final AtomicInteger undone = new AtomicInteger();
  private final Map<String, String> seen = new ConcurrentHashMap<>();

  @AfterEach
  void close() {
    TRACE.remove();
    attached.countDown();
    bench.close();
  }

  private ContextCapture capture() {
    return () -> {
      captured.incrementAndGet();
      String trace = TRACE.get();
      return () -> {
        restored.incrementAndGet();
        String before = TRACE.get();
        TRACE.set(trace);
        return () -> {
          undone.incrementAndGet();
          TRACE.set(before);
        };
      };
    };
  }

  private void look(String where) {
    seen.put(where, String.valueOf(TRACE.get()));
  }

  private HttpClient client(Executor workers) {
    RetryPolicy policy =
        RetryPolicy.builder().maxAttempts(2).backoff(Backoff.fixed(Duration.ofMillis(20))).build();
    RetryListener looking =
        new RetryListener() {
          @Override
          public void attemptStarted(OperationInfo operation, int attempt, Object request) {
            look("attemptStarted " + attempt);
          }

          @Override
          public void ended(OperationInfo operation, RetryReport report) {
            look("ended");
          }
        };
    return RetryingHttpClient.wrap(
        new OwnDelegate(Bench.plain().executor(workers).build(), () -> look("delegate")),
        HttpRetry.builder().policy(policy).listener(looking).context(capture()).build());
  }

  /** Waits for the library's own threads, which may still be returning from the callbacks. */
  private void awaitUndone() {
    long patience = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (undone.get() != restored.get()) {
      assertTrue(System.nanoTime() < patience, () -> restored + " restored, " + undone + " undone");
      Thread.onSpinWait();
    }
  }

  @Test
  void attemptsListenersAndCallbacksSeeIt() throws Exception {
    bench.server.enqueue(Reply.status(503).delayUntil(attached));
    CleanThreads workers = new CleanThreads();
    TRACE.set("trace-1");

    CompletableFuture<?> future =
        client(workers).sendAsync(bench.put("a"), BodyHandlers.ofString());
    CountDownLatch called = new CountDownLatch(1);
    future.whenComplete((response, thrown) -> {
      look("whenComplete");
      called.countDown();
    });
    TRACE.set("trace-2");
    attached.countDown();

    assertTrue(called.await(20, TimeUnit.SECONDS));
    assertEquals(
        Map.of(
            "attemptStarted 1", "trace-1",
            "attemptStarted 2", "trace-1",
            "delegate", "trace-1",
            "ended", "trace-1",
            "whenComplete", "trace-1"),
        new TreeMap<>(seen));
    assertEquals("trace-2", TRACE.get());
    assertEquals(1, captured.get());
    workers.awaitIdle();
    assertEquals(Map.of(), workers.left);
    awaitUndone();
  }

  @Test
  void sendSeesItToo() throws Exception {
    bench.server.enqueue(Reply.status(503));
    CleanThreads workers = new CleanThreads();
    TRACE.set("trace-1");

    client(workers).send(bench.put("a"), BodyHandlers.ofString());

    assertEquals(
        Map.of(
            "attemptStarted 1", "trace-1",
            "attemptStarted 2", "trace-1",
            "delegate", "trace-1",
            "ended", "trace-1"),
        new TreeMap<>(seen));
    assertEquals("trace-1", TRACE.get());
    workers.awaitIdle();
    assertEquals(Map.of(), workers.left);
    awaitUndone();
  }

  /** Each operation has what was there when it began, and nothing of another one. */
  @Test
  void operationsDoNotMix() throws Exception {
    CleanThreads workers = new CleanThreads();
    HttpClient client = client(workers);
    for (String trace : new String[] {"first", "second", "none"}) {
      bench.server.enqueue(Reply.status(503));
      seen.clear();
      if (trace.equals("none")) {
        TRACE.remove();
      } else {
        TRACE.set(trace);
      }
      client.sendAsync(bench.put("a"), BodyHandlers.ofString()).get(20, TimeUnit.SECONDS);
      assertEquals(trace.equals("none") ? "null" : trace, seen.get("attemptStarted 2"));
    }
    assertNull(TRACE.get());
  }

  /** Whether it ends with the failure or goes on without context: it does not hang. */
  @Test
  void aCaptureThatThrowsDoesNotHoldTheCall() throws Exception {
    HttpRetry retry =
        HttpRetry.builder()
            .context(() -> {
              throw new AssertionError("mine");
            })
            .build();
    HttpClient client = RetryingHttpClient.wrap(Bench.plain().build(), retry);
    CountDownLatch ended = new CountDownLatch(1);
    Thread caller =
        new Thread(
            () -> {
              try {
                client.sendAsync(bench.put("a"), BodyHandlers.ofString()).join();
              } catch (Throwable thrown) {
                // Any end will do.
              } finally {
                ended.countDown();
              }
            },
            "caller");
    caller.setDaemon(true);
    caller.start();
    assertTrue(ended.await(10, TimeUnit.SECONDS), "the call ends");
  }

  /** A thread for each task, and what was left on it. */
  private static final class CleanThreads implements Executor {
    private final Map<String, String> left = new ConcurrentHashMap<>();
    private final Phaser running = new Phaser(1);

    @Override
    public void execute(Runnable task) {
      running.register();
      Thread thread =
          new Thread(() -> {
            try {
              task.run();
            } finally {
              if (TRACE.get() != null) {
                left.put(Thread.currentThread().getName(), TRACE.get());
              }
              running.arriveAndDeregister();
            }
          });
      thread.setDaemon(true);
      thread.start();
    }

    void awaitIdle() throws Exception {
      running.awaitAdvanceInterruptibly(running.arrive(), 20, TimeUnit.SECONDS);
    }
  }
}
