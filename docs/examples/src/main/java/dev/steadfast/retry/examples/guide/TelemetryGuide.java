package dev.steadfast.retry.examples.guide;

import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.jfr.RetryEvents;
import dev.steadfast.retry.micrometer.RetryMetrics;
import io.micrometer.core.instrument.MeterRegistry;

/** What the guide shows of meters and flight recordings. */
final class TelemetryGuide {
  private TelemetryGuide() {}

  static HttpRetry metrics(MeterRegistry registry) {
    // region metrics
    RetryBudget budget =
        RetryBudget.perOrigin(0.10); // the default, with a name so that it has a gauge
    RetryMetrics metrics = RetryMetrics.builder(registry).client("payments").budget(budget).build();
    HttpRetry retry = HttpRetry.builder().budget(budget).listener(metrics).build();
    // endregion
    return retry;
  }

  static HttpRetry flightRecorder() {
    // region flight-recorder
    HttpRetry retry = HttpRetry.builder().listener(new RetryEvents()).build();
    // endregion
    return retry;
  }
}
