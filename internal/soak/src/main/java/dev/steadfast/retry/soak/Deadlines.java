package dev.steadfast.retry.soak;

import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.okhttp.RetryingCallFactory;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.Dispatcher;
import okhttp3.EventListener;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;

/** Requests to a server that is silent, so that each ends at its deadline: wrapped or plain. */
final class Deadlines {
  private static final int PATIENCE_SECONDS = 15;

  private final SecondJvm server;
  private final boolean wrapped;

  Deadlines(SecondJvm server, boolean wrapped) {
    this.server = server;
    this.wrapped = wrapped;
  }

  boolean wrapped() {
    return wrapped;
  }

  private static HttpRetry retry(long millis) {
    return HttpRetry.builder()
        .policy(RetryPolicy.builder().totalTimeout(Duration.ofMillis(millis)).build())
        .budget(RetryBudget.unlimited())
        .build();
  }

  /** A client of java.net.http. */
  Http http(long millis, Executor executor) {
    HttpClient.Builder builder = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1);
    HttpClient plain = (executor == null ? builder : builder.executor(executor)).build();
    return new Http(wrapped ? RetryingHttpClient.wrap(plain, retry(millis)) : plain, millis);
  }

  /** Requests with one deadline. */
  final class Http {
    private final HttpClient client;
    private final HttpRequest request;

    private Http(HttpClient client, long millis) {
      this.client = client;
      HttpRequest.Builder builder = HttpRequest.newBuilder(URI.create(server.url("/silent")));
      this.request = (wrapped ? builder : builder.timeout(Duration.ofMillis(millis))).build();
    }

    CompletableFuture<HttpResponse<String>> sendAsync() {
      return client.sendAsync(request, BodyHandlers.ofString());
    }

    void send() {
      try {
        client.send(request, BodyHandlers.ofString());
      } catch (IOException | InterruptedException atItsDeadline) {
        // As it should.
      }
    }
  }

  /** Calls of OkHttp with one deadline. */
  Call.Factory okHttp(long millis, EventListener listener) {
    Dispatcher dispatcher = new Dispatcher();
    dispatcher.setMaxRequests(1_000);
    dispatcher.setMaxRequestsPerHost(1_000);
    OkHttpClient.Builder client =
        new OkHttpClient.Builder().dispatcher(dispatcher).eventListener(listener);
    client.readTimeout(Duration.ZERO);
    return wrapped
        ? RetryingCallFactory.wrap(client.build(), retry(millis))
        : client.callTimeout(Duration.ofMillis(millis)).build();
  }

  Call call(Call.Factory calls) {
    return calls.newCall(new Request.Builder().url(server.url("/silent")).build());
  }

  /** Enqueues a call. The future is done when its callback has been called. */
  CompletableFuture<Void> enqueue(Call.Factory calls) {
    CompletableFuture<Void> called = new CompletableFuture<>();
    call(calls)
        .enqueue(
            new Callback() {
              @Override
              public void onFailure(Call call, IOException atItsDeadline) {
                called.complete(null);
              }

              @Override
              public void onResponse(Call call, Response response) {
                response.close();
                called.complete(null);
              }
            });
    return called;
  }

  void execute(Call.Factory calls) {
    try (Response ignored = call(calls).execute()) {
      // The server is never that fast.
    } catch (IOException atItsDeadline) {
      // As it should.
    }
  }

  /** Something that ends at its deadline. */
  interface Ending {
    CompletableFuture<?> begin();
  }

  /** How long something takes that begins now. */
  static String millis(Ending ending) throws InterruptedException {
    return millisSince(System.nanoTime(), ending.begin());
  }

  /** The time until something ends. */
  static String millisSince(long startNanos, CompletableFuture<?> end) throws InterruptedException {
    try {
      Object ignored = end.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException never) {
      return "not within " + PATIENCE_SECONDS + " s";
    } catch (java.util.concurrent.ExecutionException | CompletionException atItsDeadline) {
      // As it should.
    }
    return (System.nanoTime() - startNanos) / 1_000_000 + " ms";
  }
}
