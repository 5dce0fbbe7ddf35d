package dev.steadfast.retry.examples.pacing;

import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.limit.QuotaPacing;
import dev.steadfast.retry.okhttp.RetryingCallFactory;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import okhttp3.Call;
import okhttp3.ConnectionPool;
import okhttp3.OkHttpClient;
import okhttp3.Request;

/** Threads that call a server one request after another, as fast as they may. */
final class LimitedClient {
  private static final int THREADS = 16;
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** The clients that are shown. */
  enum Kind {
    OKHTTP,
    JDK;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private interface Sender {
    void send() throws IOException, InterruptedException;
  }

  private LimitedClient() {}

  /** How the calls are made: with pacing, or without. */
  private static HttpRetry retry(boolean paced) {
    HttpRetry.Builder retry =
        HttpRetry.builder().policy(RetryPolicy.builder().totalTimeout(PATIENCE).build());
    return paced ? retry.guard(QuotaPacing.perOrigin()).build() : retry.build();
  }

  /** Starts the threads. They go on until the process ends. */
  static void start(Kind kind, URI address, boolean paced) {
    HttpRetry retry = retry(paced);
    Sender sender = kind == Kind.OKHTTP ? okHttp(address, retry) : jdk(address, retry);
    for (int i = 0; i < THREADS; i++) {
      Thread thread = new Thread(() -> callForEver(sender), kind + "-" + i);
      thread.setDaemon(true);
      thread.start();
    }
  }

  private static void callForEver(Sender sender) {
    while (true) {
      try {
        sender.send();
      } catch (IOException failed) {
        // The server counts what it rejects; the next call goes on.
      } catch (InterruptedException over) {
        return;
      }
    }
  }

  private static Sender okHttp(URI address, HttpRetry retry) {
    ConnectionPool pool = new ConnectionPool(THREADS, 1, TimeUnit.MINUTES);
    Call.Factory calls =
        RetryingCallFactory.wrap(new OkHttpClient.Builder().connectionPool(pool).build(), retry);
    Request request = new Request.Builder().url(address.toString()).build();
    return () -> calls.newCall(request).execute().close();
  }

  private static Sender jdk(URI address, HttpRetry retry) {
    HttpClient plain = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    HttpClient client = RetryingHttpClient.wrap(plain, retry);
    HttpRequest request = HttpRequest.newBuilder(address).build();
    return () -> client.send(request, BodyHandlers.discarding());
  }
}
