package dev.steadfast.retry.jmh;

import com.github.mizosoft.methanol.Methanol;
import com.github.mizosoft.methanol.RetryInterceptor;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.TimeUnit;
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

/** A java.net.http request on loopback that is accepted at the first attempt. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 40, time = 1) // one core compiles this client for half a minute
@Measurement(iterations = 4, time = 1)
public class JdkClientBenchmark {
  private final LoopbackServer server = new LoopbackServer((head, length) -> LoopbackServer.OK);
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final HttpClient defaults = RetryingHttpClient.wrap(client, HttpRetry.defaults());
  private final HttpClient keyed = RetryingHttpClient.wrap(client, Configurations.keyed());
  private final HttpClient guarded = RetryingHttpClient.wrap(client, Configurations.guarded());
  private final HttpClient methanol =
      Methanol.newBuilder(client)
          .interceptor(RetryInterceptor.newBuilder().maxRetries(2).onStatus(503).build())
          .build();
  private final HttpRequest get = HttpRequest.newBuilder(server.uri("/")).build();
  private final HttpRequest post =
      HttpRequest.newBuilder(server.uri("/")).POST(BodyPublishers.noBody()).build();

  /** Closes the server; the client is left to the collector, as JDK 17 knows no other way. */
  @TearDown
  public void tearDown() {
    server.close();
  }

  private static int send(HttpClient client, HttpRequest request)
      throws IOException, InterruptedException {
    return client.send(request, BodyHandlers.ofByteArray()).statusCode();
  }

  private static int sendAsync(HttpClient client, HttpRequest request) {
    return client.sendAsync(request, BodyHandlers.ofByteArray()).join().statusCode();
  }

  @Benchmark
  public int getPlain() throws IOException, InterruptedException {
    return send(client, get);
  }

  @Benchmark
  public int getSteadfast() throws IOException, InterruptedException {
    return send(defaults, get);
  }

  @Benchmark
  public int getMethanol() throws IOException, InterruptedException {
    return send(methanol, get);
  }

  @Benchmark
  public int postPlain() throws IOException, InterruptedException {
    return send(client, post);
  }

  @Benchmark
  public int postSteadfastKeyed() throws IOException, InterruptedException {
    return send(keyed, post);
  }

  @Benchmark
  public int asyncPlain() {
    return sendAsync(client, get);
  }

  @Benchmark
  public int asyncSteadfast() {
    return sendAsync(defaults, get);
  }

  @Benchmark
  public int asyncSteadfastGuarded() {
    return sendAsync(guarded, get);
  }

  @Benchmark
  public int asyncMethanol() {
    return sendAsync(methanol, get);
  }
}
