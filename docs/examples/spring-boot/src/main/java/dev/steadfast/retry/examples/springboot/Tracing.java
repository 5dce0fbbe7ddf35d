package dev.steadfast.retry.examples.springboot;

import dev.steadfast.retry.opentelemetry.RetryTracing;
import dev.steadfast.retry.spring.boot.HttpRetryCustomizer;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A span per attempt. The spans stay in memory, so that the run can count them. */
@Configuration(proxyBeanMethods = false)
class Tracing {
  private final InMemorySpanExporter exporter = InMemorySpanExporter.create();

  @Bean
  OpenTelemetry openTelemetry() {
    return OpenTelemetrySdk.builder()
        .setTracerProvider(
            SdkTracerProvider.builder()
                .addSpanProcessor(SimpleSpanProcessor.create(exporter))
                .build())
        .setPropagators(ContextPropagators.create(W3CTraceContextPropagator.getInstance()))
        .build();
  }

  @Bean
  HttpRetryCustomizer traceAttempts(OpenTelemetry openTelemetry) {
    RetryTracing tracing = RetryTracing.of(openTelemetry);
    return (client, retry) -> tracing.addTo(retry);
  }

  long spans() {
    return exporter.getFinishedSpanItems().stream()
        .filter(span -> span.getKind() == SpanKind.CLIENT)
        .count();
  }
}
