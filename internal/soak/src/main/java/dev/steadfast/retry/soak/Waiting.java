package dev.steadfast.retry.soak;

import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.limit.QuotaPacing;
import dev.steadfast.retry.okhttp.RetryingCallFactory;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;

/**
 * What an operation holds while it waits for its next attempt, after a 503 with a body: one line
 * per way to send. The request is the caller's, and is made once. All else is weighed, what the
 * caller gets and keeps included.
 */
final class Waiting {
  private static final int COUNT = 5_000;
  private static final int PARALLEL = 8; // so that few connections are weighed
  private static final long MOST_BYTES = 1_150; // with the headers of the answer, for a guard

  private static final Callback NOBODY =
      new Callback() {
        @Override
        public void onFailure(Call call, IOException failure) {}

        @Override
        public void onResponse(Call call, Response response) {
          response.close();
        }
      };

  private final SecondJvm server;
  private final AtomicInteger waiting = new AtomicInteger();
  private boolean light = true;

  private Waiting(SecondJvm server) {
    this.server = server;
  }

  /** Returns whether nothing was heavier than about a kilobyte. */
  static boolean run() throws Exception {
    try (SecondJvm server = SecondJvm.start()) {
      Waiting waiting = new Waiting(server);
      waiting.all();
      return waiting.light;
    }
  }

  private void all() throws InterruptedException {
    System.out.println("bytes held by an operation that waits for its second attempt:");
    Request get = new Request.Builder().url(server.url("/busy/900")).build();
    weigh("OkHttp enqueue, GET", okHttp(retry().build(), get));
    weigh("OkHttp enqueue, GET, a guard", okHttp(guarded(), get));
    weigh("OkHttp enqueue, GET, callTimeout", okHttp(retry().build(), get, Duration.ofHours(1)));
    RequestOptions keyed = new RequestOptions();
    Request post = get.newBuilder().post(RequestBody.create("paid", null)).build();
    weigh(
        "OkHttp enqueue, POST with a key",
        okHttp(retry().build(), post.newBuilder().tag(RetryOptions.class, keyed.options).build()));
    HttpRequest jdk = HttpRequest.newBuilder(URI.create(server.url("/busy/900"))).build();
    weigh("java.net.http sendAsync, GET", http(retry().build(), RetryOptions.none(), jdk));
    weigh("java.net.http sendAsync, GET, a guard", http(guarded(), RetryOptions.none(), jdk));
    HttpRetry heard = retry().listener(new RetryListener() {}).build();
    weigh("java.net.http sendAsync, GET, a listener", http(heard, RetryOptions.none(), jdk));
    HttpRequest jdkPost =
        HttpRequest.newBuilder(jdk.uri()).POST(BodyPublishers.ofString("paid")).build();
    weigh(
        "java.net.http sendAsync, POST with a key", http(retry().build(), keyed.options, jdkPost));
  }

  /** A key for all, as it is the caller's. */
  private static final class RequestOptions {
    final RetryOptions options = RetryOptions.builder().idempotencyKey("order-1").build();
  }

  private HttpRetry.Builder retry() {
    RetryPolicy policy =
        RetryPolicy.builder()
            .totalTimeout(Duration.ofMinutes(20))
            .backoff((retry, before, random) -> {
              waiting.incrementAndGet();
              return TimeUnit.MINUTES.toNanos(10);
            })
            .build();
    return HttpRetry.builder().policy(policy).budget(RetryBudget.unlimited());
  }

  private HttpRetry guarded() {
    return retry().guard(QuotaPacing.perOrigin()).build();
  }

  private Supplier<Object> okHttp(HttpRetry retry, Request request) {
    return okHttp(retry, request, Duration.ZERO);
  }

  private Supplier<Object> okHttp(HttpRetry retry, Request request, Duration callTimeout) {
    OkHttpClient plain = new OkHttpClient.Builder().callTimeout(callTimeout).build();
    plain.dispatcher().setMaxRequests(PARALLEL);
    plain.dispatcher().setMaxRequestsPerHost(PARALLEL);
    Call.Factory calls = RetryingCallFactory.wrap(plain, retry);
    return () -> {
      Call call = calls.newCall(request);
      call.enqueue(NOBODY);
      return call;
    };
  }

  private Supplier<Object> http(HttpRetry retry, RetryOptions options, HttpRequest request) {
    HttpClient plain =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .executor(Pools.fixed("client", 4)) // else it makes threads, which keep buffers
            .build();
    HttpClient client = RetryingHttpClient.wrap(plain, retry).with(options);
    return () -> client.sendAsync(request, BodyHandlers.ofString());
  }

  private void weigh(String name, Supplier<Object> begins) throws InterruptedException {
    Object[] operations = new Object[COUNT];
    begin(new Object[COUNT], begins, COUNT / 10); // loads classes, opens connections
    long before = heap();
    begin(operations, begins, COUNT);
    long bytes = (heap() - before) / COUNT;
    light &= bytes <= MOST_BYTES;
    System.out.println(name + " | " + bytes);
    for (Object each : operations) {
      cancel(each);
    }
  }

  private void begin(Object[] operations, Supplier<Object> begins, int count)
      throws InterruptedException {
    waiting.set(0);
    for (int i = 0; i < count; i++) {
      operations[i] = begins.get();
      while (i - waiting.get() >= PARALLEL) {
        TimeUnit.MILLISECONDS.sleep(1);
      }
    }
    for (int i = 0; i < 10_000 && waiting.get() < count; i++) {
      TimeUnit.MILLISECONDS.sleep(1);
    }
    if (waiting.get() != count) {
      throw new IllegalStateException(waiting + " of " + count + " wait");
    }
  }

  private static void cancel(Object operation) {
    if (operation instanceof Call call) {
      call.cancel();
    } else {
      ((Future<?>) operation).cancel(true);
    }
  }

  private static long heap() throws InterruptedException {
    long[] used = new long[3];
    for (int i = 0; i < used.length; i++) {
      TimeUnit.MILLISECONDS.sleep(500); // lets what is still on its way come to rest
      System.gc();
      used[i] = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
    Arrays.sort(used);
    return used[0];
  }
}
