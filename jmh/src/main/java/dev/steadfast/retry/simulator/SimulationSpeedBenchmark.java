package dev.steadfast.retry.simulator;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Runs of the size that the simulator was made for, on one thread and from a cold start, as a user
 * meets them.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(3)
@Warmup(iterations = 0)
@Measurement(iterations = 1)
public class SimulationSpeedBenchmark {
  private static final long SEED = 1;
  private static final int PER_SECOND = 1000;
  private static final double MORE = 1.01; // arrivals come by chance: no fewer than asked

  /** What a shot shows beside its time. */
  @State(Scope.Thread)
  @AuxCounters(AuxCounters.Type.EVENTS)
  public static class Seen {
    /** Calls of clients that were simulated from their beginning to their end. */
    public double operations;

    /** Starts anew. */
    @Setup(Level.Iteration)
    public void reset() {
      operations = 0;
    }
  }

  /** Without retries, and in a storm that never ends. */
  @State(Scope.Thread)
  public static class LongOutage {
    /** What the clients are configured with. */
    @Param({"none", "jitter"})
    public String policy = "none";

    /** How many calls they make. */
    @Param("1000000")
    public int operations;
  }

  /** All strategies. */
  @State(Scope.Thread)
  public static class Contentions {
    /** How many clients write. */
    @Param("200")
    public int clients;

    /** Runs for each strategy. */
    @Param("100")
    public int runs;
  }

  @Benchmark
  public void steadfastOutage(LongOutage outage, Seen seen) {
    int seconds = (int) Math.ceil(outage.operations * MORE / (Worlds.RHO * PER_SECOND));
    OutageSpec spec = Worlds.outage(PER_SECOND, 10, seconds);
    OutageTrace trace =
        OutageRun.run(spec, Worlds.protection(outage.policy), Draws.of(SEED), Progress.silent());
    seen.operations = trace.operations();
  }

  @Benchmark
  public void steadfastContention(Contentions contentions, Seen seen) {
    for (Contention.Strategy strategy : Contention.STRATEGIES) {
      Race.Course course = Worlds.race(strategy.name(), contentions.clients);
      for (Draws draws : Draws.each(SEED, contentions.runs)) {
        course.run(draws);
        seen.operations += contentions.clients;
      }
    }
  }
}
