package dev.steadfast.retry.examples.guide;

import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.jfr.RetryEvents;
import dev.steadfast.retry.micrometer.RetryMetrics;
import dev.steadfast.retry.okhttp.RetryingCallFactory;
import dev.steadfast.retry.opentelemetry.RetryTracing;
import io.micrometer.core.instrument.MeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.instrumentation.api.semconv.http.HttpClientRequestResendCount;
import io.opentelemetry.instrumentation.javahttpclient.JavaHttpClientTelemetry;
import io.opentelemetry.instrumentation.okhttp.v3_0.OkHttpTelemetry;
import java.net.http.HttpClient;
import okhttp3.Call;
import okhttp3.OkHttpClient;

/** What the guide shows of meters, traces and flight recordings. */
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

  static HttpRetry tracing(OpenTelemetry openTelemetry) {
    // region tracing
    HttpRetry retry = RetryTracing.of(openTelemetry).addTo(HttpRetry.builder()).build();
    // endregion
    return retry;
  }

  static Call.Factory tracedOkHttp(OpenTelemetry openTelemetry, OkHttpClient client) {
    // region traced-okhttp
    RetryTracing tracing =
        RetryTracing.builder(openTelemetry)
            .instrumentedClient(HttpClientRequestResendCount::initialize)
            .build();
    HttpRetry retry = tracing.addTo(HttpRetry.builder()).build();
    OkHttpTelemetry telemetry = OkHttpTelemetry.create(openTelemetry);
    Call.Factory calls = RetryingCallFactory.wrap(client, telemetry::createCallFactory, retry);
    // endregion
    return calls;
  }

  static HttpClient tracedJdk(OpenTelemetry openTelemetry, HttpClient client, HttpRetry retry) {
    HttpClient traced = JavaHttpClientTelemetry.create(openTelemetry).newHttpClient(client);
    HttpClient http = RetryingHttpClient.wrap(traced, retry);
    return http;
  }

  static HttpRetry operationSpans(OpenTelemetry openTelemetry) {
    RetryTracing tracing = RetryTracing.builder(openTelemetry).operationSpans(true).build();
    return tracing.addTo(HttpRetry.builder()).build();
  }

  static HttpRetry flightRecorder() {
    HttpRetry retry = HttpRetry.builder().listener(new RetryEvents()).build();
    return retry;
  }
}
