package dev.steadfast.retry.simulator;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Small runs of the simulator's event loop: queue, model and the library's own loop together. The
 * seed is always the same, so each call does the same work.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
public class SimulationBenchmark {
  private static final long SEED = 1;

  /** An outage of five seconds in a minute of 70 calls per second. */
  @State(Scope.Thread)
  public static class SmallOutage {
    /** What the clients are configured with. */
    @Param({"none", "jitter", "budget", "breaker"})
    public String policy = "none";

    private final OutageSpec spec = Worlds.outage(100, 5, 60);

    private OutageTrace run() {
      return OutageRun.run(spec, Worlds.protection(policy), Draws.of(SEED), Progress.silent());
    }
  }

  private final Race.Course course = Worlds.race("full", 100);

  @Benchmark
  public long steadfastOutage(SmallOutage outage) {
    return outage.run().operations();
  }

  @Benchmark
  public long steadfastContention() {
    return course.run(Draws.of(SEED)).calls();
  }
}
