package dev.steadfast.retry.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.RetryScheduler;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.Verdict;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A blocking operation whose attempt is settled by another thread. That thread is held right after
 * it has won, where it takes a timer back, and the calling thread goes on.
 */
@Timeout(60)
class HeldThreadTest {
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Timers timers = new Timers();
  private final Client client = new Client();

  @AfterEach
  void close() {
    timers.free.countDown();
    threads.shutdownNow();
  }

  private RetryPlan plan() {
    RetryPolicy policy =
        RetryPolicy.builder()
            .totalTimeout(Duration.ofSeconds(30))
            .attemptTimeout(Duration.ofSeconds(5))
            .build();
    RetryEnvironment environment =
        new RetryEnvironment(() -> timers.nowNanos, Instant::now, () -> 0, timers);
    return RetryPlan.of(policy, RetryBudget.unlimited(), environment);
  }

  private RetryLoop<String> loop() {
    return RetryLoop.of(plan(), OperationInfo.of("test", "test"), client);
  }

  /** The client gives up at the moment at which the timer ends the attempt. */
  @Test
  void theTimeoutOfAnAttempt_isNotLost() throws Exception {
    AtomicReference<Future<?>> timer = new AtomicReference<>();
    client.start =
        attempt -> {
          assertTrue(attempt.begin("request"));
          timers.nowNanos = Duration.ofSeconds(5).toNanos();
          timers.holdNextCancel = true;
          timer.set(threads.submit(timers.latest.get()));
          await(timers.held);
          throw new IOException("the client's own timeout");
        };
    // The timer's thread goes on while the calling thread decides what follows.
    client.whenAskedForFailure =
        () -> {
          timers.free.countDown();
          join(timer.get());
        };
    RetryLoop<String> loop = loop();

    IOException thrown = assertThrows(IOException.class, () -> loop.run(Long.MAX_VALUE));

    assertEquals("ATTEMPT_TIMEOUT", thrown.getMessage());
    assertEquals(StopReason.NOT_RETRYABLE, RetryReport.of(thrown).orElseThrow().reason());
  }

  /** The head is judged on the client's thread, and meanwhile the client throws. */
  @Test
  void theFailureOfAnAttemptWhoseHeadIsJudged_isNotLost() throws Exception {
    CountDownLatch judging = new CountDownLatch(1);
    CountDownLatch judged = new CountDownLatch(1);
    client.whenAskedForHead =
        () -> {
          judging.countDown();
          await(judged);
        };
    IOException broken = new IOException("broken body");
    CountDownLatch leaving = new CountDownLatch(1);
    AtomicReference<Future<?>> head = new AtomicReference<>();
    client.start =
        attempt -> {
          assertTrue(attempt.begin("request"));
          head.set(threads.submit(() -> attempt.head("200")));
          await(judging);
          leaving.countDown();
          attempt.complete(null, broken);
        };
    RetryLoop<String> loop = loop();
    FutureTask<Boolean> called =
        new FutureTask<>(() -> {
          assertSame(broken, assertThrows(Exception.class, () -> loop.run(Long.MAX_VALUE)));
          return Thread.interrupted();
        });
    Thread caller = new Thread(called, "caller");
    caller.start();
    leaving.await();
    while (caller.getState() != Thread.State.WAITING) {
      Thread.onSpinWait(); // until it waits for the thread that judges
    }

    timers.holdNextCancel = true;
    judged.countDown();
    timers.held.await();
    caller.interrupt(); // it looks whether the attempt is over

    assertTrue(called.get(30, TimeUnit.SECONDS), "and stays interrupted");
    timers.free.countDown();
    head.get().get(30, TimeUnit.SECONDS);
  }

  /** The same, where nothing interrupts the calling thread but what the client throws. */
  @Test
  void anInterruptWhileTheHeadIsJudged_isNotLost() throws Exception {
    CountDownLatch judging = new CountDownLatch(1);
    CountDownLatch judged = new CountDownLatch(1);
    client.whenAskedForHead =
        () -> {
          judging.countDown();
          await(judged);
        };
    Operation<String> operation = new Operation<>(plan(), OperationInfo.of("test", "test"), client);
    operation.begin(Long.MAX_VALUE);
    Caller caller = new Caller(operation);
    AttemptRun<String> attempt = new AttemptRun<>(caller, 1);
    assertTrue(attempt.begin("request"));
    Future<Boolean> head = threads.submit(() -> attempt.head("200"));
    judging.await();
    timers.holdNextCancel = true;
    // The calling thread has told of its exception, and is about to see whether that was taken.
    caller.whenAsked =
        () -> {
          judged.countDown();
          await(timers.held);
        };
    InterruptedException interrupted = new InterruptedException();

    attempt.complete(null, interrupted);

    assertTrue(attempt.overOnReturn());
    assertSame(interrupted, attempt.failure());
    timers.free.countDown();
    assertEquals(false, head.get(30, TimeUnit.SECONDS));
  }

