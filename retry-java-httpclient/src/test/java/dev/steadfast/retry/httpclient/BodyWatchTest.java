package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryScheduler;
import dev.steadfast.retry.engine.RetryPlan;
import java.net.http.HttpResponse.BodySubscribers;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

class BodyWatchTest {
  private final Deque<Runnable> timers = new ArrayDeque<>();
  private boolean timeIsKnown = true;

  private long now() {
    if (!timeIsKnown) {
      throw new IllegalStateException("no time");
    }
    return 0;
  }

  /** Keeps the tasks for the test. */
  private final class Kept implements RetryScheduler {
    @Override
    public Task schedule(long delayNanos, Runnable task) {
      timers.add(task);
      return () -> timers.remove(task);
    }

    @Override
    public boolean await(CountDownLatch wake, long nanos) {
      throw new AssertionError("not needed here");
    }

    @Override
    public boolean isVirtual() {
      return true;
    }
  }

  private WatchedSubscriber<String> watched() {
    RetryEnvironment system = RetryEnvironment.system();
    RetryPlan plan =
        RetryPlan.of(
            RetryPolicy.builder().build(),
            RetryBudget.unlimited(),
            new RetryEnvironment(this::now, system.clock(), system.random(), new Kept()));
    WatchedSubscriber<String> body =
        new WatchedSubscriber<>(BodySubscribers.ofString(StandardCharsets.UTF_8), () -> 0);
    BodyWatch.start(body, plan, Duration.ofMinutes(1).toNanos());
    return body;
  }

  /** A client need not tell the end of a body after that, so its timer could run for long. */
  @Test
  void aBodyThatIsCancelled_isNotWatched() {
    watched().cancel();
    assertEquals(0, timers.size());
  }

  /** The ticker is the user's. Without the time nobody would end a body that is silent for good. */
  @Test
  void aTickerThatThrows_endsTheBody() {
    WatchedSubscriber<String> body = watched();
    assertEquals(1, timers.size());
    assertFalse(body.over());

    timeIsKnown = false;
    assertThrows(IllegalStateException.class, () -> timers.remove().run());
    assertTrue(body.over());
    assertEquals(0, timers.size());
    CompletableFuture<String> text = body.getBody().toCompletableFuture();
    ExecutionException failed = assertThrows(ExecutionException.class, text::get);
    assertInstanceOf(HttpTimeoutException.class, failed.getCause());
    assertInstanceOf(IllegalStateException.class, failed.getCause().getCause());
  }
}
