package dev.steadfast.retry.examples.guide;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.okhttp.OkHttpReports;
import dev.steadfast.retry.okhttp.RetryInterceptor;
import dev.steadfast.retry.okhttp.RetryingCallFactory;
import java.io.IOException;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Function;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.HttpUrl;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;

/** What the guides show of OkHttp. */
final class OkHttpGuide {
  private OkHttpGuide() {}

  static void quickstart(HttpUrl url) throws IOException {
    // region okhttp-quickstart
    HttpRetry retry =
        HttpRetry.builder()
            .idempotencyKeys(IdempotencyKeys.randomUuid()) // the server supports Idempotency-Key
            .build();
    RetryingCallFactory calls = RetryingCallFactory.wrap(new OkHttpClient(), retry);

    MediaType json = MediaType.get("application/json");
    RequestBody payment = RequestBody.create("{\"cents\": 1999}", json);
    Request request = new Request.Builder().url(url).post(payment).build();
    try (Response response = calls.newCall(request).execute()) {
      System.out.println(response.code() + ", " + OkHttpReports.of(response));
    }
    // endregion
  }

  static Call.Factory ownCalls(
      OkHttpClient client, Function<OkHttpClient, Call.Factory> telemetry, HttpRetry retry) {
    Call.Factory calls = RetryingCallFactory.wrap(client, telemetry, retry);
    return calls;
  }

  static void enqueue(Call.Factory calls, Request request, Runnable done) {
    Call call = calls.newCall(request);
    call.enqueue(
        new Callback() {
          @Override
          public void onResponse(Call call, Response response) {
            try (response) {
              System.out.println(response.code() + ", " + OkHttpReports.of(response));
            }
            done.run();
          }

          @Override
          public void onFailure(Call call, IOException failure) {
            System.out.println(failure + ", " + RetryReport.of(failure));
            done.run();
          }
        });
  }

  static OkHttpClient interceptor(HttpRetry retry) {
    // region okhttp-interceptor
    OkHttpClient client = RetryInterceptor.addTo(new OkHttpClient.Builder(), retry).build();
    // endregion
    return client;
  }

  static Call options(Call.Factory calls, Request request) {
    // region okhttp-options
    RetryOptions options =
        RetryOptions.builder()
            .idempotencyKey("order-12345-payment")
            .deadline(Duration.ofSeconds(3))
            .name("pay order 12345") // for logs and listeners
            .build();
    Call call = calls.newCall(request.newBuilder().tag(RetryOptions.class, options).build());
    // endregion
    return call;
  }

  // region okhttp-report
  static void report(Call call, Consumer<RetryReport> reports) {
    try (Response response = call.execute()) {
      reports.accept(OkHttpReports.of(response));
      System.out.println(response.body().string());
    } catch (IOException failure) {
      // If only the body broke, the report came with the response.
      RetryReport.of(failure).ifPresent(reports);
    }
  }

  // endregion

  static void show(RetryReport report) {
    System.out.println(report.reason() + " after " + report.attempts() + " attempts");
    report.attemptReports().forEach(System.out::println);
    if (report.outcomeUnknown()) {
      report.idempotencyKey().ifPresent(key -> System.out.println("keep this key: " + key));
    }
  }

  static HttpRetry bufferedBodies() {
    HttpRetry retry = HttpRetry.builder().bufferBodiesUpTo(64 * 1024).build();
    return retry;
  }

  static void cancel(RetryingCallFactory calls, Request request, Callback callback) {
    Call call = calls.newCall(request);
    call.enqueue(callback);
    call.cancel(); // ends this operation, also while it waits
    calls.cancelAll(); // ends all operations of the factory
  }
}
