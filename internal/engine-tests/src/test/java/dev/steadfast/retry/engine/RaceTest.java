package dev.steadfast.retry.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.RetryScheduler;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.Verdict;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What comes while an attempt is busy, or a moment too late. */
class RaceTest {
  private final Timers timers = new Timers();
  private final Client client = new Client();

  private CompletableFuture<String> start(RetryListener... listeners) {
    RetryPolicy policy =
        RetryPolicy.builder()
            .maxAttempts(1)
            .attemptTimeout(Duration.ofSeconds(5))
            .totalTimeout(Duration.ofSeconds(30))
            .build();
    RetryEnvironment environment = new RetryEnvironment(timers::now, Instant::now, () -> 0, timers);
    RetryPlan plan =
        RetryPlan.of(policy, RetryBudget.unlimited(), environment)
            .withListeners(List.of(listeners));
    OperationInfo info = OperationInfo.of("test", "test");
    return RetryLoop.of(plan, info, client)
        .start(Long.MAX_VALUE, Function.identity(), UnaryOperator.identity());
  }

  @Test
  void failureThatComesWhileTheHeadIsJudgedEndsTheAttempt() {
    IOException broken = new IOException("broken");
    client.whenJudging = () -> client.attempt().complete(null, broken);
    CompletableFuture<String> future = start();

    assertFalse(client.attempt().head("200"));

    assertTrue(future.isDone());
    assertSame(broken, assertThrows(CompletionException.class, future::join).getCause());
  }

  @Test
  void responseThatComesWhileTheHeadIsJudgedIsDelivered() {
    client.whenJudging = () -> client.attempt().complete("200", null);
    CompletableFuture<String> future = start();

    assertFalse(client.attempt().head("200"));

    assertEquals("200", future.join());
    assertEquals(List.of(), client.discarded);
  }

  @Test
  void responseThatComesWhileTheHeadOfACancelledAttemptIsJudgedIsDiscarded() {
    CompletableFuture<String> future = start();
    client.whenJudging =
        () -> {
          future.cancel(true);
          client.attempt().complete("200", null);
        };

    assertFalse(client.attempt().head("200"));

    assertTrue(future.isCancelled());
    assertEquals(List.of("200"), client.discarded);
  }

  @Test
  void attemptTimerThatComesAfterTheHeadIsVoid() {
    client.verdict = Verdict.permanent(StopReason.NOT_RETRYABLE);
    CompletableFuture<String> future = start();
    // The timer is due, and on its way, when the head arrives.
    timers.nowNanos = Duration.ofSeconds(6).toNanos();
    timers.whenAsked = () -> assertTrue(client.attempt().head("404"));
    timers.scheduled.get(0).run();

    client.attempt().complete("404", null);

    assertEquals("404", future.join());
  }

  @Test
  void attemptWhoseTimeIsUpWhenItsListenersReturnIsNotSent() {
    CompletableFuture<String> future =
        start(
            new RetryListener() {
              @Override
              public void attemptStarted(OperationInfo operation, int attempt, Object request) {
                timers.nowNanos = Duration.ofSeconds(6).toNanos(); // the timer is late
              }
            });

    assertFalse(client.began);
    Throwable thrown = assertThrows(CompletionException.class, future::join).getCause();
    assertEquals("ATTEMPT_TIMEOUT", thrown.getMessage());
  }

  @Test
  void responseThatLosesToTheCallerIsDiscarded() {
    CompletableFuture<String> future = start();
    client.whenDelivering = () -> future.complete("mine");

    client.attempt().complete("200", null);

    assertEquals("mine", future.join());
    assertEquals(List.of("200"), client.discarded);
  }

  /** Timers that a test runs itself, cancelled or not, as a timer thread may do. */
  private static final class Timers implements RetryScheduler {
    private final List<Runnable> scheduled = new ArrayList<>();
    private long nowNanos;
    private @Nullable Runnable whenAsked;

    long now() {
      Runnable action = whenAsked;
      whenAsked = null;
      if (action != null) {
        action.run();
      }
      return nowNanos;
    }

    @Override
    public boolean isVirtual() {
      return true;
    }

    @Override
    public Task schedule(long delayNanos, Runnable task) {
      scheduled.add(task);
      return () -> {};
    }

    @Override
    public boolean await(CountDownLatch wake, long nanos) {
      throw new UnsupportedOperationException();
    }
  }

  /** A client; the test completes its attempts. */
  private static final class Client implements RetryTransport<String> {
    private final List<String> discarded = new ArrayList<>();
    private @Nullable Attempt<String> attempt;
    private Verdict verdict = Verdict.accepted();
    private Runnable whenJudging = () -> {};
    private Runnable whenDelivering = () -> {};
    private boolean began;

    Attempt<String> attempt() {
      return attempt;
    }

    @Override
    public void start(Attempt<String> attempt) {
      this.attempt = attempt;
      began = attempt.begin("request");
    }

    @Override
    public Outcome outcome(String response) {
      whenJudging.run();
      return Outcomes.of(verdict);
    }

    @Override
    public Outcome outcome(Throwable failure) {
      return Outcomes.of(Verdict.permanent());
    }

    @Override
    public Evidence evidence() {
      return Outcomes.of(Verdict.permanent()).evidence();
    }

    @Override
    public void discard(String response) {
      discarded.add(response);
    }

    @Override
    public String deliver(String response, RetryReport report) {
      whenDelivering.run();
      return response;
    }

    @Override
    public Throwable failure(End end, @Nullable Throwable cause) {
      return new IOException(end.toString(), cause);
    }
  }
}
