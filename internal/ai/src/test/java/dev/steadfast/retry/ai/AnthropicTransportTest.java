package dev.steadfast.retry.ai;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.anthropic.client.AnthropicClient;
import com.anthropic.client.okhttp.AnthropicOkHttpClient;
import com.anthropic.core.RequestOptions;
import com.anthropic.errors.AnthropicIoException;
import com.sun.net.httpserver.HttpServer;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.okhttp.RetryInterceptor;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The transport treats each request as the SDK's own transport does. */
class AnthropicTransportTest {
  private static final RequestOptions SHORT =
      RequestOptions.builder().timeout(Duration.ofMillis(300)).build();

  private final CountDownLatch end = new CountDownLatch(1);
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private HttpServer server;
  private AnthropicClient client;

  @BeforeEach
  void start() throws Exception {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext(
        "/",
        exchange -> {
          byte[] body = "{\"id\":\"batch\"}".getBytes(StandardCharsets.UTF_8);
          exchange.getResponseHeaders().add("Content-Type", "application/json");
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.createContext(
        "/v1/models",
        exchange -> {
          try {
            end.await();
          } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
          }
          exchange.close();
        });
    server.start();
    OkHttpClient.Builder builder = new OkHttpClient.Builder().readTimeout(Duration.ofMinutes(10));
    HttpRetry once = HttpRetry.builder().policy(RetryPolicy.valueOf("maxAttempts=1")).build();
    AnthropicTransport transport =
        new AnthropicTransport(RetryInterceptor.addTo(builder, once).build());
    client =
        AnthropicOkHttpClient.builder()
            .addInterceptor(ofSdk -> transport)
            .maxRetries(0)
            .baseUrl("http://127.0.0.1:" + server.getAddress().getPort())
            .apiKey("key")
            .build();
  }

  @AfterEach
  void close() {
    end.countDown();
    server.stop(0);
    threads.shutdown();
  }

  @Test
  void aPostMayHaveNoBody() {
    assertEquals("batch", client.messages().batches().cancel("batch").id());
  }

  @Test
  void aTimeoutOfTheRequestEndsIt() {
    assertThrows(AnthropicIoException.class, () -> client.models().retrieve("m", SHORT));
    CompletionException later =
        assertThrows(
            CompletionException.class, () -> client.async().models().retrieve("m", SHORT).join());
    assertEquals(AnthropicIoException.class, later.getCause().getClass());
  }
}
