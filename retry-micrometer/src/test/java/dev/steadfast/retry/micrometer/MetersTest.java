package dev.steadfast.retry.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.PathEvent;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import dev.steadfast.retry.testkit.FakeTime;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** The meters of real calls, in the text that Prometheus reads. */
class MetersTest {
  private static final String CLIENT = "payments";

  @AutoClose private final ScriptedServer server = ScriptedServer.start();
  private final String origin = server.uri("").toString();
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final FakeTime time = new FakeTime();
  private final RetryBudget budget = RetryBudget.successFunded(0, 2, 0);
  private final RetryMetrics metrics =
      RetryMetrics.builder(registry)
          .client(CLIENT)
          .budget(budget)
          .environment(AtOnce.of(time.environment()))
          .build();
  private final HttpRetry retry =
      HttpRetry.builder()
          .policy(
              RetryPolicy.builder()
                  .maxAttempts(3)
                  .backoff(Backoff.fixed(Duration.ofMillis(200)))
                  .build())
          .budget(budget)
          .idempotencyKeys(IdempotencyKeys.randomUuid())
          .environment(time.environment())
          .listener(time.skipWaits())
          .listener(metrics)
          .build();
  private final HttpClient client = RetryingHttpClient.wrap(HttpClient.newHttpClient(), retry);

