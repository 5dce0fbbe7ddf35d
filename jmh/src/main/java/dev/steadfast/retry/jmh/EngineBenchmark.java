package dev.steadfast.retry.jmh;

import dev.failsafe.FailsafeExecutor;
import dev.steadfast.retry.Retrier;
import io.github.resilience4j.retry.Retry;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.springframework.core.retry.RetryException;
import org.springframework.core.retry.RetryTemplate;
import software.amazon.awssdk.retries.api.RetryStrategy;

/**
 * One operation on the calling thread: a first attempt that succeeds, or two that fail and a third
 * that succeeds, without waits. The engine is shared by all threads, the work is not.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(2)
@Warmup(iterations = 3, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
public class EngineBenchmark {
  /** The work of a thread. */
  @State(Scope.Thread)
  public static class Task {
    /** How many attempts fail before one succeeds. */
    @Param({"0", "2"})
    public int failures;

    private Work work = new Work(0);

    /** Makes the work. */
    @Setup
    public void setUp() {
      work = new Work(failures);
    }
  }

  private final Retrier steadfast = Engines.steadfast();
  private final Retrier steadfastLimited = Engines.steadfastLimited();
  private final Retry resilience4j = Engines.resilience4j();
  private final FailsafeExecutor<Integer> failsafe = Engines.failsafe();
  private final RetryTemplate spring = Engines.spring();
  private final RetryStrategy aws = Engines.aws();

  /** The work alone; with failures, one attempt in three succeeds. */
  @Benchmark
  public Integer direct(Task task) {
    try {
      return task.work.call();
    } catch (Work.Failure failure) {
      return null;
    }
  }

  @Benchmark
  public Integer byHand(Task task) throws Exception {
    return Engines.runByHand(task.work);
  }

  @Benchmark
  public long nanoTime() {
    return System.nanoTime();
  }

  @Benchmark
  public Integer steadfast(Task task) throws Exception {
    return steadfast.call(task.work);
  }

  @Benchmark
  public Integer steadfastLimited(Task task) throws Exception {
    return steadfastLimited.call(task.work);
  }

  @Benchmark
  public Integer resilience4j(Task task) {
    return resilience4j.executeSupplier(task.work);
  }

  @Benchmark
  public Integer failsafe(Task task) {
    return failsafe.get(task.work);
  }

  @Benchmark
  public Integer spring(Task task) throws RetryException {
    return spring.execute(task.work);
  }

  @Benchmark
  public Integer aws(Task task) {
    return Engines.runAws(aws, task.work);
  }
}
