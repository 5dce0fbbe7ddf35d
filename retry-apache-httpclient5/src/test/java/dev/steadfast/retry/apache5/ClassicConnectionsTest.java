package dev.steadfast.retry.apache5;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.GZIPOutputStream;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.classic.methods.HttpPut;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.classic.RequestFailedException;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.io.entity.EntityTemplate;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.util.Timeout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Connections: leased and released once, exhausted, cancelled, and bodies in both directions. */
class ClassicConnectionsTest {
  private final ScriptedServer server = ScriptedServer.start();
  private final PoolingHttpClientConnectionManager pool = new PoolingHttpClientConnectionManager();

  @AfterEach
  void close() {
    pool.close();
    server.close();
  }

  private CloseableHttpClient client(HttpRetry retry) {
    return Apache5Retry.addTo(HttpClients.custom().setConnectionManager(pool), retry).build();
  }

  @SuppressWarnings("deprecation") // the way to a response that the caller closes
  private static ClassicHttpResponse open(CloseableHttpClient client, HttpUriRequestBase request)
      throws IOException {
    return client.execute(request);
  }

  private int leased() {
    return pool.getTotalStats().getLeased();
  }

  /** For what a thread of the library releases: a moment after the caller has noticed. */
  private void awaitNoLease() {
    long end = System.nanoTime() + Duration.ofSeconds(10).toNanos();
    while (leased() > 0 && System.nanoTime() < end) {
      Thread.onSpinWait();
    }
    assertEquals(0, leased());
  }

  @Test
  void theLastAnswerIsUnread_andItsConnectionReleasedOnce() throws IOException {
    server.defaultReply(Reply.status(503).body("busy"));
    CloseableHttpClient client = client(Parts.retry().build());
    ClassicHttpResponse response = open(client, new HttpGet(server.uri("/a")));
    assertEquals(1, leased());
    assertEquals(3, Apache5Reports.of(response).attempts());
    assertEquals("busy", Parts.text(response));
    assertEquals(0, leased());
    response.close();
    assertEquals(0, leased());
    assertEquals(1, pool.getTotalStats().getAvailable());
    assertEquals(1, server.connectionsAccepted());
    assertFalse(List.of(response.getHeaders()).toString().contains("steadfast"));
  }

  @Test
  void anAnswerThatIsClosedUnread_isReleased_andReadingItFails() throws IOException {
    server.enqueue(Reply.status(503), Reply.status(200).body("x".repeat(100_000)));
    ClassicHttpResponse response =
        open(client(Parts.retry().build()), new HttpGet(server.uri("/a")));
    InputStream content = response.getEntity().getContent();
    response.close();
    assertEquals(0, leased());
    assertThrows(IOException.class, content::readAllBytes);
  }

  @Test
  void aResponseThatIsReadAfterItsClientWasClosed_fails_andIsNotAskedForAgain() throws IOException {
    server.enqueue(
        Reply.status(503),
        Reply.status(200).body("x".repeat(3_000_000)),
        Reply.status(200).body("again"));
    CloseableHttpClient client = client(Parts.retry().build());
    ClassicHttpResponse response = open(client, new HttpGet(server.uri("/a")));
    InputStream content = response.getEntity().getContent();
    assertEquals('x', content.read());
    client.close();
    pool.close(CloseMode.IMMEDIATE);
    assertThrows(IOException.class, content::readAllBytes);
    assertThrows(IOException.class, response::close, "as of the plain client");
    assertEquals(2, Apache5Reports.of(response).attempts());
    assertEquals(2, server.requests().size());
    assertEquals(0, leased());
  }

  @Test
  void aResponseThatWasReadWithinTheAttempt_outlivesItsClient() throws IOException {
    String whole = "x".repeat(3_000_000); // more than the system keeps for a socket
    server.enqueue(Reply.status(503), Reply.status(200).body(whole));
    CloseableHttpClient client = client(Parts.retry().bufferBodiesUpTo(3_000_000).build());
    ClassicHttpResponse response = open(client, new HttpGet(server.uri("/a")));
    client.close();
    pool.close(CloseMode.IMMEDIATE);
    assertEquals(whole, Parts.text(response));
    response.close();
    assertEquals(0, leased());
  }

