package dev.steadfast.retry.jmh;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.RetryEnvironment;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * One delay: the first to the eighth of an operation in turn. {@code raw} is {@code
 * ThreadLocalRandom.nextLong(bound)} with the bounds of full jitter.
 *
 * <p>The delay before comes from chains that are drawn beforehand, at the same cost for all. Taking
 * the last result instead would measure how long one delay waits for another, and in earnest there
 * is the wait itself between them.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(2)
@Warmup(iterations = 3, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
public class BackoffBenchmark {
  private static final Duration BASE = Duration.ofMillis(Delays.BASE_MILLIS);
  private static final int CHAINS = 1 << 12;
  private static final Duration CAP = Duration.ofMillis(Delays.CAP_MILLIS);

  private final Delays.Source raw = Delays.raw();
  private final Delays.Source byHand = Delays.byHand();
  private final Delays.Source full = Delays.steadfast(Backoff.fullJitter(BASE, CAP));
  private final Delays.Source equal = Delays.steadfast(Backoff.equalJitter(BASE, CAP));
  private final Delays.Source decorrelated =
      Delays.steadfast(Backoff.decorrelatedJitter(BASE, CAP));
  private final Delays.Source exponential = Delays.steadfast(Backoff.exponential(BASE, CAP));
  private final Delays.Source parsed = Delays.steadfast(Backoff.valueOf("full(100ms..20s)"));
  private final Delays.Source resilience4j = Delays.resilience4j();
  private final Delays.Source aws = Delays.aws();
  private final Delays.Source armeria = Delays.armeria();
  private final Delays.Source methanol = Delays.methanol();
  private final Delays.Source spring = Delays.spring();
  private final Delays.Source finagle = Delays.finagle();

  private final long[] before = chains();
  private int calls;

  private static long[] chains() {
    LongSupplier random = RetryEnvironment.system().random();
    Backoff backoff = Backoff.decorrelatedJitter(BASE, CAP);
    long[] before = new long[CHAINS];
    for (int i = 0; i < before.length; i++) {
      boolean first = i % Delays.RETRIES == 0;
      before[i] = first ? 0 : backoff.delayNanos(i % Delays.RETRIES, before[i - 1], random);
    }
    return before;
  }

  private long next(Delays.Source source) {
    int call = calls++ & (CHAINS - 1);
    return source.next(1 + (call & (Delays.RETRIES - 1)), before[call]);
  }

  @Benchmark
  public long raw() {
    return next(raw);
  }

  @Benchmark
  public long byHand() {
    return next(byHand);
  }

  @Benchmark
  public long steadfastFull() {
    return next(full);
  }

  @Benchmark
  public long steadfastEqual() {
    return next(equal);
  }

  @Benchmark
  public long steadfastDecorrelated() {
    return next(decorrelated);
  }

  @Benchmark
  public long steadfastExponential() {
    return next(exponential);
  }

  @Benchmark
  public long steadfastParsed() {
    return next(parsed);
  }

  @Benchmark
  public long resilience4j() {
    return next(resilience4j);
  }

  @Benchmark
  public long aws() {
    return next(aws);
  }

  @Benchmark
  public long armeria() {
    return next(armeria);
  }

  @Benchmark
  public long methanol() {
    return next(methanol);
  }

  @Benchmark
  public long spring() {
    return next(spring);
  }

  @Benchmark
  public long finagle() {
    return next(finagle);
  }
}
