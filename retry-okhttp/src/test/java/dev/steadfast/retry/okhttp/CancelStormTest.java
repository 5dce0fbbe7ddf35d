package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.AttemptReport;
import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.scenarios.Reply;
import dev.steadfast.retry.scenarios.ScriptedServer;
import java.io.IOException;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.Dispatcher;
import okhttp3.OkHttpClient;
import okhttp3.Response;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Calls that are cancelled whenever: on real threads, in real time. */
class CancelStormTest {
  private static final int CALLS = 2000;

  private final Rig rig = new Rig();
  private final Books books = new Books();
  private final ScriptedServer server = ScriptedServer.start();
  private final Random random = new Random(20260703);
  private final CountDownLatch ended = new CountDownLatch(CALLS);
  private final AtomicInteger retries = new AtomicInteger();
  private final AtomicInteger succeeded = new AtomicInteger();

  @AfterEach
  void leavesNothing() throws InterruptedException {
    rig.close();
    server.assertNoLeaks();
    server.close();
  }

  private HttpRetry real() {
    return HttpRetry.builder()
        .policy(
            RetryPolicy.builder()
                .maxAttempts(4)
                .backoff(Backoff.fullJitter(Duration.ofMillis(1), Duration.ofMillis(3)))
                .attemptTimeout(Duration.ofMillis(20))
                .build())
        .budget(books)
        .guard(books)
        .bufferBodiesUpTo(100)
        .listener(
            new RetryListener() {
              @Override
              public void attemptStarted(OperationInfo operation, int attempt, Object request) {
                retries.addAndGet(attempt > 1 ? 1 : 0);
              }

              @Override
              public void attemptEnded(OperationInfo operation, AttemptReport attempt) {
                assertTrue(attempt.deliveries().orElseThrow() >= 0);
              }
            })
        .build();
  }

  private void misbehave() {
    AtomicInteger turn = new AtomicInteger();
    server.route(request ->
        switch (turn.getAndIncrement() % 6) {
          case 0 -> Reply.status(503).body("busy");
          case 1 -> Reply.closeAfterRequest();
          case 2 -> Reply.stallAfterRequest();
          case 3 -> Reply.stalledBody(200, 10, "half");
          case 4 -> Reply.status(200).body("ok").thenClose();
          default -> Reply.status(200).body("ok");
        });
  }

  @ParameterizedTest
  @EnumSource
  void loseNothing(Entry entry) throws Exception {
    misbehave();
    Dispatcher dispatcher = new Dispatcher();
    dispatcher.setMaxRequestsPerHost(16);
    OkHttpClient.Builder builder = Rig.builder().dispatcher(dispatcher);
    Call.Factory calls = rig.calls(entry, builder, real());
    ScheduledExecutorService cancellers = Executors.newScheduledThreadPool(2);
    ExecutorService callers = Executors.newFixedThreadPool(16);

    for (int i = 0; i < CALLS; i++) {
      Call call = calls.newCall(Calls.get(server));
      cancellers.schedule(call::cancel, random.nextInt(20_000), TimeUnit.MICROSECONDS);
      if (entry == Entry.ENQUEUE) {
        call.enqueue(new Ending());
      } else {
        callers.execute(() -> end(call));
      }
    }

    assertTrue(ended.await(100, TimeUnit.SECONDS), "ended: " + (CALLS - ended.getCount()));
    cancellers.shutdown();
    callers.shutdown();
    assertTrue(cancellers.awaitTermination(10, TimeUnit.SECONDS));
    assertTrue(callers.awaitTermination(10, TimeUnit.SECONDS));
    rig.close();
    books.assertBalanced();
    assertEquals(CALLS, books.began.get());
    assertEquals(retries.get(), books.withdrawn.get() - books.refunded.get(), "tokens");
    assertTrue(succeeded.get() < CALLS);
  }

  private void end(Call call) {
    try (Response response = call.execute()) {
      read(response);
    } catch (IOException cancelled) {
      // most likely
    } finally {
      ended.countDown();
    }
  }

  private void read(Response response) throws IOException {
    response.body().string();
    succeeded.incrementAndGet();
  }

  private final class Ending implements Callback {
    private final AtomicInteger calls = new AtomicInteger();

    @Override
    public void onFailure(Call call, IOException failure) {
      once();
    }

    @Override
    public void onResponse(Call call, Response response) throws IOException {
      try (response) {
        read(response);
      } finally {
        once();
      }
    }

    private void once() {
      assertEquals(1, calls.incrementAndGet());
      ended.countDown();
    }
  }
}
