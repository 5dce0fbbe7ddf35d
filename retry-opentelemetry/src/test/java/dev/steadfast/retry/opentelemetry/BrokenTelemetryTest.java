package dev.steadfast.retry.opentelemetry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import dev.steadfast.retry.testkit.FakeTime;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.TracerProvider;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.context.propagation.TextMapPropagator;
import io.opentelemetry.context.propagation.TextMapSetter;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Telemetry that throws or blocks does not change how operations end. */
class BrokenTelemetryTest {
  private final ScriptedServer server = ScriptedServer.start();
  private final CountDownLatch release = new CountDownLatch(1);
  private final CountDownLatch exporting = new CountDownLatch(1);

  @AfterEach
  void close() {
    release.countDown();
    server.close();
  }

  private static HttpRetry.Builder retry() {
    return HttpRetry.builder()
        .policy(RetryPolicy.builder().maxAttempts(3).backoff(Backoff.none()).build());
  }

  /** How two operations end: one at its third attempt, one that always fails. */
  private List<String> ends(EntryPoint.Client client) throws Exception {
    int before = server.requests().size();
    server.defaultReply(Reply.status(200));
    server.enqueue(Reply.status(503), Reply.status(503));
    String status = "status " + client.put(server.uri("/"));
    int between = server.requests().size();
    server.defaultReply(Reply.closeAfterRequest());
    Exception thrown = assertThrows(Exception.class, () -> client.put(server.uri("/")));
    int after = server.requests().size();
    return List.of(
        status + " after " + (between - before),
        thrown.getClass() + " after " + (after - between),
        RetryReport.of(thrown).orElseThrow().reason().toString());
  }

  private void endsAsWithout(EntryPoint entry, RetryTracing tracing) throws Exception {
    OperationTracing operations = tracing.operations(tracing.attempts());
    assertEquals(
        ends(entry.client(retry().build())),
        ends(entry.client(tracing.addTo(retry(), operations).build())));
    assertEquals(0, operations.open());
  }

  private static RetryTracing tracing(OpenTelemetry broken) {
    return RetryTracing.builder(broken).operationSpans(true).build();
  }

  private static IllegalStateException broken() {
    return new IllegalStateException("telemetry that throws");
  }

  /** Does something with what it should export. */
  private record Exporter(Runnable export) implements SpanExporter {
    @Override
    public CompletableResultCode export(Collection<SpanData> spans) {
      export.run();
      return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode flush() {
      return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode shutdown() {
      return CompletableResultCode.ofSuccess();
    }
  }

  @ParameterizedTest
  @EnumSource
  void anExporterThatThrows(EntryPoint entry) throws Exception {
    Exporter throwing =
        new Exporter(() -> {
          throw broken();
        });
    try (OpenTelemetrySdk sdk = Traced.sdk(SimpleSpanProcessor.create(throwing))) {
      endsAsWithout(entry, tracing(sdk));
    }
  }

  @ParameterizedTest
  @EnumSource
  void anExporterThatBlocks(EntryPoint entry) throws Exception {
    Exporter blocking =
        new Exporter(() -> {
          exporting.countDown();
          try {
            release.await();
          } catch (InterruptedException over) {
            Thread.currentThread().interrupt();
          }
        });
    BatchSpanProcessor processor =
        BatchSpanProcessor.builder(blocking)
            .setMaxQueueSize(2)
            .setMaxExportBatchSize(2)
            .setScheduleDelay(Duration.ofMillis(1))
            .build();
    try (OpenTelemetrySdk sdk = Traced.sdk(processor)) {
      endsAsWithout(entry, tracing(sdk));
      exporting.await(); // it blocks, and more spans have come than the queue takes
      release.countDown();
    }
  }

  /** An OpenTelemetry that throws whatever it is asked for. */
  private record Throwing(boolean tracer) implements OpenTelemetry {
    @Override
    public TracerProvider getTracerProvider() {
      return tracer ? new ThrowingTracers() : TracerProvider.noop();
    }

    @Override
    public ContextPropagators getPropagators() {
      return ContextPropagators.create(
          new Propagator(() -> {
            throw broken();
          }));
    }
  }

  private static final class ThrowingTracers implements TracerProvider {
    @Override
    public Tracer get(String name) {
      return spanName -> {
        throw broken();
      };
    }

    @Override
    public Tracer get(String name, String version) {
      return get(name);
    }
  }

  /** Does something when it should write a context into a request. */
  private record Propagator(Runnable inject) implements TextMapPropagator {
    @Override
    public Collection<String> fields() {
      return List.of("traceparent");
    }

    @Override
    public <C> void inject(Context context, @Nullable C carrier, TextMapSetter<C> setter) {
      inject.run();
    }

    @Override
    public <C> Context extract(Context context, @Nullable C carrier, TextMapGetter<C> getter) {
      return context;
    }
  }

  @ParameterizedTest
  @EnumSource
  void aTracerThatThrows(EntryPoint entry) throws Exception {
    endsAsWithout(entry, tracing(new Throwing(true)));
    endsAsWithout(entry, RetryTracing.of(new Throwing(true)));
  }

  @ParameterizedTest
  @EnumSource
  void aPropagatorThatThrows(EntryPoint entry) throws Exception {
    endsAsWithout(entry, tracing(new Throwing(false)));
  }

  /** In virtual time: it returns when the operation has no time left. */
  @ParameterizedTest
  @EnumSource
  void aPropagatorThatBlocks(EntryPoint entry) {
    FakeTime time = new FakeTime();
    Propagator blocking = new Propagator(() -> time.advance(Duration.ofMinutes(1)));
    RetryTracing tracing =
        RetryTracing.of(OpenTelemetry.propagating(ContextPropagators.create(blocking)));
    OperationTracing operations = tracing.operations(tracing.attempts());
    HttpRetry retry = tracing.addTo(retry().environment(time.environment()), operations).build();
    Exception thrown =
        assertThrows(Exception.class, () -> entry.client(retry).put(server.uri("/")));
    RetryReport report = RetryReport.of(thrown).orElseThrow();
    assertEquals(StopReason.DEADLINE, report.reason());
    boolean seesTheWire = !entry.isInterceptor(); // which assumes the worst
    assertEquals(!seesTheWire, report.serverMayHaveActed(), report::toString);
    assertEquals(List.of(), server.requests());
    assertEquals(0, operations.open());
  }

  @ParameterizedTest
  @EnumSource
  void aCounterThatThrows(EntryPoint entry) throws Exception {
    RetryTracing tracing =
        RetryTracing.builder(OpenTelemetry.noop())
            .instrumentedClient(context -> {
              throw broken();
            })
            .build();
    endsAsWithout(entry, tracing);
  }
}
