package dev.steadfast.retry.apache5;

import static dev.steadfast.retry.tck.internal.EventStreams.RULES;
import static dev.steadfast.retry.tck.internal.EventStreams.TEXT;
import static dev.steadfast.retry.tck.internal.EventStreams.events;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.time.Duration;
import java.util.Random;
import org.apache.hc.client5.http.async.methods.SimpleHttpRequest;
import org.apache.hc.client5.http.async.methods.SimpleRequestBuilder;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.impl.async.CloseableHttpAsyncClient;
import org.apache.hc.client5.http.impl.async.HttpAsyncClients;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
import org.apache.hc.client5.http.impl.nio.PoolingAsyncClientConnectionManager;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Event streams that are accepted with their first event, on sockets. */
class FirstEventTest {

  @AutoClose private final ScriptedServer server = ScriptedServer.start();

  private static HttpRetry retry(Duration attemptTimeout) {
    RetryPolicy policy = RetryPolicy.builder().attemptTimeout(attemptTimeout).build();
    return HttpRetry.builder().policy(policy).classifier(RULES).build();
  }

  private interface Getting {
    String body() throws Exception;
  }

  private interface Work {
    void with(Getting get) throws Exception;
  }

  private void with(boolean async, Duration attemptTimeout, Work work) throws Exception {
    if (async) {
      var pool = new PoolingAsyncClientConnectionManager();
      var builder = HttpAsyncClients.custom().setConnectionManager(pool);
      try (CloseableHttpAsyncClient client =
          Apache5Retry.addTo(builder, retry(attemptTimeout)).build()) {
        client.start();
        SimpleHttpRequest get = SimpleRequestBuilder.get(server.uri("/a")).build();
        work.with(() -> client.execute(get, null).get().getBodyText());
        Parts.awaitNoLease(pool);
      }
      return;
    }
    var pool = new PoolingHttpClientConnectionManager();
    var builder = HttpClients.custom().setConnectionManager(pool);
    try (CloseableHttpClient client = Apache5Retry.addTo(builder, retry(attemptTimeout)).build()) {
      HttpGet get = new HttpGet(server.uri("/a"));
      work.with(() -> client.execute(get, got -> EntityUtils.toString(got.getEntity())));
      assertEquals(0, pool.getTotalStats().getLeased());
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theTimeoutOfTheAttemptEndsTheWait(boolean async) throws Exception {
    server.enqueue(events(Reply.stalledBody(200, 100_000, ": wait\n\n")));
    server.defaultReply(events(TEXT));
    with(async, Duration.ofMillis(300), get -> assertEquals(TEXT, get.body()));
    assertTrue(server.requests().size() >= 2, "a slow machine may need another attempt");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theCallerGetsTheBytesThatWereSent(boolean async) throws Exception {
    Random random = new Random(3208);
    with(
        async,
        Duration.ofSeconds(20),
        get -> {
          for (int round = 0; round < 100; round++) {
            String stream = ": x\n".repeat(random.nextInt(20_000)) + TEXT.repeat(random.nextInt(9));
            Reply reply = events(stream);
            server.enqueue(random.nextBoolean() ? reply.chunked() : reply);
            String got = get.body();
            assertEquals(stream, got == null ? "" : got);
          }
        });
    assertEquals(100, server.requests().size());
  }
}
