package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.Reply;
import java.net.http.HttpClient;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The executor of the delegate fails after some tasks: operations end by their deadline. */
class BadExecutorTest {
  private final Bench bench = new Bench();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final CountDownLatch over = new CountDownLatch(1);

  @AfterEach
  void close() {
    over.countDown();
    threads.shutdownNow();
    bench.close();
  }

  /** What becomes of a task. */
  enum Fault {
    REJECTS,
    THROWS_ERROR,
    NEVER_RUNS,
    BLOCKS
  }

  private Executor executor(Fault fault, int works) {
    AtomicInteger tasks = new AtomicInteger();
    return task -> {
      if (tasks.incrementAndGet() <= works) {
        threads.execute(task);
        return;
      }
      switch (fault) {
        case REJECTS -> throw new RejectedExecutionException("mine");
        case THROWS_ERROR -> throw new OutOfMemoryError("mine: unable to create a thread");
        case NEVER_RUNS -> {}
        case BLOCKS -> awaitOver();
      }
    };
  }

  private void awaitOver() {
    try {
      over.await();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private HttpClient client(Fault fault, int works) {
    RetryPolicy policy =
        RetryPolicy.builder()
            .maxAttempts(10)
            .totalTimeout(Duration.ofMillis(300))
            .backoff(Backoff.fixed(Duration.ofMillis(10)))
            .build();
    bench.server.enqueue(Reply.status(503).body("sorry"));
    bench.server.defaultReply(Reply.stallAfterRequest());
    return RetryingHttpClient.wrap(
        Bench.plain().executor(executor(fault, works)).build(),
        HttpRetry.builder().policy(policy).build());
  }

  private void sendEnds(Fault fault) {
    for (int works : new int[] {0, 1, 2, 3, 5, 8}) {
      HttpClient client = client(fault, works);
      CountDownLatch ended = new CountDownLatch(1);
      Thread caller =
          new Thread(
              () -> {
                try {
                  client.send(bench.put("a"), BodyHandlers.ofString());
                } catch (Throwable thrown) {
                  // Any end will do.
                } finally {
                  ended.countDown();
                }
              },
              "caller");
      caller.setDaemon(true);
      caller.start();
      assertTrue(await(ended), "send ends after " + works + " tasks");
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Fault.class,
      names = {"REJECTS", "THROWS_ERROR", "NEVER_RUNS"})
  void sendEndsByItsTotalTimeout(Fault fault) {
    sendEnds(fault);
  }

  /** One that takes a task and never runs it may keep the callback as well. */
  @ParameterizedTest
  @EnumSource(
      value = Fault.class,
      names = {"REJECTS", "THROWS_ERROR"})
  void callbacksOfSendAsyncCome(Fault fault) {
    for (int works : new int[] {0, 1, 2, 3, 5, 8}) {
      HttpClient client = client(fault, works);
      CountDownLatch called = new CountDownLatch(1);
      try {
        client
            .sendAsync(bench.put("a"), BodyHandlers.ofString())
            .whenComplete((response, thrown) -> called.countDown());
      } catch (RejectedExecutionException | OutOfMemoryError atOnce) {
        continue; // as the plain client may
      }
      assertTrue(await(called), "the callback comes after " + works + " tasks");
    }
  }

  /** A later operation is not held up by an earlier one whose executor blocks its threads. */
  @ParameterizedTest
  @ValueSource(ints = {3, 5})
  void othersGoOnWhileAnExecutorBlocks(int works) throws Exception {
    HttpClient blocked = client(Fault.BLOCKS, works);
    for (int i = 0; i < 8; i++) {
      threads.execute(() -> blocked.sendAsync(bench.put("a"), BodyHandlers.ofString()));
    }
    CountDownLatch ended = new CountDownLatch(1);
    client(Fault.REJECTS, Integer.MAX_VALUE)
        .sendAsync(bench.put("b"), BodyHandlers.ofString())
        .whenComplete((response, thrown) -> ended.countDown());
    assertTrue(await(ended), "the other operation ends");
  }

  private static boolean await(CountDownLatch latch) {
    try {
      return latch.await(10, TimeUnit.SECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
