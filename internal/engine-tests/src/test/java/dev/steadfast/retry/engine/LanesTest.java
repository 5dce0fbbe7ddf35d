package dev.steadfast.retry.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.Retrier;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryScheduler;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.threads.WithoutWorkers;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What user code can hold up, and what it cannot. */
@Timeout(60)
class LanesTest {
  private final CountDownLatch end = new CountDownLatch(1);

  @AfterEach
  void release() {
    end.countDown();
  }

  private static void await(CountDownLatch latch) {
    try {
      assertTrue(latch.await(30, TimeUnit.SECONDS));
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }

  /** A retrier whose executor takes every task and runs none. */
  private static Retrier held(Duration total) {
    return Retrier.builder()
        .environment(RetryEnvironment.system().withExecutor(task -> {}))
        .policy(
            RetryPolicy.builder()
                .backoff(Backoff.fixed(Duration.ofMillis(1)))
                .totalTimeout(total)
                .build())
        .budget(RetryBudget.unlimited())
        .build();
  }

  private static Throwable failureWithin30Seconds(CompletableFuture<?> future) {
    return assertThrows(ExecutionException.class, () -> future.get(30, TimeUnit.SECONDS))
        .getCause();
  }

  @Test
  void aThreadThatWaits_wakesAtTheDeadline_thoughTheExecutorRunsNothing() {
    CompletableFuture<String> future =
        held(Duration.ofMillis(50)).callAsync(CompletableFuture::new);

    assertInstanceOf(TimeoutException.class, failureWithin30Seconds(future));
  }

  @Test
  void aThreadThatJoinsADerivedFuture_wakesToo() throws Exception {
    CompletableFuture<String> future =
        held(Duration.ofMillis(50)).callAsync(CompletableFuture::new);
    CompletableFuture<String> derived = future.thenApply(String::trim);
    CompletableFuture<Throwable> thrown = new CompletableFuture<>();
    Thread waiting =
        new Thread(() ->
            thrown.complete(assertThrows(CompletionException.class, derived::join).getCause()));
    waiting.start();

    assertInstanceOf(TimeoutException.class, thrown.get(30, TimeUnit.SECONDS));
  }

  @Test
  void aRetryThatNoThreadBegins_endsAtTheDeadline() {
    CompletableFuture<String> future =
        held(Duration.ofMillis(50))
            .callAsync(() -> CompletableFuture.failedFuture(new IOException("first")));

    Throwable thrown = failureWithin30Seconds(future);

    assertInstanceOf(TimeoutException.class, thrown);
  }

  @Test
  void aThreadThatWaits_runsNothingThatDependsOnTheFuture() {
    List<Thread> dependents = new ArrayList<>();
    CompletableFuture<String> future =
        held(Duration.ofMillis(50)).callAsync(CompletableFuture::new);
    future.whenComplete((value, thrown) -> {
      dependents.add(Thread.currentThread());
      await(end);
    });

    assertInstanceOf(TimeoutException.class, failureWithin30Seconds(future));
    assertInstanceOf(
        TimeoutException.class, assertThrows(CompletionException.class, future::join).getCause());
    assertFalse(dependents.contains(Thread.currentThread()));
  }

  @Test
  void aWaitWithALimit_ends() {
    CompletableFuture<String> future =
        held(Duration.ofMinutes(5)).callAsync(CompletableFuture::new);

    assertThrows(TimeoutException.class, () -> future.get(20, TimeUnit.MILLISECONDS));
    future.cancel(true);
  }

  @Test
  void anAttemptIsStoppedAtItsDeadline_onAThreadForJustThat() throws Exception {
    CompletableFuture<String> stage = new CompletableFuture<>();
    CompletableFuture<String> stoppedOn = new CompletableFuture<>();
    stage.whenComplete((value, thrown) -> {
      stoppedOn.complete(Thread.currentThread().getName());
      await(end); // code of the user's
    });
    CompletableFuture<String> future =
        Retrier.builder()
            .policy(RetryPolicy.builder().totalTimeout(Duration.ofMillis(50)).build())
            .build()
            .callAsync(() -> stage);

    String thread = stoppedOn.get(30, TimeUnit.SECONDS);
    assertTrue(thread.startsWith("steadfast-canceller-"), thread);
    assertInstanceOf(TimeoutException.class, failureWithin30Seconds(future));
  }

  @Test
  void anOperationApart_runsOnAnotherThread_andEndsWithAnInterrupt() throws Exception {
    Client client = new Client();
    CompletableFuture<Thread> running = new CompletableFuture<>();
    client.start =
        attempt -> {
          running.complete(Thread.currentThread());
          CountDownLatch stopped = new CountDownLatch(1);
          attempt.onCancel(stopped::countDown);
          await(stopped);
        };
    RetryPlan plan = plan(RetryEnvironment.system());
    RetryLoop<String> loop = RetryLoop.of(plan, OperationInfo.of("test", "test"), client);
    ForkJoinPool pool = new ForkJoinPool(1);
    try {
      CompletableFuture<Thread> caller = new CompletableFuture<>();
      CompletableFuture<Throwable> thrown = new CompletableFuture<>();
      pool.execute(() -> {
        caller.complete(Thread.currentThread());
        try {
          loop.runApart(plan, Long.MAX_VALUE);
        } catch (Throwable ended) {
          thrown.complete(ended);
        }
      });
      assertTrue(running.get(30, TimeUnit.SECONDS).getName().startsWith("steadfast-sender-"));
      caller.get(30, TimeUnit.SECONDS).interrupt();
      assertEquals("INTERRUPTED", thrown.get(30, TimeUnit.SECONDS).getMessage());
    } finally {
      pool.shutdown();
    }
  }

  @Test
  void anOperationApart_runsOnTheCallingThread_ifNoOtherCanBeStarted() throws Throwable {
    OffloadedCall<Thread> apart = new OffloadedCall<>(Thread::currentThread, () -> {}, null);
    assertEquals(Thread.currentThread(), apart.call(WithoutWorkers.scheduler()));
  }

  @Test
  void anOperationApart_thatHasNotBegun_endsWithAnInterrupt() {
    OffloadedCall<String> apart =
        new OffloadedCall<>(
            () -> {
              throw new AssertionError("begun");
            },
            () -> {},
            null);
    Thread.currentThread().interrupt();
    assertThrows(InterruptedException.class, () -> apart.call(WithoutWorkers.scheduler()));
  }

  @Test
  void aCancellationThatBlocksOnTheWire_doesNotHoldUpTheOperation() throws Exception {
    Client client = new Client();
    RetryLoop<String> loop =
        RetryLoop.of(plan(RetryEnvironment.system()), OperationInfo.of("test", "test"), client);
    CompletableFuture<String> ended = new CompletableFuture<>();
    loop.start(Long.MAX_VALUE, (response, failure) -> ended.complete(failure.getMessage()));
    client.attempt().onCancel(() -> await(end));
    Thread canceller = new Thread(loop::cancel);
    canceller.start();

    assertEquals("CANCELLED", ended.get(30, TimeUnit.SECONDS));
    assertTrue(canceller.isAlive());
  }

  @Test
  void aClockThatThrowsAfterAWait_endsTheOperation() {
    Client client = new Client();
    Tasks tasks = new Tasks();
    RetryLoop<String> loop =
        RetryLoop.of(
            plan(new RetryEnvironment(tasks::now, Instant::now, () -> 0, tasks)),
            OperationInfo.of("test", "test"),
            client);
    List<Throwable> ends = new ArrayList<>();
    loop.start(Long.MAX_VALUE, (response, failure) -> ends.add(failure));
    tasks.queue.clear(); // the deadline
    client.attempt().complete(null, new IOException("first"));
    assertEquals(List.of(), ends);
    assertTrue(client.waited, "what the attempt held can be freed");
    tasks.broken = true;

    try {
      tasks.queue.remove().run();
    } catch (IllegalStateException noTime) {
      // The scheduler would log it.
    }

    assertEquals(1, ends.size());
    assertEquals("no time", ends.get(0).getMessage());
  }

  private static RetryPlan plan(RetryEnvironment environment) {
    RetryPolicy policy =
        RetryPolicy.builder()
            .backoff(Backoff.fixed(Duration.ofSeconds(1)))
            .totalTimeout(Duration.ofMinutes(5))
            .build();
    return RetryPlan.of(policy, RetryBudget.unlimited(), environment);
  }

  /** Virtual time that stands still. */
  private static final class Tasks implements RetryScheduler {
    private final Queue<Runnable> queue = new ArrayDeque<>();
    private boolean broken;

    long now() {
      if (broken) {
        throw new IllegalStateException("no time");
      }
      return 0;
    }

    @Override
    public boolean isVirtual() {
      return true;
    }

    @Override
    public Task schedule(long delayNanos, Runnable task) {
      queue.add(task);
      return () -> {};
    }

    @Override
    public boolean await(CountDownLatch wake, long nanos) {
      throw new UnsupportedOperationException();
    }
  }

  /** A client's work in an attempt. */
  private interface Start {
    void with(Attempt<String> attempt);
  }

  private static final class Client implements RetryTransport<String> {
    private @Nullable Attempt<String> attempt;
    private Start start = attempt -> {};
    private boolean waited;

    Attempt<String> attempt() {
      return attempt;
    }

    @Override
    public void start(Attempt<String> attempt) {
      this.attempt = attempt;
      assertTrue(attempt.begin("request"));
      start.with(attempt);
    }

    @Override
    public void waits() {
      waited = true;
    }

    @Override
    public Outcome outcome(String response) {
      return Outcomes.of(Verdict.accepted());
    }

    @Override
    public Outcome outcome(Throwable failure) {
      return Outcomes.of(Verdict.retryable(FailureKind.OTHER));
    }

    @Override
    public Evidence evidence() {
      return Outcomes.of(Verdict.permanent()).evidence();
    }

    @Override
    public Throwable failure(End end, @Nullable Throwable cause) {
      return new IOException(end.toString(), cause);
    }
  }
}