  /** Frameworks know by the length that the headers are those of the packed body. */
  @Test
  void aResponseThatWasReadWithinTheAttempt_hasTheLengthOfThePlainClients() throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
      gzip.write(new byte[5000]);
    }
    server.defaultReply(
        Reply.status(200).header("Content-Encoding", "gzip").body(packed.toByteArray()));
    CloseableHttpClient client = client(Parts.retry().bufferBodiesUpTo(10_000).build());
    ClassicHttpResponse response = open(client, new HttpGet(server.uri("/a")));
    assertEquals(-1, response.getEntity().getContentLength());
    assertNull(response.getEntity().getContentEncoding());
    assertEquals(5000, response.getEntity().getContent().readAllBytes().length);
    response.close();
  }

  @Test
  void anExhaustedPool_provesThatNothingWasSent() throws IOException {
    pool.setMaxTotal(1);
    server.defaultReply(Reply.status(200).body("ok"));
    CloseableHttpClient client = client(Parts.keyed());
    ClassicHttpResponse held = open(client, new HttpGet(server.uri("/held")));
    HttpUriRequestBase post = Parts.post(server.uri("/pay"));
    post.setConfig(
        RequestConfig.custom().setConnectionRequestTimeout(Timeout.ofMilliseconds(20)).build());
    IOException thrown = assertThrows(IOException.class, () -> open(client, post));
    RetryReport report = RetryReport.of(thrown).orElseThrow();
    assertEquals(Disposition.UNSENT, report.last().orElseThrow().disposition());
    assertFalse(report.serverMayHaveActed());
    assertEquals(1, report.attempts());
    held.close();
    assertEquals(1, server.requests().size());
    assertEquals(0, leased());
  }

  @Test
  void cancelEndsAWaitAtOnce() throws Exception {
    server.defaultReply(Reply.status(503));
    HttpRetry slow =
        HttpRetry.builder()
            .policy(RetryPolicy.builder().backoff(Backoff.fixed(Duration.ofSeconds(20))).build())
            .build();
    HttpGet get = new HttpGet(server.uri("/a"));
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try {
      CloseableHttpClient client = client(slow);
      Future<Throwable> end =
          thread.submit(() -> assertThrows(IOException.class, () -> open(client, get)));
      server.awaitRequests(1, Duration.ofSeconds(10));
      get.cancel();
      Throwable thrown = end.get();
      assertInstanceOf(RequestFailedException.class, thrown);
      assertEquals(StopReason.CANCELLED, RetryReport.of(thrown).orElseThrow().reason());
      assertEquals(0, leased());
    } finally {
      thread.shutdownNow();
    }
  }

  @Test
  void cancelAfterTheHead_endsTheBody() throws IOException {
    server.defaultReply(Reply.stalledBody(200, 100, "half"));
    HttpGet get = new HttpGet(server.uri("/a"));
    ClassicHttpResponse response = open(client(Parts.retry().build()), get);
    get.cancel();
    assertThrows(IOException.class, () -> Parts.text(response));
    assertEquals(0, leased());
  }

  @Test
  void theDeadlineOfTheOptionsEndsTheBodyToo() throws IOException {
    server.defaultReply(Reply.stalledBody(200, 100, "half"));
    HttpClientContext context =
        Apache5Retry.with(
            HttpClientContext.create(),
            RetryOptions.builder().deadline(Duration.ofMillis(300)).build());
    IOException thrown =
        assertThrows(
            SocketTimeoutException.class,
            () ->
                client(Parts.retry().build())
                    .execute(new HttpGet(server.uri("/a")), context, Parts::text));
    assertTrue(String.valueOf(thrown.getMessage()).startsWith("timeout: "), thrown.getMessage());
    awaitNoLease();
  }

  @Test
  void aBodyThatThrows_isNeverCompleteAtTheServer() {
    server.defaultReply(Reply.status(200));
    HttpPut put = new HttpPut(server.uri("/a"));
    AtomicInteger times = new AtomicInteger();
    put.setEntity(
        new EntityTemplate(
            -1,
            ContentType.TEXT_PLAIN,
            null,
            out -> {
              times.incrementAndGet();
              out.write("half of it".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
              out.flush();
              throw new IOException("the file is gone");
            }));
    IOException thrown =
        assertThrows(IOException.class, () -> open(client(Parts.retry().build()), put));
    assertEquals("the file is gone", thrown.getMessage());
    assertEquals(1, times.get());
    assertEquals(List.of(), server.requests());
    assertEquals(0, leased());
  }

  @Test
  void aStreamThatSaysItIsRepeatable_andIsNot_isFoundOut() throws IOException {
    server.enqueue(Reply.status(503).body("busy"), Reply.status(200));
    HttpPut put = new HttpPut(server.uri("/a"));
    InputStream once = new ByteArrayInputStream(new byte[] {1, 2, 3});
    put.setEntity(new EntityTemplate(-1, null, null, out -> copy(once, out)));
    ClassicHttpResponse response = open(client(Parts.retry().build()), put);
    assertEquals(503, response.getCode());
    assertEquals("busy", Parts.text(response));
    assertEquals(StopReason.BODY_CHANGED, Apache5Reports.of(response).reason());
    assertEquals(1, server.requests().size());
    response.close();
    assertEquals(0, leased());
  }

  private static void copy(InputStream from, OutputStream to) throws IOException {
    from.transferTo(to);
  }

  @Test
  void anUnwantedBodyThatNeverEnds_costsItsConnectionAlone() throws IOException {
    server.enqueue(Reply.endlessBody(503), Reply.status(200).body("ok"));
    ClassicHttpResponse response =
        open(client(Parts.retry().build()), new HttpGet(server.uri("/a")));
    assertEquals("ok", Parts.text(response));
    assertEquals(2, server.connectionsAccepted());
    awaitNoLease();
  }

  @Test
  void sixteenThreadsWithFaults_loseNoLease() throws Exception {
    Parts.sometimesFailing(server);
    pool.setMaxTotal(8);
    pool.setDefaultMaxPerRoute(8);
    CloseableHttpClient client = client(Parts.retry().build());
    Parts.onSixteenThreads(() -> calls(client));
    awaitNoLease();
    assertEquals(0, pool.getTotalStats().getPending());
  }

  private int calls(CloseableHttpClient client) {
    int succeeded = 0;
    long start = System.nanoTime();
    for (int i = 0; Parts.goesOn(i, start); i++) {
      try {
        succeeded +=
            client.execute(
                new HttpGet(server.uri("/a")), response -> response.getCode() == 200 ? 1 : 0);
      } catch (IOException unlucky) {
        succeeded += 0; // three faults in a row, or the body of the last answer breaks
      }
    }
    return succeeded;
  }
}
