package dev.steadfast.retry.apache5;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.steadfast.retry.http.RetryOptions;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.apache.hc.client5.http.async.methods.SimpleRequestBuilder;
import org.apache.hc.client5.http.async.methods.SimpleRequestProducer;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.impl.async.CloseableHttpAsyncClient;
import org.apache.hc.client5.http.impl.async.HttpAsyncClients;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.HttpVersion;
import org.apache.hc.core5.http.message.BasicClassicHttpResponse;
import org.apache.hc.core5.http.message.BasicHttpResponse;
import org.apache.hc.core5.http.nio.entity.StringAsyncEntityConsumer;
import org.apache.hc.core5.http.nio.support.BasicResponseConsumer;
import org.junit.jupiter.api.Test;

/** A handler answers all calls with one response object; each has its own report. */
class SharedResponseTest {
  private static final String URI = "http://127.0.0.1:1/pay";

  private static HttpClientContext keyed(String key) {
    return Apache5Retry.with(
        HttpClientContext.create(), RetryOptions.builder().idempotencyKey(key).build());
  }

  private static Optional<String> key(HttpResponse response) {
    return Apache5Reports.of(response).idempotencyKey();
  }

  @Test
  void ofBlockingCalls() throws IOException {
    ClassicHttpResponse shared = new BasicClassicHttpResponse(200);
    try (CloseableHttpClient client =
        Apache5Retry.addTo(
                HttpClients.custom()
                    .addExecInterceptorFirst("shared", (request, scope, chain) -> shared),
                Parts.retry().build())
            .build()) {
      ClassicHttpResponse plain = call(client, HttpClientContext.create());
      ClassicHttpResponse first = call(client, keyed("a"));
      ClassicHttpResponse second = call(client, keyed("b"));
      assertEquals(Optional.of("a"), key(first));
      assertEquals(Optional.of("b"), key(second));
      assertEquals(Optional.empty(), key(plain));
      assertEquals(Optional.empty(), key(call(client, HttpClientContext.create())));
      first.setVersion(HttpVersion.HTTP_1_0);
      assertSame(HttpVersion.HTTP_1_0, first.getVersion());
    }
  }

  private static ClassicHttpResponse call(CloseableHttpClient client, HttpClientContext context)
      throws IOException {
    return client.executeOpen(
        HttpHost.create(java.net.URI.create(URI)), new HttpPost(URI), context);
  }

  @Test
  void ofAsynchronousCalls() throws IOException, InterruptedException, ExecutionException {
    HttpResponse shared = new BasicHttpResponse(200);
    try (CloseableHttpAsyncClient client =
        Apache5Retry.addTo(
                HttpAsyncClients.custom()
                    .addExecInterceptorFirst(
                        "shared",
                        (request, producer, scope, chain, callback) -> {
                          callback.handleResponse(shared, null);
                          callback.completed();
                        }),
                Parts.retry().build())
            .build()) {
      client.start();
      HttpResponse first = call(client, keyed("a"));
      HttpResponse second = call(client, keyed("b"));
      assertEquals(Optional.of("a"), key(first));
      assertEquals(Optional.of("b"), key(second));
      assertEquals(Optional.empty(), key(call(client, HttpClientContext.create())));
    }
  }

  /** The head is the response object itself, and no copy. */
  private static HttpResponse call(CloseableHttpAsyncClient client, HttpClientContext context)
      throws InterruptedException, ExecutionException {
    return client
        .execute(
            SimpleRequestProducer.create(SimpleRequestBuilder.post(URI).build()),
            new BasicResponseConsumer<>(new StringAsyncEntityConsumer()),
            context,
            null)
        .get()
        .getHead();
  }
}
