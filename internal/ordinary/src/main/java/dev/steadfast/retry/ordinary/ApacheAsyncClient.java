package dev.steadfast.retry.ordinary;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.LockSupport;
import org.apache.hc.client5.http.async.methods.SimpleHttpResponse;
import org.apache.hc.client5.http.async.methods.SimpleRequestBuilder;
import org.apache.hc.client5.http.async.methods.SimpleRequestProducer;
import org.apache.hc.client5.http.async.methods.SimpleResponseConsumer;
import org.apache.hc.client5.http.impl.async.CloseableHttpAsyncClient;
import org.apache.hc.client5.http.impl.nio.PoolingAsyncClientConnectionManager;
import org.apache.hc.client5.http.impl.nio.PoolingAsyncClientConnectionManagerBuilder;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.client5.http.ssl.ClientTlsStrategyBuilder;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.nio.AsyncRequestProducer;
import org.apache.hc.core5.http.nio.AsyncResponseConsumer;

/** The asynchronous client of Apache HttpClient 5, plain or wrapped. */
public final class ApacheAsyncClient implements Client {
  private static final long PATIENCE_NANOS = Duration.ofSeconds(5).toNanos();

  private final Run run;
  private final CloseableHttpAsyncClient http;
  private final PoolingAsyncClientConnectionManager pool;

  ApacheAsyncClient(
      Run run, CloseableHttpAsyncClient http, PoolingAsyncClientConnectionManager pool) {
    this.run = run;
    this.http = http;
    this.pool = pool;
  }

  static PoolingAsyncClientConnectionManager newPool() {
    return PoolingAsyncClientConnectionManagerBuilder.create()
        .setTlsStrategy(ClientTlsStrategyBuilder.create().setSslContext(Tls.client()).buildAsync())
        .build();
  }

  @Override
  public Run run() {
    return run;
  }

  /** The client that a program sends with. */
  public CloseableHttpAsyncClient http() {
    return http;
  }

  /** The connections of this client. */
  public PoolingAsyncClientConnectionManager pool() {
    return pool;
  }

  /** A request to the server. */
  public SimpleRequestBuilder request(String method, String path) {
    return SimpleRequestBuilder.create(method).setUri(run.uri(path));
  }

  @Override
  public void send(String method, String path, String body, String... headers)
      throws InterruptedException {
    SimpleRequestBuilder request = request(method, path);
    for (String header : headers) {
      String[] parts = header.split(": ", 2);
      request.addHeader(parts[0], parts[1]);
    }
    boolean without = method.equals("GET") || method.equals("HEAD");
    if (!without && !(body.isEmpty() && method.equals("DELETE"))) {
      request.setBody(body, ContentType.TEXT_PLAIN);
    }
    send(request, HttpClientContext.create());
  }

  /** Sends, and notes the answer and what the context tells. */
  public void send(SimpleRequestBuilder request, HttpClientContext context)
      throws InterruptedException {
    boolean hadKey = request.getFirstHeader(ApacheClient.KEY) != null;
    send(SimpleRequestProducer.create(request.build()), SimpleResponseConsumer.create(), context);
    ApacheClient.note(run, context, hadKey);
  }

  /** Sends what a producer makes, and notes what a consumer gives. */
  public void send(
      AsyncRequestProducer producer, AsyncResponseConsumer<?> consumer, HttpClientContext context)
      throws InterruptedException {
    try {
      Object result = http.execute(producer, consumer, context, null).get();
      if (result instanceof SimpleHttpResponse response) {
        note(response);
      } else {
        run.note("result", result);
      }
    } catch (ExecutionException | RuntimeException | Error e) {
      run.note("result", "failed: " + Text.of(e));
    }
    awaitReleased();
  }

  /** Waits for connections that are given back only after the caller has its answer. */
  void awaitReleased() {
    long end = System.nanoTime() + PATIENCE_NANOS;
    while (pool.getTotalStats().getLeased() > 0 && System.nanoTime() < end) {
      LockSupport.parkNanos(100_000);
    }
  }

  private void note(SimpleHttpResponse response) {
    run.note(
        "result",
        response.getVersion() + " " + response.getCode() + " " + response.getReasonPhrase());
    for (Header header : response.getHeaders()) {
      run.note("result", header.getName() + ": " + header.getValue());
    }
    byte[] body = response.getBodyBytes();
    run.note("result", response.getContentType() + ", " + (body == null ? null : Text.of(body)));
  }
}
