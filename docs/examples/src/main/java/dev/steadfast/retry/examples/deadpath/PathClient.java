package dev.steadfast.retry.examples.deadpath;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.httpclient.JdkReports;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.okhttp.OkHttpReports;
import dev.steadfast.retry.okhttp.RetryingCallFactory;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.Dispatcher;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;

/** A client that gets a page, and tells how. */
interface PathClient extends AutoCloseable {
  /** The report of an operation. */
  CompletableFuture<RetryReport> get(String url);

  @Override
  void close();

  /** The two clients. */
  enum Kind {
    OKHTTP("okhttp"),
    JDK("jdk");

    private final String shown;

    Kind(String shown) {
      this.shown = shown;
    }

    PathClient wrap(HttpRetry retry) {
      return this == OKHTTP ? new OkHttp(retry) : new Jdk(retry);
    }

    @Override
    public String toString() {
      return shown;
    }
  }

  /** OkHttp. */
  final class OkHttp implements PathClient {
    private final OkHttpClient client;
    private final Call.Factory calls;

    OkHttp(HttpRetry retry) {
      Dispatcher dispatcher = new Dispatcher();
      dispatcher.setMaxRequests(2_000);
      dispatcher.setMaxRequestsPerHost(2_000);
      client =
          new OkHttpClient.Builder()
              .dispatcher(dispatcher)
              .sslSocketFactory(
                  SilentPath.TRUSTED.sslSocketFactory(), SilentPath.TRUSTED.trustManager())
              .build();
      calls = RetryingCallFactory.wrap(client, retry);
    }

    @Override
    public CompletableFuture<RetryReport> get(String url) {
      CompletableFuture<RetryReport> report = new CompletableFuture<>();
      calls
          .newCall(new Request.Builder().url(url).build())
          .enqueue(
              new Callback() {
                @Override
                public void onFailure(Call call, IOException failure) {
                  report.complete(RetryReport.of(failure).orElseThrow());
                }

                @Override
                public void onResponse(Call call, Response response) throws IOException {
                  try (response) {
                    response.body().bytes();
                    report.complete(OkHttpReports.of(response));
                  }
                }
              });
      return report;
    }

    @Override
    public void close() {
      client.dispatcher().executorService().shutdown();
      client.connectionPool().evictAll();
    }
  }

  /** {@code java.net.http}. */
  final class Jdk implements PathClient {
    private final HttpClient client;

    Jdk(HttpRetry retry) {
      client =
          RetryingHttpClient.wrap(
              HttpClient.newBuilder().sslContext(SilentPath.TRUSTED.sslContext()).build(), retry);
    }

    @Override
    public CompletableFuture<RetryReport> get(String url) {
      HttpRequest request = HttpRequest.newBuilder(URI.create(url)).build();
      return client.sendAsync(request, BodyHandlers.ofString()).handle(Jdk::report);
    }

    private static RetryReport report(HttpResponse<String> response, Throwable thrown) {
      return response != null
          ? JdkReports.of(response)
          : RetryReport.of(thrown instanceof CompletionException ? thrown.getCause() : thrown)
              .orElseThrow();
    }

    @Override
    public void close() {
      ((RetryingHttpClient) client).shutdownNow();
    }
  }
}
