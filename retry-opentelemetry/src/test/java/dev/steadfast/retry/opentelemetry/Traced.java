package dev.steadfast.retry.opentelemetry;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;

/** An OpenTelemetry whose spans a test reads. */
final class Traced implements AutoCloseable {
  private final InMemorySpanExporter exporter = InMemorySpanExporter.create();
  private final OpenTelemetrySdk sdk;

  Traced() {
    this.sdk = sdk(SimpleSpanProcessor.create(exporter));
  }

  static OpenTelemetrySdk sdk(SpanProcessor processor) {
    return OpenTelemetrySdk.builder()
        .setTracerProvider(SdkTracerProvider.builder().addSpanProcessor(processor).build())
        .setPropagators(ContextPropagators.create(W3CTraceContextPropagator.getInstance()))
        .build();
  }

  OpenTelemetry openTelemetry() {
    return sdk;
  }

  /** Calls something within a span called {@code caller}. */
  <T> T within(Callable<T> call) throws Exception {
    Span caller = sdk.getTracer("test").spanBuilder("caller").startSpan();
    try (Scope scope = caller.makeCurrent()) {
      return call.call();
    } finally {
      caller.end();
    }
  }

  List<SpanData> spans() {
    return exporter.getFinishedSpanItems();
  }

  /** The spans in the order of their start. Each is below its parent, two spaces to the right. */
  String tree() {
    List<String> lines = new ArrayList<>();
    List<SpanData> spans = new ArrayList<>(spans());
    spans.sort(Comparator.comparingLong(SpanData::getStartEpochNanos));
    for (SpanData each : spans) {
      boolean root = spans.stream().noneMatch(other -> isChild(each, other));
      if (root) {
        print(each, spans, "", lines);
      }
    }
    return String.join("\n", lines);
  }

  private static boolean isChild(SpanData child, SpanData parent) {
    return child.getTraceId().equals(parent.getTraceId())
        && child.getParentSpanId().equals(parent.getSpanId());
  }

  private static void print(
      SpanData span, List<SpanData> spans, String indent, List<String> lines) {
    lines.add(indent + text(span));
    for (EventData event : span.getEvents()) {
      lines.add(indent + "  * " + event.getName() + text(event.getAttributes()));
    }
    for (SpanData each : spans) {
      if (isChild(each, span)) {
        print(each, spans, indent + "  ", lines);
      }
    }
  }

  private static String text(SpanData span) {
    return span.getName()
        + " "
        + span.getKind()
        + (span.getStatus().getStatusCode().name().equals("ERROR") ? " ERROR" : "")
        + text(span.getAttributes());
  }

  /** What differs between runs and clients is left out: addresses, thread, version. */
  private static String text(Attributes attributes) {
    Map<String, String> shown = new TreeMap<>();
    attributes.forEach((key, value) -> {
      String name = key.getKey();
      boolean varies =
          name.startsWith("thread.")
              || name.startsWith("network.")
              || name.startsWith("server.")
              || name.equals("url.full");
      if (!varies) {
        shown.put(name, value.toString());
      }
    });
    return shown.isEmpty() ? "" : " " + shown;
  }

  @Override
  public void close() {
    sdk.close();
    if (Span.fromContextOrNull(Context.current()) != null) {
      throw new AssertionError("a span was left on the thread: " + Context.current());
    }
  }
}