  /** The loop of a blocking operation. */
  private static final class Caller implements Driver<String> {
    private final Operation<String> operation;
    private @Nullable Runnable whenAsked;

    Caller(Operation<String> operation) {
      this.operation = operation;
    }

    @Override
    public Operation<String> operation() {
      return operation;
    }

    @Override
    public boolean blocking() {
      Runnable action = whenAsked;
      whenAsked = null;
      if (action != null) {
        action.run();
      }
      return true;
    }

    @Override
    public Runnable restoreContext() {
      return () -> {};
    }

    @Override
    public void goOn(AttemptRun<String> attempt) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void waitOver() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void waitRejected(Throwable reason) {
      throw new UnsupportedOperationException();
    }
  }

  /** Another thread has settled the attempt, and has not yet written what it ended with. */
  @Test
  void theCallingThreadWaits_untilTheEndIsWritten() throws Exception {
    List<String> order = Collections.synchronizedList(new ArrayList<>());
    CountDownLatch writing = new CountDownLatch(1);
    CountDownLatch reading = new CountDownLatch(1);
    AttemptSettlement<String> race =
        new Racing() {
          @Override
          void endedWith(@Nullable String response, @Nullable Throwable failure) {
            writing.countDown();
            HeldThreadTest.await(reading);
            for (int i = 0; i < 1_000_000; i++) {
              Thread.onSpinWait(); // the reader gets its chance
            }
            order.add("written");
          }
        };
    Future<?> ending = threads.submit(() -> race.end(Phase.CANCELLED, null));
    writing.await();
    reading.countDown();

    race.awaitEnd();
    order.add("read");

    ending.get(30, TimeUnit.SECONDS);
    assertEquals(List.of("written", "read"), order);
  }

  private static void await(CountDownLatch latch) {
    try {
      assertTrue(latch.await(30, TimeUnit.SECONDS));
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }

  private static void join(Future<?> future) {
    try {
      future.get(30, TimeUnit.SECONDS);
    } catch (Exception failed) {
      throw new IllegalStateException(failed);
    }
  }

  /** Timers that the test runs itself; taking one back can be held. */
  private static final class Timers implements RetryScheduler {
    private final AtomicReference<Runnable> latest = new AtomicReference<>();
    private final CountDownLatch held = new CountDownLatch(1);
    private final CountDownLatch free = new CountDownLatch(1);
    private volatile long nowNanos;
    private volatile boolean holdNextCancel;

    @Override
    public boolean isVirtual() {
      return true;
    }

    @Override
    public Task schedule(long delayNanos, Runnable task) {
      latest.set(task);
      return this::cancel;
    }

    private void cancel() {
      if (holdNextCancel) {
        holdNextCancel = false;
        held.countDown();
        HeldThreadTest.await(free);
      }
    }

    @Override
    public boolean await(CountDownLatch wake, long nanos) {
      throw new UnsupportedOperationException();
    }
  }

  /** What a blocking client does in an attempt. */
  private interface Start {
    void with(Attempt<String> attempt) throws Exception;
  }

  /** A client whose attempts do what the test says. */
  private static final class Client implements RetryTransport<String> {
    private volatile Start start = attempt -> {};
    private volatile Runnable whenAskedForHead = () -> {};
    private volatile Runnable whenAskedForFailure = () -> {};

    @Override
    public void start(Attempt<String> attempt) throws Exception {
      start.with(attempt);
    }

    @Override
    public Outcome outcome(String response) {
      whenAskedForHead.run();
      return Outcomes.of(Verdict.accepted());
    }

    @Override
    public Outcome outcome(Throwable failure) {
      whenAskedForFailure.run();
      return Outcomes.of(Verdict.permanent());
    }

    @Override
    public Evidence evidence() {
      return Outcomes.of(Verdict.retryable(FailureKind.OTHER)).evidence();
    }

    @Override
    public Throwable failure(End end, @Nullable Throwable cause) {
      return new IOException(end.toString(), cause);
    }
  }

  /** An attempt of a blocking operation of which nothing but its end is asked. */
  private abstract static class Racing extends AttemptSettlement<String> {
    Racing() {
      super(Phase.RUNNING);
    }

    @Override
    Operation<String> operation() {
      throw new UnsupportedOperationException();
    }

    @Override
    public int number() {
      return 1;
    }

    @Override
    boolean waits() {
      return true;
    }

    @Override
    boolean sendingBody() {
      return false;
    }

    @Override
    long leftNanos(Phase open, long nowNanos) {
      return Long.MAX_VALUE;
    }

    @Override
    public void userCodeFailed(Throwable thrown) {
      throw new UnsupportedOperationException();
    }

    @Override
    void handOver() {}
  }
}
