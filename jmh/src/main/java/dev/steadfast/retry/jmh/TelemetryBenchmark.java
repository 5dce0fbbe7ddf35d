package dev.steadfast.retry.jmh;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.Retrier;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.jfr.RetryEvents;
import dev.steadfast.retry.micrometer.RetryMetrics;
import dev.steadfast.retry.opentelemetry.RetryTracing;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.instrumentation.api.semconv.http.HttpClientRequestResendCount;
import io.opentelemetry.instrumentation.javahttpclient.JavaHttpClientTelemetry;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
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

  private final OpenTelemetrySdk sdk =
      OpenTelemetrySdk.builder()
          .setTracerProvider(SdkTracerProvider.builder().build()) // records, and exports nothing
          .setPropagators(ContextPropagators.create(W3CTraceContextPropagator.getInstance()))
          .build();
  private final HttpRequest request =
      HttpRequest.newBuilder(URI.create("http://a.example/")).build();
  private final HttpClient untraced = client(new CannedClient(), HttpRetry.builder());
  private final HttpClient library = client(traced(), HttpRetry.builder());
  private final HttpClient libraryAndTracing =
      client(
          traced(),
          RetryTracing.builder(sdk)
              .instrumentedClient(HttpClientRequestResendCount::initialize)
              .build()
              .addTo(HttpRetry.builder()));
  private final HttpClient ownSpans =
      client(new CannedClient(), RetryTracing.of(sdk).addTo(HttpRetry.builder()));

  private HttpClient traced() {
    return JavaHttpClientTelemetry.create(sdk).newHttpClient(new CannedClient());
  }

  private static HttpClient client(HttpClient plain, HttpRetry.Builder retry) {
    return RetryingHttpClient.wrap(plain, retry.budget(RetryBudget.unlimited()).build());
  }

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

  @Benchmark
  public Object untraced() throws Exception {
    return untraced.send(request, BodyHandlers.discarding());
  }

  /** OpenTelemetry's own library makes the span of the attempt. */
  @Benchmark
  public Object library() throws Exception {
    return library.send(request, BodyHandlers.discarding());
  }

  /** The same, and attempts are counted. */
  @Benchmark
  public Object libraryAndTracing() throws Exception {
    return libraryAndTracing.send(request, BodyHandlers.discarding());
  }

  /** The span of the attempt is ours. */
  @Benchmark
  public Object ownSpans() throws Exception {
    return ownSpans.send(request, BodyHandlers.discarding());
  }
}
