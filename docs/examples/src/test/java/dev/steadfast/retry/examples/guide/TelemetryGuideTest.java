package dev.steadfast.retry.examples.guide;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.scenarios.Reply;
import dev.steadfast.retry.scenarios.ScriptedServer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs what the guide shows of meters and flight recordings. */
final class TelemetryGuideTest {
  private final ScriptedServer server = ScriptedServer.start();

  @AfterEach
  void close() {
    server.close();
  }

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
