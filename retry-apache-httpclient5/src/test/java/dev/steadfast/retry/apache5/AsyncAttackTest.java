package dev.steadfast.retry.apache5;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.hc.client5.http.async.methods.SimpleHttpRequest;
import org.apache.hc.client5.http.async.methods.SimpleHttpResponse;
import org.apache.hc.client5.http.async.methods.SimpleRequestBuilder;
import org.apache.hc.client5.http.auth.AuthScope;
import org.apache.hc.client5.http.auth.UsernamePasswordCredentials;
import org.apache.hc.client5.http.impl.async.CloseableHttpAsyncClient;
import org.apache.hc.client5.http.impl.async.HttpAsyncClients;
import org.apache.hc.client5.http.impl.auth.BasicCredentialsProvider;
import org.apache.hc.client5.http.impl.nio.PoolingAsyncClientConnectionManager;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.io.CloseMode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Servers that act and then say nothing, and what an authentication round leaves behind. */
class AsyncAttackTest {
  private final ScriptedServer server = ScriptedServer.start();
  private final PoolingAsyncClientConnectionManager pool =
      new PoolingAsyncClientConnectionManager();
  private final List<CloseableHttpAsyncClient> opened = new ArrayList<>();

  @AfterEach
  void close() {
    Parts.awaitNoLease(pool);
    int leased = pool.getTotalStats().getLeased();
    opened.forEach(each -> each.close(CloseMode.IMMEDIATE));
    server.close();
    assertEquals(0, leased);
  }

  private CloseableHttpAsyncClient client(HttpRetry retry) {
    BasicCredentialsProvider provider = new BasicCredentialsProvider();
    provider.setCredentials(
        new AuthScope(null, -1), new UsernamePasswordCredentials("ann", "secret".toCharArray()));
    CloseableHttpAsyncClient client =
        Apache5Retry.addTo(
                HttpAsyncClients.custom()
                    .setConnectionManager(pool)
                    .setDefaultCredentialsProvider(provider),
                retry)
            .build();
    client.start();
    opened.add(client);
    return client;
  }

  /** A client with a connection that is open and idle. */
  private CloseableHttpAsyncClient warm(HttpRetry retry) throws Exception {
    CloseableHttpAsyncClient client = client(retry);
    server.enqueue(Reply.status(200).body("warm"));
    client.execute(SimpleRequestBuilder.get(server.uri("/warm")).build(), null).get();
    Parts.awaitNoLease(pool);
    assertEquals(1, pool.getTotalStats().getAvailable());
    return client;
  }

  private SimpleHttpRequest post() {
    return SimpleRequestBuilder.post(server.uri("/pay"))
        .setBody("100", ContentType.TEXT_PLAIN)
        .build();
  }

  private long keys() {
    return server.requests().stream()
        .filter(each -> each.target().equals("/pay"))
        .map(each -> each.header("Idempotency-Key"))
        .distinct()
        .count();
  }

  private static RetryReport failure(Future<?> sent) {
    return RetryReport.of(assertThrows(ExecutionException.class, sent::get)).orElseThrow();
  }

  private static Reply challenge() {
    return Reply.status(401).header("WWW-Authenticate", "Basic realm=\"a\"");
  }

  @Test
  void afterAnAuthenticationRound_aKeylessPostIsNotSentAgain() throws Exception {
    server.enqueue(challenge(), Reply.status(503), Reply.status(200));
    SimpleHttpResponse got = client(Parts.retry().build()).execute(post(), null).get();
    assertEquals(503, got.getCode());
    assertEquals(StopReason.NOT_REPLAYABLE, Apache5Reports.of(got).reason());
    assertEquals(2, server.requests().size());
  }

  @Test
  void afterAnAuthenticationRound_aKeyedPostKeepsItsKey() throws Exception {
    server.enqueue(challenge(), Reply.status(503), challenge(), Reply.status(200));
    assertEquals(200, client(Parts.keyed()).execute(post(), null).get().getCode());
    assertEquals(1, keys());
    assertTrue(server.requests().stream().allMatch(each -> each.bodyText().equals("100")));
  }

  @Test
  void aKeptConnectionThatEndsAfterTheCommit_isNoStaleOne() throws Exception {
    CloseableHttpAsyncClient client = warm(Parts.retry().build());
    server.enqueue(Reply.closeAfterRequest(), Reply.status(200));
    RetryReport report = failure(client.execute(post(), null));
    assertEquals(StopReason.NOT_REPLAYABLE, report.reason());
    assertTrue(report.serverMayHaveActed());
    assertEquals(2, server.requests().size());
  }

  @Test
  void withAKey_thePostIsSentAgainUnderIt() throws Exception {
    CloseableHttpAsyncClient client = warm(Parts.keyed());
    server.enqueue(Reply.closeAfterRequest(), Reply.status(200));
    SimpleHttpResponse got = client.execute(post(), null).get();
    assertEquals(200, got.getCode());
    assertEquals(2, Apache5Reports.of(got).attempts(), "it counts as an attempt");
    assertEquals(1, keys());
  }

  @Test
  void aConnectionThatBreaksWithinTheUpload_mayHaveActed() {
    server.enqueue(Reply.resetAfterRequest().onHead(), Reply.status(200));
    SimpleHttpRequest post = post();
    post.setBody(new byte[8 << 20], ContentType.APPLICATION_OCTET_STREAM);
    RetryReport report = failure(client(Parts.retry().build()).execute(post, null));
    assertEquals(StopReason.NOT_REPLAYABLE, report.reason());
    assertEquals(1, report.attempts());
  }
}
