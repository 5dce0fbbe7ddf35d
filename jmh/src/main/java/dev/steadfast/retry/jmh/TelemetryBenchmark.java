package dev.steadfast.retry.jmh;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.Retrier;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.jfr.RetryEvents;
import dev.steadfast.retry.micrometer.RetryMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What listeners add to an operation whose first attempt succeeds. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(2)
@Warmup(iterations = 3, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
public class TelemetryBenchmark {
  private final MeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final Timer first = registry.timer("first", "origin", "a", "kind", "none");
  private final Timer second = registry.timer("second", "origin", "a", "reason", "accepted");
  private final Retrier emptyListener = retrier(new RetryListener() {});
  private final Retrier metrics = retrier(RetryMetrics.of(registry));
  private final Retrier flightRecorderOff = retrier(new RetryEvents());
  private final Work work = new Work(0);

  private static Retrier retrier(RetryListener listener) {
    return Retrier.builder()
        .policy(
            RetryPolicy.builder().maxAttempts(3).backoff(Backoff.none()).noTotalTimeout().build())
        .budget(RetryBudget.unlimited())
        .listener(listener)
        .build();
  }

  @Benchmark
  public Integer emptyListener() throws Exception {
    return emptyListener.call(work);
  }

  @Benchmark
  public Integer metrics() throws Exception {
    return metrics.call(work);
  }

  /** The cost of the two timers that {@code metrics} records into. */
  @Benchmark
  public void twoRecords() {
    first.record(1_000, TimeUnit.NANOSECONDS);
    second.record(2_000, TimeUnit.NANOSECONDS);
  }

  @Benchmark
  public Integer flightRecorderOff() throws Exception {
    return flightRecorderOff.call(work);
  }
}
