package dev.steadfast.retry.examples.outage;

import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.okhttp.RetryingCallFactory;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.Dispatcher;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;

/** One client with one policy against a server of its own, from warm-up to recovery. */
final class OutageRun {
  static final int RATE = 70; // first tries per second: 70 % of what the server can do
  static final int STALL_FROM = 8;
  static final int STALL_UNTIL = 18;
  static final int SECONDS = STALL_UNTIL + 65; // recovery is looked for within 60 s

  private final String client;
  private final String policy;
  private final Supplier<HttpRetry.Builder> retry;
  private final Timeline timeline = new Timeline(SECONDS);

  OutageRun(String client, String policy, Supplier<HttpRetry.Builder> retry) {
    this.client = client;
    this.policy = policy;
    this.retry = retry;
  }

  String client() {
    return client;
  }

  String policy() {
    return policy;
  }

  Timeline timeline() {
    return timeline;
  }

  /** Sends one request; completes with whether the caller got a 200. */
  private interface Sender {
    CompletableFuture<Boolean> send();
  }

  void run() throws IOException {
    long seed = (client + policy).hashCode();
    long start = System.nanoTime();
    try (QueueServer server = new QueueServer(seed)) {
      HttpRetry configured = retry.get().listener(counting(start)).build();
      Sender sender =
          client.equals("okhttp")
              ? okHttp(server.url(), configured)
              : jdk(server.url(), configured);
      Random random = new Random(seed);
      double due = 0;
      while (due < SECONDS) {
        server.stall(due >= STALL_FROM && due < STALL_UNTIL);
        due += -Math.log(1 - random.nextDouble()) / RATE;
        parkUntil(start + (long) (due * 1e9));
        call(sender, start);
      }
    }
  }

  private void call(Sender sender, long start) {
    int second = second(start);
    timeline.operation(second);
    sender
        .send()
        .whenComplete((succeeded, failure) -> {
          if (failure != null || !succeeded) {
            timeline.failure(second);
          }
        });
  }

  private RetryListener counting(long start) {
    return new RetryListener() {
      @Override
      public void attemptStarted(OperationInfo operation, int attempt, Object request) {
        timeline.attempt(second(start));
      }
    };
  }

  private static int second(long start) {
    return (int) TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start);
  }

  private static void parkUntil(long nanos) {
    for (long left = nanos - System.nanoTime(); left > 0; left = nanos - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  private static Sender okHttp(String url, HttpRetry retry) {
    // An open loop must not be throttled by the client's own queue.
    Dispatcher dispatcher = new Dispatcher();
    dispatcher.setMaxRequests(10_000);
    dispatcher.setMaxRequestsPerHost(10_000);
    OkHttpClient client = new OkHttpClient.Builder().dispatcher(dispatcher).build();
    Call.Factory calls = RetryingCallFactory.wrap(client, retry);
    Request request = new Request.Builder().url(url).build();
    return () -> {
      CompletableFuture<Boolean> result = new CompletableFuture<>();
      calls.newCall(request).enqueue(new Completing(result));
      return result;
    };
  }

  private static Sender jdk(String url, HttpRetry retry) {
    HttpClient client =
        RetryingHttpClient.wrap(
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build(), retry);
    HttpRequest request = HttpRequest.newBuilder(URI.create(url)).build();
    return () ->
        client
            .sendAsync(request, HttpResponse.BodyHandlers.discarding())
            .thenApply(response -> response.statusCode() == 200);
  }

  private record Completing(CompletableFuture<Boolean> result) implements Callback {
    @Override
    public void onFailure(Call call, IOException failure) {
      result.complete(false);
    }

    @Override
    public void onResponse(Call call, Response response) {
      try (response) {
        result.complete(response.isSuccessful());
      }
    }
  }
}
