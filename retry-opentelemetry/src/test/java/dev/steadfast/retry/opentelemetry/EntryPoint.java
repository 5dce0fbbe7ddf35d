package dev.steadfast.retry.opentelemetry;

import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.okhttp.RetryInterceptor;
import dev.steadfast.retry.okhttp.RetryingCallFactory;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.instrumentation.javahttpclient.JavaHttpClientTelemetry;
import io.opentelemetry.instrumentation.okhttp.v3_0.OkHttpTelemetry;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CompletableFuture;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/** How a test makes a call. */
enum EntryPoint {
  EXECUTE,
  ENQUEUE,
  INTERCEPTOR,
  INTERCEPTOR_ENQUEUE,
  SEND,
  SEND_ASYNC;

  boolean isOkHttp() {
    return this != SEND && this != SEND_ASYNC;
  }

  /** Whether the retries are within the client. */
  boolean isInterceptor() {
    return this == INTERCEPTOR || this == INTERCEPTOR_ENQUEUE;
  }

  /** A client for one sort of call. */
  interface Client {
    /** Puts a resource, and returns the status. The callback runs where the client runs such. */
    int put(URI uri, Runnable callback) throws Exception;

    /** Puts a resource, and returns the status. */
    default int put(URI uri) throws Exception {
      return put(uri, () -> {});
    }
  }

  /** A client that nobody traces but us. */
  Client client(HttpRetry retry) {
    return isOkHttp() ? okHttp(retry, null) : jdk(retry, null);
  }

  /** A client that the instrumentation library traces. */
  Client instrumented(HttpRetry retry, OpenTelemetry openTelemetry) {
    return isOkHttp() ? okHttp(retry, openTelemetry) : jdk(retry, openTelemetry);
  }

  private Client okHttp(HttpRetry retry, @Nullable OpenTelemetry traced) {
    Call.Factory calls = calls(retry, traced == null ? null : OkHttpTelemetry.create(traced));
    return (uri, callback) -> {
      Call call = calls.newCall(put(uri));
      if (this == ENQUEUE || this == INTERCEPTOR_ENQUEUE) {
        return enqueued(call, callback);
      }
      try (Response response = call.execute()) {
        callback.run();
        return response.code();
      }
    };
  }

  private static Request put(URI uri) {
    return new Request.Builder()
        .url(uri.toString())
        .put(RequestBody.create(new byte[] {1}))
        .build();
  }

  private Call.Factory calls(HttpRetry retry, @Nullable OkHttpTelemetry telemetry) {
    if (isInterceptor()) {
      OkHttpClient client = RetryInterceptor.addTo(new OkHttpClient.Builder(), retry).build();
      return telemetry == null ? client : telemetry.createCallFactory(client);
    }
    OkHttpClient client = new OkHttpClient();
    return telemetry == null
        ? RetryingCallFactory.wrap(client, retry)
        : RetryingCallFactory.wrap(client, telemetry::createCallFactory, retry);
  }

  private static int enqueued(Call call, Runnable callback) throws Exception {
    CompletableFuture<Integer> future = new CompletableFuture<>();
    call.enqueue(
        new Callback() {
          @Override
          public void onFailure(Call failed, IOException thrown) {
            future.completeExceptionally(thrown);
          }

          @Override
          public void onResponse(Call answered, Response response) {
            callback.run();
            response.close();
            future.complete(response.code());
          }
        });
    return future.get();
  }

  private Client jdk(HttpRetry retry, @Nullable OpenTelemetry traced) {
    HttpClient plain = HttpClient.newHttpClient();
    HttpClient client =
        RetryingHttpClient.wrap(
            traced == null
                ? plain
                : JavaHttpClientTelemetry.builder(traced).build().newHttpClient(plain),
            retry);
    return (uri, callback) -> {
      HttpRequest request = HttpRequest.newBuilder(uri).PUT(BodyPublishers.ofString("1")).build();
      if (this == SEND_ASYNC) {
        return client
            .sendAsync(request, BodyHandlers.discarding())
            .whenComplete((response, thrown) -> callback.run())
            .get()
            .statusCode();
      }
      HttpResponse<Void> response = client.send(request, BodyHandlers.discarding());
      callback.run();
      return response.statusCode();
    };
  }
}
