package dev.steadfast.retry.jmh;

import com.netflix.concurrency.limits.Limiter;
import com.netflix.concurrency.limits.limit.AIMDLimit;
import com.netflix.concurrency.limits.limiter.SimpleLimiter;
import dev.steadfast.retry.Guard;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.limit.AdaptiveLimit;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
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
 * One limit that all threads share: a place that is taken and given back, and a refusal. Beside it
 * the limit of concurrency-limits, and the least that such a pair can cost: two compare-and-sets on
 * one word.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(2)
@Warmup(iterations = 3, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
public class LimitBenchmark {
  private static final long NOW = 1_000_000_000L;
  private static final OperationInfo OPERATION =
      OperationInfo.of("https://api.example.com:443", "GET https://api.example.com/");

  private final AtomicLong raw = new AtomicLong(1_000);
  private final AdaptiveLimit limit = AdaptiveLimit.perOrigin();
  private final SimpleLimiter<Void> peer =
      SimpleLimiter.newBuilder().limit(AIMDLimit.newBuilder().build()).build();
  private final AdaptiveLimit full = AdaptiveLimit.builder().maximum(1).build();

  /** Fills the limit that refuses. */
  public LimitBenchmark() {
    full.acquire(OPERATION, NOW);
  }

  @Benchmark
  public Guard.Permit pairSteadfast() {
    Guard.Permit permit = limit.acquire(OPERATION, NOW);
    permit.succeeded(1_000);
    return permit;
  }

  @Benchmark
  public Object pairConcurrencyLimits() {
    Optional<Limiter.Listener> place = peer.acquire(null);
    place.ifPresent(Limiter.Listener::onSuccess);
    return place;
  }

  @Benchmark
  public long pairRawCas() {
    add(1);
    return add(-1);
  }

  private long add(long amount) {
    long before;
    do {
      before = raw.get();
    } while (!raw.compareAndSet(before, before + amount));
    return before;
  }

  @Benchmark
  public Object refusalSteadfast() {
    try {
      return full.acquire(OPERATION, NOW);
    } catch (AdaptiveLimit.Refused refused) {
      return refused;
    }
  }
}
