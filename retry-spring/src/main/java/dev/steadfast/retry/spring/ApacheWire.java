package dev.steadfast.retry.spring;

import dev.steadfast.retry.ContextCapture;
import dev.steadfast.retry.apache5.Apache5Retry;
import dev.steadfast.retry.engine.CallContext;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RetryOptions;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.client5.http.routing.RoutingSupport;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.http.io.entity.EntityTemplate;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpMethod;

/** Apache HttpClient 5. */
final class ApacheWire implements Wire {
  // HttpClient writes these itself, and refuses those of the caller.
  private static final Set<String> OF_THE_CLIENT = Set.of("content-length", "transfer-encoding");

  private final CloseableHttpClient client;
  private final HttpRetry retry;
  private final @Nullable RequestConfig config; // null: that of the client
  private final Set<HttpUriRequestBase> underWay;

  ApacheWire(CloseableHttpClient client, HttpRetry retry, @Nullable RequestConfig config) {
    this(client, retry, config, ConcurrentHashMap.newKeySet());
  }

  private ApacheWire(
      CloseableHttpClient client,
      HttpRetry retry,
      @Nullable RequestConfig config,
      Set<HttpUriRequestBase> underWay) {
    this.client = client;
    this.retry = retry;
    this.config = config;
    this.underWay = underWay;
  }

  ApacheWire with(RequestConfig other) {
    return new ApacheWire(client, retry, other, underWay);
  }

  HttpRetry retry() {
    return retry;
  }

  @Nullable RequestConfig config() {
    return config;
  }

  void cancelAll() {
    underWay.forEach(HttpUriRequestBase::cancel);
  }

  @Override
  public SpringAnswer send(Head head, byte @Nullable [] body) throws IOException {
    HttpUriRequestBase request = request(head);
    if (body != null) {
      request.setEntity(new ByteArrayEntity(body, null)); // its type is among the headers
    } else if (head.method().equals(HttpMethod.DELETE)) {
      request.setEntity(new ByteArrayEntity(new byte[0], null)); // so that it has a length, of 0
    }
    return exchange(request, head.options());
  }

  @Override
  public SpringAnswer send(Head head, RepeatableBody body) throws IOException {
    HttpUriRequestBase request = request(head);
    request.setEntity(new EntityTemplate(body.length(), null, null, body::writeTo));
    return exchange(request, head.options());
  }

  // Sends on a thread of its own, because the converter runs on the calling thread meanwhile.
  @Override
  public Upload begin(Head head) {
    HttpUriRequestBase request = request(head);
    PipedEntity body = new PipedEntity(head.headers().getContentLength());
    request.setEntity(body);
    CompletableFuture<SpringAnswer> answer = new CompletableFuture<>();
    CallContext scope = CallContext.current();
    ContextCapture capture = retry.plan().context();
    ContextCapture.Snapshot snapshot = capture == null ? null : capture.capture();
    Thread sending =
        new Thread(
            () -> {
              CallContext.bind(scope);
              try (AutoCloseable restored = snapshot == null ? null : snapshot.restore()) {
                answer.complete(exchange(request, head.options()));
              } catch (Throwable thrown) {
                answer.completeExceptionally(thrown);
              } finally {
                body.abandon();
              }
            },
            "steadfast-upload");
    sending.setDaemon(true);
    sending.start();
    Runnable cancel =
        () -> {
          request.cancel();
          body.breakOff();
        };
    return new Upload(new BufferedOutputStream(body.sink()), answer, cancel);
  }

  private SpringAnswer exchange(HttpUriRequestBase request, RetryOptions options)
      throws IOException {
    HttpClientContext context = Apache5Retry.with(HttpClientContext.create(), options);
    underWay.add(request);
    try {
      return new ApacheAnswer(
          client.executeOpen(RoutingSupport.determineHost(request), request, context),
          request::cancel);
    } catch (HttpException noHost) {
      throw new IOException(noHost);
    } finally {
      underWay.remove(request);
    }
  }

  private HttpUriRequestBase request(Head head) {
    HttpUriRequestBase request = new HttpUriRequestBase(head.method().name(), head.uri());
    head.forEachLine((name, value) -> add(request, name, value));
    if (config != null) {
      request.setConfig(config);
    }
    return request;
  }

  private static void add(HttpUriRequestBase request, String name, String value) {
    if (!OF_THE_CLIENT.contains(name.toLowerCase(Locale.ROOT))) {
      request.addHeader(name, value);
    }
  }
}
