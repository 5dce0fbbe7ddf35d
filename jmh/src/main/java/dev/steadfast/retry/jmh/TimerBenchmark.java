package dev.steadfast.retry.jmh;

import dev.steadfast.retry.RetryScheduler;
import dev.steadfast.retry.threads.TimerScheduler;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Schedules a timer of 30 s and cancels it at once, as an operation does that is answered quickly.
 * All threads share the timers, as all operations of a process do.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class TimerBenchmark {
  private static final long NANOS = TimeUnit.SECONDS.toNanos(30);

  private final RetryScheduler steadfast = TimerScheduler.system();
  private ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(0);

  @Setup
  public void setUp() {
    executor = new ScheduledThreadPoolExecutor(1);
    executor.setRemoveOnCancelPolicy(true);
  }

  @TearDown
  public void tearDown() {
    executor.shutdownNow();
  }

  @Benchmark
  public RetryScheduler.Task steadfast() {
    RetryScheduler.Task task = steadfast.schedule(NANOS, () -> {});
    task.cancel();
    return task;
  }

  /** With {@code removeOnCancel}, without which the timers stay for 30 s. */
  @Benchmark
  public Future<?> scheduledExecutor() {
    Future<?> task = executor.schedule(() -> {}, NANOS, TimeUnit.NANOSECONDS);
    task.cancel(false);
    return task;
  }

  /** Completed rather than cancelled, which would make an exception. */
  @Benchmark
  public CompletableFuture<Boolean> orTimeout() {
    CompletableFuture<Boolean> future = new CompletableFuture<>();
    future.orTimeout(NANOS, TimeUnit.NANOSECONDS);
    future.complete(Boolean.TRUE);
    return future;
  }
}
