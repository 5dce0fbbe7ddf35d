package dev.steadfast.retry.jmh;

import dev.failsafe.FailsafeExecutor;
import dev.failsafe.okhttp.FailsafeCall;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.okhttp.RetryInterceptor;
import dev.steadfast.retry.okhttp.RetryingCallFactory;
import dev.steadfast.retry.operations.OperationJournal;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import okhttp3.Call;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** An OkHttp call on loopback that is accepted at the first attempt, with its body read. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 16, time = 1)
@Measurement(iterations = 4, time = 1)
public class OkHttpBenchmark {
  private final LoopbackServer server = new LoopbackServer((head, length) -> LoopbackServer.OK);
  private final OkHttpClient client = Configurations.okHttp();
  private final OkHttpClient intercepted =
      RetryInterceptor.addTo(client.newBuilder(), HttpRetry.defaults()).build();
  private final Call.Factory defaults = RetryingCallFactory.wrap(client, HttpRetry.defaults());
  private final Call.Factory keyed = RetryingCallFactory.wrap(client, Configurations.keyed());
  private final Call.Factory attemptHeader =
      RetryingCallFactory.wrap(
          client,
          HttpRetry.builder()
              .oncePerAttempt(
                  "x-envoy-attempt-count",
                  (operation, number) -> Optional.of(Integer.toString(number)))
              .build());
  private final Call.Factory unjournaled =
      RetryingCallFactory.wrap(
          client, HttpRetry.builder().journal(OperationJournal.inMemory(1)).build());
  private final Call.Factory guarded = RetryingCallFactory.wrap(client, Configurations.guarded());
  private final FailsafeExecutor<Response> failsafe =
      Configurations.failsafe(Duration.ofMillis(100));
  private final Request get = new Request.Builder().url(server.uri("/").toString()).build();
  private final Request post = get.newBuilder().post(RequestBody.create(new byte[0], null)).build();

  /** Closes the server and the client. */
  @TearDown
  public void tearDown() {
    Configurations.close(client);
    server.close();
  }

  private static int execute(Call call) throws IOException {
    return Async.read(call.execute());
  }

  @Benchmark
  public int getPlain() throws IOException {
    return execute(client.newCall(get));
  }

  @Benchmark
  public int getSteadfast() throws IOException {
    return execute(defaults.newCall(get));
  }

  /** A client with a journal makes a call that is not journaled: as much as without. */
  @Benchmark
  public int getSteadfastUnjournaled() throws IOException {
    return execute(unjournaled.newCall(get));
  }

  @Benchmark
  public int getSteadfastInterceptor() throws IOException {
    return execute(intercepted.newCall(get));
  }

  @Benchmark
  public int getSteadfastGuarded() throws IOException {
    return execute(guarded.newCall(get));
  }

  @Benchmark
  public int getSteadfastAttemptHeader() throws IOException {
    return execute(attemptHeader.newCall(get));
  }

  @Benchmark
  public int getFailsafe() throws IOException {
    return Async.read(FailsafeCall.with(failsafe).compose(client.newCall(get)).execute());
  }

  @Benchmark
  public int postPlain() throws IOException {
    return execute(client.newCall(post));
  }

  @Benchmark
  public int postSteadfastKeyed() throws IOException {
    return execute(keyed.newCall(post));
  }

  @Benchmark
  public int asyncPlain() {
    return Async.enqueue(client.newCall(get)).join();
  }

  @Benchmark
  public int asyncSteadfast() {
    return Async.enqueue(defaults.newCall(get)).join();
  }

  @Benchmark
  public int asyncFailsafe() {
    return Async.read(
        FailsafeCall.with(failsafe).compose(client.newCall(get)).executeAsync().join());
  }
}
