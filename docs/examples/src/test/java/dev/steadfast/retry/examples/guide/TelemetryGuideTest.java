package dev.steadfast.retry.examples.guide;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.opentelemetry.RetryTracing;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.instrumentation.api.semconv.http.HttpClientRequestResendCount;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs what the guide shows of meters, traces and flight recordings. */
final class TelemetryGuideTest {
  @AutoClose private final ScriptedServer server = ScriptedServer.start();

  private void callThatIsRetried(HttpRetry retry) throws Exception {
    server.enqueue(Reply.status(503));
    HttpRequest request = HttpRequest.newBuilder(server.uri("/orders")).build();
    RetryingHttpClient.wrap(HttpClient.newHttpClient(), retry)
        .send(request, BodyHandlers.discarding());
  }

  @Test
  void metersAreScraped() throws Exception {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    callThatIsRetried(TelemetryGuide.metrics(registry));
    String labels = "{client=\"payments\",origin=\"" + server.uri("") + "\"";
    String last = "steadfast_operation_retries_count" + labels + "} 1";
    String scraped = registry.scrape();
    while (!scraped.contains(last)) { // a meter is registered on another thread
      Thread.onSpinWait();
      scraped = registry.scrape();
    }
    assertTrue(
        scraped.contains("steadfast_operations_seconds_count" + labels + ",reason=\"accepted\"} 1"),
        scraped);
    assertTrue(scraped.contains("steadfast_budget_available" + labels + "} "), scraped);
  }

  /** The kinds and names of the spans, and which resend each is. */
  private static List<String> spans(InMemorySpanExporter exporter) {
    return exporter.getFinishedSpanItems().stream()
        .map(each -> each.getKind() + " " + each.getName() + resend(each))
        .toList();
  }

  private static String resend(SpanData span) {
    Long count = span.getAttributes().get(AttributeKey.longKey("http.request.resend_count"));
    return count == null ? "" : " resend " + count;
  }

  @Test
  void attemptsAreSpans() throws Exception {
    InMemorySpanExporter exporter = InMemorySpanExporter.create();
    SdkTracerProvider tracers =
        SdkTracerProvider.builder().addSpanProcessor(SimpleSpanProcessor.create(exporter)).build();
    List<String> twoAttempts = List.of("CLIENT GET", "CLIENT GET resend 1");
    try (OpenTelemetrySdk sdk = OpenTelemetrySdk.builder().setTracerProvider(tracers).build()) {
      callThatIsRetried(TelemetryGuide.tracing(sdk));
      assertEquals(twoAttempts, spans(exporter));

      exporter.reset();
      HttpRetry counting =
          RetryTracing.builder(sdk)
              .instrumentedClient(HttpClientRequestResendCount::initialize)
              .build()
              .addTo(HttpRetry.builder())
              .build();
      server.enqueue(Reply.status(503));
      TelemetryGuide.tracedJdk(sdk, HttpClient.newHttpClient(), counting)
          .send(HttpRequest.newBuilder(server.uri("/")).build(), BodyHandlers.discarding());
      assertEquals(twoAttempts, spans(exporter));

      exporter.reset();
      server.enqueue(Reply.status(503));
      TelemetryGuide.tracedOkHttp(sdk, new OkHttpClient())
          .newCall(new Request.Builder().url(server.uri("/").toString()).build())
          .execute()
          .close();
      assertEquals(twoAttempts, spans(exporter));

      exporter.reset();
      callThatIsRetried(TelemetryGuide.operationSpans(sdk));
      assertEquals(
          List.of("CLIENT GET", "CLIENT GET resend 1", "INTERNAL steadfast.operation"),
          spans(exporter));
    }
  }

  @Test
  void waitsAreRecorded(@TempDir Path directory) throws Exception {
    try (Recording recording = new Recording()) {
      recording.start();
      callThatIsRetried(TelemetryGuide.flightRecorder());
      recording.stop();
      Path file = directory.resolve("waits.jfr");
      recording.dump(file);
      List<String> ours =
          RecordingFile.readAllEvents(file).stream()
              .map(each -> each.getEventType().getName())
              .filter(name -> name.startsWith("dev.steadfast"))
              .toList();
      assertEquals(List.of("dev.steadfast.Wait"), ours);
    }
  }
}
