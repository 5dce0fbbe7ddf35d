package dev.steadfast.retry.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.Retrier;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.testkit.FakeTime;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The number of origins that have meters of their own is bounded. */
class OriginsTest {
  private final FakeTime time = new FakeTime();
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final RetryBudget budget = RetryBudget.perOrigin(0.1);

  private RetryMetrics metrics(int maxOrigins) {
    return RetryMetrics.builder(registry)
        .budget(budget)
        .environment(AtOnce.of(time.environment()))
        .maxOrigins(maxOrigins)
        .build();
  }

  private void call(RetryMetrics metrics, String origin) throws Exception {
    Retrier.builder()
        .name(origin)
        .budget(budget)
        .environment(time.environment())
        .listener(metrics)
        .build()
        .call(() -> "done");
  }

  private double operations(String origin) {
    return Scrape.of(registry).sum("steadfast_operations_seconds_count", "origin", origin);
  }

  private long lines(String origin) {
    return Scrape.of(registry).samples().stream()
        .filter(each -> origin.equals(each.labels().get("origin")))
        .count();
  }

  @Test
  void ofAThousandOrigins_aHundredHaveMetersOfTheirOwn() throws Exception {
    RetryMetrics metrics = metrics(100);
    for (int i = 0; i < 1_000; i++) {
      call(metrics, "host-" + i);
    }
    Scrape read = Scrape.of(registry);
    assertEquals(101, read.count("steadfast_operations_seconds_count"));
    assertEquals(900, operations("other"));
    assertEquals(1_000, read.sum("steadfast_operations_seconds_count"));
    assertEquals(1_000, read.sum("steadfast_attempts_seconds_count"));
    assertEquals(100, read.count("steadfast_budget_available")); // not of those that share meters
    assertEquals(0, read.count("steadfast_budget_available", "origin", "other"));
  }

  @Test
  void anOriginWithoutAnOperationForAnHour_makesRoom_andItsMetersAreRemoved() throws Exception {
    RetryMetrics metrics = metrics(2);
    call(metrics, "idle");
    call(metrics, "busy");
    time.advance(Duration.ofHours(1));
    call(metrics, "new"); // both were used until now
    assertEquals(1, operations("other"));
    call(metrics, "busy");
    time.advance(Duration.ofMinutes(59));
    call(metrics, "new");
    assertEquals(2, operations("other"));
    assertTrue(lines("idle") > 0);

    time.advance(Duration.ofMinutes(1));
    call(metrics, "new");
    assertEquals(0, lines("idle"));
    assertEquals(1, operations("new"));
    assertEquals(2, operations("busy"));
    assertEquals(0, Scrape.of(registry).count("steadfast_budget_available", "origin", "idle"));
    assertEquals(2, Scrape.of(registry).count("steadfast_budget_available"));
  }

  @Test
  void anOriginThatWasRemoved_canComeBack() throws Exception {
    RetryMetrics metrics = metrics(1);
    call(metrics, "first");
    time.advance(Duration.ofHours(1));
    call(metrics, "second"); // the first one was used until now
    time.advance(Duration.ofHours(1));
    call(metrics, "second");
    assertEquals(1, operations("second"));
    assertEquals(0, lines("first"));

    time.advance(Duration.ofHours(1));
    call(metrics, "first");
    time.advance(Duration.ofHours(1));
    call(metrics, "first");
    assertEquals(1, operations("first"));
    assertEquals(0, lines("second"));
    assertEquals(2, operations("other"));
  }

  /** A meter filter may leave out the origin. */
  @Test
  void anOriginThatMakesRoom_leavesMetersThatOtherOriginsUse() throws Exception {
    registry.config().meterFilter(MeterFilter.ignoreTags("origin"));
    RetryMetrics metrics = metrics(2);
    call(metrics, "idle");
    call(metrics, "busy");
    time.advance(Duration.ofHours(1));
    call(metrics, "new"); // both were used until now
    call(metrics, "busy");
    time.advance(Duration.ofHours(1));
    call(metrics, "new");
    call(metrics, "busy");
    assertEquals(6, Scrape.of(registry).sum("steadfast_operations_seconds_count"));
    assertEquals(1, Scrape.of(registry).count("steadfast_outcomes_unknown_total"));
    metrics.close();
    assertEquals(List.of(), registry.getMeters());
  }

  @Test
  void aRetrierNamedOther_sharesTheMetersOfAllOtherOrigins() throws Exception {
    RetryMetrics metrics = metrics(2);
    call(metrics, "other");
    call(metrics, "first");
    call(metrics, "second");
    assertEquals(2, operations("other"));
    assertEquals(1, operations("first"));
  }

  @Test
  void settingsOutOfTheirRange_areRefused() {
    RetryMetrics.Builder builder = RetryMetrics.builder(registry);
    for (int wrong : new int[] {0, -1, 10_001}) {
      IllegalArgumentException thrown =
          assertThrows(IllegalArgumentException.class, () -> builder.maxOrigins(wrong));
      assertEquals("maxOrigins: " + wrong + " (expected: 1 to 10000)", thrown.getMessage());
    }
    assertThrows(IllegalArgumentException.class, () -> builder.client(" "));
  }

  @Test
  void theGaugeShowsWhatTheBudgetHas() throws Exception {
    RetryMetrics metrics = metrics(10);
    call(metrics, "first");
    assertEquals(10, Scrape.of(registry).sum("steadfast_budget_available", "origin", "first"));
    for (int i = 0; i < 3; i++) {
      budget.account("first").tryWithdraw(FailureKind.OTHER, time.nanos());
    }
    assertEquals(7, Scrape.of(registry).sum("steadfast_budget_available", "origin", "first"));
    time.advance(Duration.ofSeconds(2)); // which earns two retries
    assertEquals(9, Scrape.of(registry).sum("steadfast_budget_available", "origin", "first"));
  }
}
