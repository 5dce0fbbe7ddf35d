package dev.steadfast.retry.apache5;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.engine.RequestBodyChangedException;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.tck.ScriptedServer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hc.client5.http.async.methods.SimpleHttpResponse;
import org.apache.hc.client5.http.async.methods.SimpleResponseConsumer;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.impl.async.CloseableHttpAsyncClient;
import org.apache.hc.client5.http.impl.async.HttpAsyncClients;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.io.entity.EntityTemplate;
import org.apache.hc.core5.http.message.BasicHttpRequest;
import org.apache.hc.core5.http.nio.support.BasicRequestProducer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Bodies that are read before they are sent, for a key or a cost. */
class ReadBeforehandTest {
  private static final HttpRetry HASHED =
      Parts.retry().idempotencyKeys(IdempotencyKeys.requestHash()).build();

  @AutoClose private final ScriptedServer server = ScriptedServer.start();

  private int post(HttpRetry retry, RetryOptions options, HttpEntity body) throws IOException {
    HttpPost post = new HttpPost(server.uri("/pay"));
    post.setEntity(body);
    HttpClientContext context = Apache5Retry.with(HttpClientContext.create(), options);
    try (CloseableHttpClient client = Apache5Retry.addTo(HttpClients.custom(), retry).build()) {
      return client.execute(post, context, response -> response.getCode());
    }
  }

  @Test
  void aStreamThatSaysItIsRepeatable_isNotSentEmpty() {
    InputStream once = new ByteArrayInputStream("cents=1999".getBytes(StandardCharsets.UTF_8));
    HttpEntity body = new EntityTemplate(-1, null, null, once::transferTo);
    assertThrows(RequestBodyChangedException.class, () -> post(HASHED, RetryOptions.none(), body));
    assertEquals(0, server.requests().size());
  }

  @Test
  void aProducerThatChanges_isNotSent() throws Exception {
    try (CloseableHttpAsyncClient client =
        Apache5Retry.addTo(HttpAsyncClients.custom(), HASHED).build()) {
      client.start();
      Future<SimpleHttpResponse> sent =
          client.execute(
              new BasicRequestProducer(
                  new BasicHttpRequest("POST", server.uri("/pay")),
                  new TestProducer("cents=1999".getBytes(StandardCharsets.UTF_8), true, true)),
              SimpleResponseConsumer.create(),
              null);
      ExecutionException failed = assertThrows(ExecutionException.class, sent::get);
      assertInstanceOf(RequestBodyChangedException.class, failed.getCause());
      assertEquals(0, server.requests().size());
    }
  }

  @Test
  void aLongBodyIsReadUpToTheLimit() throws IOException {
    AtomicLong most = new AtomicLong();
    HttpEntity body =
        new EntityTemplate(
            -1,
            null,
            null,
            out -> {
              for (long i = 1; i <= 4_096; i++) {
                out.write(new byte[1_024]);
                most.accumulateAndGet(i, Math::max);
              }
            });
    RetryOptions options =
        RetryOptions.builder()
            .cost(request -> {
              assertTrue(request.body(8_192).isEmpty());
              return most.getAndSet(0) == 8 ? 8 : 1;
            })
            .build();
    assertEquals(200, post(Parts.retry().build(), options, body));
    assertEquals(4_096, most.get());
    assertEquals(4_096 * 1_024, server.requests().get(0).body().length);
  }
}