  private void pay() throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(server.uri("/payments")).POST(BodyPublishers.ofString("1")).build();
    client.send(request, BodyHandlers.ofString());
  }

  /** Two operations that need every meter. */
  private void everything() throws Exception {
    server.enqueue(
        Reply.status(503).header("Retry-After", "7"),
        Reply.status(503),
        Reply.status(200).header("Idempotent-Replayed", "true"));
    pay(); // pays for two retries, which is all that the budget has
    server.enqueue(Reply.closeAfterRequest());
    assertThrows(IOException.class, this::pay); // cannot pay for a retry
    metrics.pathChanged(OperationInfo.of(origin, "GET"), PathEvent.SUSPECTED);
  }

  private double unknownOutcomes() {
    return registry.get("steadfast.outcomes.unknown").counter().count();
  }

  /** An alert on payments of unknown outcome must not ring for a page that could not be read. */
  @Test
  void aReadThatFails_isNoUnknownOutcome() throws Exception {
    server.enqueue(Reply.status(503), Reply.status(503), Reply.status(503));
    client.send(HttpRequest.newBuilder(server.uri("/page")).build(), BodyHandlers.ofString());
    assertEquals(0, unknownOutcomes());
    server.enqueue(Reply.status(503));
    pay();
    assertEquals(1, unknownOutcomes());
  }

  @Test
  void whatPrometheusReads_isWhatTheListSays() throws Exception {
    everything();
    Map<String, Set<String>> read = new TreeMap<>();
    for (Scrape.Sample each : Scrape.of(registry).samples()) {
      Set<String> labels = new TreeSet<>(each.labels().keySet());
      Set<String> before = read.put(each.name(), labels);
      assertTrue(before == null || before.equals(labels), () -> each + " beside " + before);
    }
    assertEquals(text(Golden.samples()), text(read));
  }

  @Test
  void theMetersInTheRegistry_areThoseOfTheList() throws Exception {
    everything();
    Map<String, String> found = new TreeMap<>();
    for (Meter meter : registry.getMeters()) {
      Set<String> keys =
          meter.getId().getTags().stream()
              .map(Tag::getKey)
              .collect(Collectors.toCollection(TreeSet::new));
      String type =
          meter.getId().getType() == Meter.Type.DISTRIBUTION_SUMMARY
              ? "histogram"
              : meter.getId().getType().name().toLowerCase(Locale.ROOT);
      found.put(meter.getId().getName(), type + " " + keys);
    }
    Map<String, String> listed = new TreeMap<>();
    for (Golden.Row row : Golden.rows()) {
      listed.put(row.meter(), row.type() + " " + row.keySet());
    }
    assertEquals(text(listed), text(found));
  }

  private static String text(Map<String, ?> lines) {
    return lines.entrySet().stream()
        .map(each -> each.getKey() + " " + each.getValue())
        .collect(Collectors.joining("\n"));
  }

  @Test
  void aPaymentWithThreeAttempts() throws Exception {
    server.enqueue(
        Reply.status(503).header("Retry-After", "7"),
        Reply.status(503),
        Reply.status(200).header("Idempotent-Replayed", "true"));
    pay();

    Scrape read = Scrape.of(registry);
    String[] of = {"client", CLIENT, "origin", origin};
    assertEquals(1, read.sum("steadfast_operations_seconds_count", of));
    assertEquals(1, read.sum("steadfast_operations_seconds_count", "reason", "accepted"));
    // The clock advances during waits alone.
    double waited = read.sum("steadfast_retry_delay_seconds_sum", of);
    assertEquals(waited, read.sum("steadfast_operations_seconds_sum", of), 1e-9);
    assertTrue(waited >= 7.2, () -> waited + " s");
    assertEquals(
        2, read.sum("steadfast_attempts_seconds_count", "kind", "unavailable", "status", "5xx"));
    assertEquals(1, read.sum("steadfast_attempts_seconds_count", "kind", "none", "status", "2xx"));
    assertEquals(3, read.sum("steadfast_attempts_seconds_count", of));
    assertEquals(1, read.sum("steadfast_retry_delay_seconds_count", "why", "server_delay"));
    assertEquals(1, read.sum("steadfast_retry_delay_seconds_count", "why", "backoff"));
    assertEquals(2, read.sum("steadfast_operation_retries_sum", of));
    assertEquals(0, read.sum("steadfast_operation_retries_bucket", "le", "1.0"));
    assertEquals(1, read.sum("steadfast_operation_retries_bucket", "le", "2.0"));
    assertEquals(1, read.sum("steadfast_outcomes_replayed_total", of));
    assertEquals(0, read.sum("steadfast_outcomes_unknown_total", of));
    assertEquals(
        1, read.count("steadfast_outcomes_unknown_total", of)); // registered before the first one
    assertEquals(0, read.count("steadfast_retries_refused_total", of));
    assertEquals(0, read.sum("steadfast_budget_available", of));
  }

  @Test
  void aPaymentWhoseAnswerIsLost_whenTheBudgetIsEmpty() throws Exception {
    everything();
    Scrape read = Scrape.of(registry);
    assertEquals(1, read.sum("steadfast_operations_seconds_count", "reason", "budget_exhausted"));
    assertEquals(1, read.sum("steadfast_retries_refused_total", "reason", "budget_exhausted"));
    assertEquals(1, read.sum("steadfast_outcomes_unknown_total", "client", CLIENT));
    assertEquals(
        1,
        read.sum("steadfast_attempts_seconds_count", "kind", "connection_lost", "status", "none"));
  }

  /** The caller gets what it asked for, though nobody knows what the server did before. */
  @Test
  void aRedirectThatIsNotFollowed_isNoFailure() throws Exception {
    server.enqueue(Reply.status(302).header("Location", "/elsewhere"));
    pay();
    assertEquals(0, Scrape.of(registry).sum("steadfast_outcomes_unknown_total"));
  }

  @Test
  void afterTheLastAttemptOfThePolicy_noRetryCountsAsRefused() throws Exception {
    server.enqueue(Reply.status(503), Reply.status(503), Reply.status(503));
    pay();
    Scrape read = Scrape.of(registry);
    assertEquals(1, read.sum("steadfast_operations_seconds_count", "reason", "attempts_exhausted"));
    assertEquals(0, read.count("steadfast_retries_refused_total"));
  }

  @Test
  void anOperationWithoutARetry_isNotInTheHistogramOfRetries() throws Exception {
    pay();
    assertEquals(0, Scrape.of(registry).sum("steadfast_operation_retries_count"));
  }

  @Test
  void close_removesAllMeters() throws Exception {
    everything();
    metrics.close();
    pay();
    assertEquals(0, Scrape.of(registry).samples().size());
  }
}
