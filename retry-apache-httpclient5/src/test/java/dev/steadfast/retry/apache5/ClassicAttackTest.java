package dev.steadfast.retry.apache5;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import org.apache.hc.client5.http.classic.ExecChainHandler;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.http.message.BasicClassicHttpResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Handlers that hide what happened, and servers that act and then say nothing. */
class ClassicAttackTest {
  private final ScriptedServer server = ScriptedServer.start();
  private final PoolingHttpClientConnectionManager pool = new PoolingHttpClientConnectionManager();

  @AfterEach
  void close() {
    assertEquals(0, pool.getTotalStats().getLeased());
    pool.close();
    server.close();
  }

  /** The answer that the caller gets. */
  private record Got(int status, RetryReport report) {}

  private CloseableHttpClient client(HttpRetry retry, ExecChainHandler handler) {
    HttpClientBuilder builder = HttpClients.custom().setConnectionManager(pool);
    if (handler != null) {
      builder.addExecInterceptorFirst("mine", handler);
    }
    return Apache5Retry.addTo(builder, retry).build();
  }

  private static Got send(CloseableHttpClient client, HttpUriRequestBase request) {
    try {
      return client.execute(
          request, response -> new Got(response.getCode(), Apache5Reports.of(response)));
    } catch (IOException thrown) {
      return new Got(-1, RetryReport.of(thrown).orElseThrow(() -> new AssertionError(thrown)));
    }
  }

  private HttpPost post() {
    return Parts.post(server.uri("/pay"));
  }

  // ---- a handler that maps

  private static final ExecChainHandler MAPS_FAILURES =
      (request, scope, chain) -> {
        try {
          return chain.proceed(request, scope);
        } catch (IOException mapped) {
          throw new IOException("mapped"); // without its cause
        }
      };

  @Test
  void aMappedFailureOfAPost_isNoProofThatNothingWasSent() {
    server.defaultReply(Reply.closeAfterRequest());
    Got got = send(client(Parts.retry().build(), MAPS_FAILURES), post());
    assertEquals(StopReason.NOT_REPLAYABLE, got.report().reason());
    assertTrue(got.report().serverMayHaveActed());
    assertEquals(1, server.requests().size());
  }

  @Test
  void aMappedFailureToConnect_isNoProofEither() throws IOException {
    URI closed;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      closed = URI.create("http://127.0.0.1:" + socket.getLocalPort() + "/pay");
    }
    Got plain = send(client(Parts.retry().build(), null), Parts.post(closed));
    assertEquals(3, plain.report().attempts(), "nothing was sent");
    Got mapped = send(client(Parts.retry().build(), MAPS_FAILURES), Parts.post(closed));
    assertEquals(1, mapped.report().attempts());
    assertEquals(StopReason.NOT_REPLAYABLE, mapped.report().reason());
  }

  @Test
  void aMappedFailureOfAGet_isRetried() {
    server.enqueue(Reply.closeAfterRequest(), Reply.status(200));
    Got got = send(client(Parts.retry().build(), MAPS_FAILURES), new HttpGet(server.uri("/a")));
    assertEquals(200, got.status());
    assertEquals(2, server.requests().size());
  }

  @Test
  void aFailureThatBecomesAnAnswer_isJudgedAsThatAnswer() {
    server.enqueue(Reply.closeAfterRequest(), Reply.status(200));
    ExecChainHandler falls =
        (request, scope, chain) -> {
          try {
            return chain.proceed(request, scope);
          } catch (IOException fallback) {
            return new BasicClassicHttpResponse(503);
          }
        };
    Got got = send(client(Parts.retry().build(), falls), post());
    assertEquals(503, got.status());
    assertEquals(StopReason.NOT_REPLAYABLE, got.report().reason());
    assertEquals(1, server.requests().size());
  }

  @Test
  void anErrorThatAHandlerCallsASuccess_isNotRetried() {
    server.enqueue(Reply.status(503), Reply.status(200));
    ExecChainHandler praises =
        (request, scope, chain) -> {
          ClassicHttpResponse response = chain.proceed(request, scope);
          response.setCode(200);
          return response;
        };
    Got got = send(client(Parts.retry().build(), praises), new HttpGet(server.uri("/a")));
    assertEquals(200, got.status());
    assertEquals(1, server.requests().size());
  }

  @Test
  void aHandlerThatThrowsAnError_endsTheOperation() throws IOException {
    server.defaultReply(Reply.status(200));
    ExecChainHandler breaks =
        (request, scope, chain) -> {
          chain.proceed(request, scope);
          throw new StackOverflowError("mine");
        };
    CloseableHttpClient client = client(Parts.keyed(), breaks);
    assertThrows(StackOverflowError.class, () -> client.execute(post(), response -> 0));
    assertEquals(1, server.requests().size());
  }

  // ---- an authentication round after the send

  // ---- connections that were kept

  // ---- uploads

  @Test
  void aConnectionThatBreaksWithinTheUpload_mayHaveActed() {
    server.enqueue(Reply.resetAfterRequest().onHead(), Reply.status(200));
    HttpPost post = post();
    post.setEntity(new ByteArrayEntity(new byte[8 << 20], null));
    Got got = send(client(Parts.retry().build(), null), post);
    assertEquals(-1, got.status());
    assertEquals(StopReason.NOT_REPLAYABLE, got.report().reason());
    assertEquals(1, got.report().attempts());
  }

  @Test
  void anAnswerBeforeTheEndOfTheUpload_isTheAnswer() {
    server.enqueue(Reply.status(413).onHead());
    HttpPost post = post();
    post.setEntity(new ByteArrayEntity(new byte[8 << 20], null));
    Got got = send(client(Parts.keyed(), null), post);
    assertFalse(got.report().attempts() > 3);
    assertTrue(got.status() == 413 || got.status() == -1, got::toString); // a reset may come first
  }

  @Test
  void aClientThatIsClosedMeanwhile_endsWithItsException() throws IOException {
    server.defaultReply(Reply.status(503));
    CloseableHttpClient client = client(Parts.retry().build(), null);
    client.close();
    assertThrows(
        IllegalStateException.class,
        () -> client.execute(new HttpGet(server.uri("/a")), response -> 0));
    assertEquals(0, server.requests().size());
  }
}
