package dev.steadfast.retry.simulator;

import java.util.PriorityQueue;
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

/**
 * The hold model: the earliest event happens and schedules another one at a later time, so that the
 * number of pending ones stays. The JDK's own queue is there for comparison.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
public class EventQueueBenchmark {
  private static final int DELAYS = 1 << 14; // drawn before, as a logarithm costs what a hold does

  /** How many events are pending. */
  @Param({"1000", "100000"})
  public int pending;

  private final long[] delays = new long[DELAYS];
  private final EventQueue queue = new EventQueue();
  private final PriorityQueue<Long> times = new PriorityQueue<>();
  private final Runnable another = this::schedule;
  private int next;

  /** Fills both queues. */
  @Setup
  public void fill() {
    Draws draws = Draws.of(1);
    for (int i = 0; i < DELAYS; i++) {
      delays[i] = (long) draws.exponential(Durations.SECOND);
    }
    for (int i = 0; i < pending; i++) {
      schedule();
      times.add(delay());
    }
  }

  private long delay() {
    return delays[next++ & (DELAYS - 1)];
  }

  private void schedule() {
    queue.schedule(delay(), another);
  }

  @Benchmark
  public long steadfastQueue() {
    queue.runNext();
    return queue.nowNanos();
  }

  @Benchmark
  public long priorityQueue() {
    long now = times.remove();
    times.add(now + delay());
    return now;
  }
}
