package dev.steadfast.retry.jmh;

import dev.steadfast.retry.apache5.Apache5Retry;
import dev.steadfast.retry.http.HttpRetry;
import io.github.resilience4j.retry.Retry;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.hc.client5.http.async.methods.SimpleHttpRequest;
import org.apache.hc.client5.http.async.methods.SimpleRequestBuilder;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.impl.async.CloseableHttpAsyncClient;
import org.apache.hc.client5.http.impl.async.HttpAsyncClientBuilder;
import org.apache.hc.client5.http.impl.async.HttpAsyncClients;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.io.CloseMode;
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

/** A call of Apache HttpClient 5 on loopback that is accepted at the first attempt. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 16, time = 1)
@Measurement(iterations = 4, time = 1)
public class Apache5Benchmark {
  private final LoopbackServer server = new LoopbackServer((head, length) -> LoopbackServer.OK);
  private final CloseableHttpClient plain = HttpClients.custom().disableAutomaticRetries().build();
  private final CloseableHttpClient ownRetries = HttpClients.createDefault();
  private final CloseableHttpClient defaults =
      Apache5Retry.addTo(HttpClients.custom(), HttpRetry.defaults()).build();
  private final CloseableHttpClient keyed =
      Apache5Retry.addTo(HttpClients.custom(), Configurations.keyed()).build();
  private final CloseableHttpAsyncClient asyncPlain =
      started(HttpAsyncClients.custom().disableAutomaticRetries());
  private final CloseableHttpAsyncClient asyncOwnRetries = started(HttpAsyncClients.custom());
  private final CloseableHttpAsyncClient asyncDefaults =
      started(Apache5Retry.addTo(HttpAsyncClients.custom(), HttpRetry.defaults()));
  private final Retry retry = Retry.ofDefaults("calls");
  private final HttpGet get = new HttpGet(server.uri("/"));
  private final HttpPost post = new HttpPost(server.uri("/"));
  private final SimpleHttpRequest simple = SimpleRequestBuilder.get(server.uri("/")).build();

  private static CloseableHttpAsyncClient started(HttpAsyncClientBuilder builder) {
    CloseableHttpAsyncClient client = builder.build();
    client.start();
    return client;
  }

  /** Closes the clients and the server. */
  @TearDown
  public void tearDown() {
    plain.close(CloseMode.IMMEDIATE);
    ownRetries.close(CloseMode.IMMEDIATE);
    defaults.close(CloseMode.IMMEDIATE);
    keyed.close(CloseMode.IMMEDIATE);
    asyncPlain.close(CloseMode.IMMEDIATE);
    asyncOwnRetries.close(CloseMode.IMMEDIATE);
    asyncDefaults.close(CloseMode.IMMEDIATE);
    server.close();
  }

  private static int execute(CloseableHttpClient client, HttpUriRequestBase request)
      throws Exception {
    return client.execute(
        request,
        response -> {
          EntityUtils.consume(response.getEntity());
          return response.getCode();
        });
  }

  private int execute(CloseableHttpAsyncClient client)
      throws InterruptedException, ExecutionException {
    return client.execute(simple, null).get().getCode();
  }

  @Benchmark
  public int getPlain() throws Exception {
    return execute(plain, get);
  }

  @Benchmark
  public int getSteadfast() throws Exception {
    return execute(defaults, get);
  }

  @Benchmark
  public int getOwnRetries() throws Exception {
    return execute(ownRetries, get);
  }

  @Benchmark
  public int getResilience4j() throws Exception {
    return retry.executeCallable(() -> execute(plain, get));
  }

  @Benchmark
  public int postPlain() throws Exception {
    return execute(plain, post);
  }

  @Benchmark
  public int postSteadfastKeyed() throws Exception {
    return execute(keyed, post);
  }

  @Benchmark
  public int asyncPlain() throws Exception {
    return execute(asyncPlain);
  }

  @Benchmark
  public int asyncSteadfast() throws Exception {
    return execute(asyncDefaults);
  }

  @Benchmark
  public int asyncOwnRetries() throws Exception {
    return execute(asyncOwnRetries);
  }
}
