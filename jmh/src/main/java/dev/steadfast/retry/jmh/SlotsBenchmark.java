package dev.steadfast.retry.jmh;

import dev.failsafe.FailsafeExecutor;
import dev.failsafe.okhttp.FailsafeCall;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.okhttp.RetryInterceptor;
import dev.steadfast.retry.okhttp.RetryingCallFactory;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import okhttp3.Call;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Many asynchronous calls at once, each answered by a 503 and after its wait by a 200, and one
 * healthy call queued last. OkHttp runs five calls per host at a time; the JDK's client has no such
 * bound. Each shot has a server and a client of its own.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(1)
@Warmup(iterations = 1)
@Measurement(iterations = 3)
public class SlotsBenchmark {
  /** The calls that fail once. */
  @Param("200")
  public int calls;

  /** The wait before the retry. */
  @Param("500")
  public int waitMillis;

  /** What a shot shows beside its time. */
  @State(Scope.Thread)
  @AuxCounters(AuxCounters.Type.EVENTS)
  public static class Seen {
    /** From queueing the healthy call to its answer. */
    public double healthyMillis;

    /** Connections that the server has accepted. */
    public double connections;

    /** Starts anew. */
    @Setup(Level.Iteration)
    public void reset() {
      healthyMillis = 0;
      connections = 0;
    }
  }

  private int shot(Seen seen, FailingOnce server, Function<String, CompletableFuture<?>> call) {
    CompletableFuture<?>[] all = new CompletableFuture<?>[calls + 1];
    for (int i = 0; i < calls; i++) {
      all[i] = call.apply(server.failing(i));
    }
    long queued = System.nanoTime();
    all[calls] =
        call.apply(server.healthy())
            .thenRun(() -> seen.healthyMillis = (System.nanoTime() - queued) / 1e6);
    CompletableFuture.allOf(all).join();
    seen.connections = server.connections();
    return all.length;
  }

  private int okHttp(
      Seen seen, Function<OkHttpClient, Function<Request, CompletableFuture<?>>> how) {
    OkHttpClient client = Configurations.okHttp();
    try (FailingOnce server = new FailingOnce(calls)) {
      Function<Request, CompletableFuture<?>> call = how.apply(client);
      return shot(seen, server, url -> call.apply(new Request.Builder().url(url).build()));
    } finally {
      Configurations.close(client);
    }
  }

  private Duration delay() {
    return Duration.ofMillis(waitMillis);
  }

  @Benchmark
  public int steadfastFactory(Seen seen) {
    return okHttp(
        seen,
        client -> {
          Call.Factory factory = RetryingCallFactory.wrap(client, Configurations.waiting(delay()));
          return request -> Async.enqueue(factory.newCall(request));
        });
  }

  @Benchmark
  public int steadfastInterceptor(Seen seen) {
    return okHttp(
        seen,
        client -> {
          OkHttpClient intercepted =
              RetryInterceptor.addTo(client.newBuilder(), Configurations.waiting(delay())).build();
          return request -> Async.enqueue(intercepted.newCall(request));
        });
  }

  @Benchmark
  public int failsafe(Seen seen) {
    FailsafeExecutor<Response> failsafe = Configurations.failsafe(delay());
    return okHttp(
        seen,
        client ->
            request ->
                FailsafeCall.with(failsafe)
                    .compose(client.newCall(request))
                    .executeAsync()
                    .thenApply(Async::read));
  }

  @Benchmark
  public int ideal(Seen seen) {
    try (HandWritten retries = new HandWritten(delay())) {
      return okHttp(seen, client -> request -> retries.enqueue(client, request));
    }
  }

  @Benchmark
  public int steadfastJdk(Seen seen) {
    HttpRetry retry = Configurations.waiting(delay());
    HttpClient plain = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    HttpClient client = RetryingHttpClient.wrap(plain, retry);
    try (FailingOnce server = new FailingOnce(calls)) {
      return shot(seen, server, url -> sendAsync(client, url));
    }
  }

  private static CompletableFuture<HttpResponse<byte[]>> sendAsync(HttpClient client, String url) {
    HttpRequest request = HttpRequest.newBuilder(java.net.URI.create(url)).build();
    return client.sendAsync(request, BodyHandlers.ofByteArray());
  }
}
