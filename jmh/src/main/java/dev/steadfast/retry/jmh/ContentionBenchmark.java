package dev.steadfast.retry.jmh;

import dev.steadfast.retry.Backoff;
import java.time.Duration;
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
 * A simulated round of contention between 100 clients, with the strategy in the middle of other
 * work. The number of writes depends on the strategy, so a row tells what a round costs with it,
 * not what one delay costs.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
public class ContentionBenchmark {
  /** Whose strategy. Those that hold one operation at a time cannot take part. */
  @Param({
    "raw",
    "steadfastFull",
    "steadfastEqual",
    "steadfastDecorrelated",
    "resilience4j",
    "aws",
    "armeria",
    "methanol"
  })
  public String strategy = "steadfastFull";

  private Contention contention = new Contention(Delays.raw(), 1);

  /** Makes the strategy. */
  @Setup
  public void setUp() {
    long base = Duration.ofMillis(Delays.BASE_MILLIS).toNanos();
    boolean millis = strategy.equals("resilience4j") || strategy.equals("armeria");
    contention = new Contention(source(strategy), millis ? Delays.BASE_MILLIS : base);
  }

  private static Delays.Source source(String strategy) {
    Duration base = Duration.ofMillis(Delays.BASE_MILLIS);
    Duration cap = Duration.ofMillis(Delays.CAP_MILLIS);
    return switch (strategy) {
      case "raw" -> Delays.raw();
      case "steadfastFull" -> Delays.steadfast(Backoff.fullJitter(base, cap));
      case "steadfastEqual" -> Delays.steadfast(Backoff.equalJitter(base, cap));
      case "steadfastDecorrelated" -> Delays.steadfast(Backoff.decorrelatedJitter(base, cap));
      case "resilience4j" -> Delays.resilience4j();
      case "aws" -> Delays.aws();
      case "armeria" -> Delays.armeria();
      case "methanol" -> Delays.methanol();
      default -> throw new IllegalArgumentException(strategy);
    };
  }

  @Benchmark
  public int round() {
    return contention.round();
  }
}
