package dev.steadfast.retry.jmh;

import dev.failsafe.Failsafe;
import dev.failsafe.FailsafeExecutor;
import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.Retrier;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryPolicy;
import io.github.resilience4j.core.IntervalFunction;
import io.github.resilience4j.retry.Retry;
import io.github.resilience4j.retry.RetryConfig;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Ways to let an operation wait for its next attempt, each with the same delay. */
interface Waiters extends AutoCloseable {
  CompletableFuture<Integer> DONE = CompletableFuture.completedFuture(42);
  CompletableFuture<Integer> FAILED = CompletableFuture.failedFuture(new Failed());

  /** Without a trace: what an exception holds is not the waiting operation's. */
  final class Failed extends RuntimeException {
    Failed() {
      super("made to fail", null, false, false);
    }
  }

  /**
   * One attempt; true if it succeeds. As a supplier it is the stage of an attempt, so that what is
   * weighed is the operation and not the caller's function.
   */
  interface Attempt extends Supplier<CompletionStage<Integer>> {
    boolean run();

    @Override
    default CompletionStage<Integer> get() {
      return run() ? DONE : FAILED;
    }
  }

  /** Starts an operation; its first attempt may be made here or on another thread. */
  Object start(Attempt attempt);

  /** Ends an operation that waits. */
  default void cancel(Object operation) {
    ((Future<?>) operation).cancel(true);
  }

  @Override
  default void close() {}

  static Waiters steadfast(RetryPolicy.Builder policy, Duration delay) {
    Retrier retrier =
        Retrier.builder()
            .policy(policy.backoff(Backoff.fixed(delay)).build())
            .budget(RetryBudget.unlimited())
            .build();
    return attempt -> retrier.callAsync(attempt);
  }

  static Waiters failsafe(Duration delay) {
    FailsafeExecutor<Integer> failsafe =
        Failsafe.with(
            dev.failsafe.RetryPolicy.<Integer>builder()
                .withDelay(delay)
                .withMaxAttempts(3)
                .build());
    return attempt -> failsafe.getStageAsync(attempt::get);
  }

  static Waiters resilience4j(Duration delay) {
    Retry retry =
        Retry.of(
            "benchmark",
            RetryConfig.custom()
                .maxAttempts(3)
                .intervalFunction(IntervalFunction.of(delay))
                .build());
    ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
    return new Waiters() {
      @Override
      public Object start(Attempt attempt) {
        return retry.executeCompletionStage(scheduler, attempt);
      }

      @Override
      public void close() {
        scheduler.shutdownNow();
      }
    };
  }

  /** The timer alone: the first attempt is made on the spot. */
  static Waiters bareScheduler(Duration delay) {
    ScheduledThreadPoolExecutor scheduler = new ScheduledThreadPoolExecutor(1);
    scheduler.setRemoveOnCancelPolicy(true);
    long nanos = delay.toNanos();
    return new Waiters() {
      @Override
      public Object start(Attempt attempt) {
        return attempt.run() ? DONE : scheduler.schedule(attempt::run, nanos, TimeUnit.NANOSECONDS);
      }

      @Override
      public void close() {
        scheduler.shutdownNow();
      }
    };
  }

  /** Needs JDK 21, while the bytecode is for 17. */
  static Waiters virtualThreads(Duration delay) {
    Method start;
    try {
      start = Thread.class.getMethod("startVirtualThread", Runnable.class);
    } catch (NoSuchMethodException tooOld) {
      throw new UnsupportedOperationException("virtual threads need JDK 21", tooOld);
    }
    return new Waiters() {
      @Override
      public Object start(Attempt attempt) {
        Runnable loop = () -> attemptAndSleep(attempt, delay.toMillis());
        try {
          return start.invoke(null, loop);
        } catch (ReflectiveOperationException impossible) {
          throw new LinkageError(impossible.getMessage(), impossible);
        }
      }

      @Override
      public void cancel(Object operation) {
        ((Thread) operation).interrupt();
      }
    };
  }

  private static void attemptAndSleep(Attempt attempt, long millis) {
    try {
      while (!attempt.run()) {
        Thread.sleep(millis);
      }
    } catch (InterruptedException cancelled) {
      Thread.currentThread().interrupt();
    }
  }
}
