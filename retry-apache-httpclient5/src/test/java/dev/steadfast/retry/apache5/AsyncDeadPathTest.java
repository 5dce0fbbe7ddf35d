package dev.steadfast.retry.apache5;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.tck.internal.SwallowingProxy;
import dev.steadfast.retry.tck.internal.SwallowingProxy.Swallowed;
import dev.steadfast.retry.testsupport.Tls;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import mockwebserver3.Dispatcher;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.RecordedRequest;
import org.apache.hc.client5.http.async.methods.SimpleHttpRequest;
import org.apache.hc.client5.http.async.methods.SimpleHttpResponse;
import org.apache.hc.client5.http.async.methods.SimpleRequestBuilder;
import org.apache.hc.client5.http.impl.async.CloseableHttpAsyncClient;
import org.apache.hc.client5.http.impl.async.H2AsyncClientBuilder;
import org.apache.hc.client5.http.impl.async.HttpAsyncClientBuilder;
import org.apache.hc.client5.http.impl.async.HttpAsyncClients;
import org.apache.hc.client5.http.impl.nio.PoolingAsyncClientConnectionManager;
import org.apache.hc.client5.http.impl.nio.PoolingAsyncClientConnectionManagerBuilder;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.client5.http.ssl.ClientTlsStrategyBuilder;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.nio.ssl.TlsStrategy;
import org.apache.hc.core5.io.CloseMode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * HTTP/2 over TLS through a proxy that swallows the bytes of connections. HttpClient closes the
 * connection of an attempt that times out, so a later one takes another. The second attempt of a
 * client for HTTP/2 alone may meet the first connection while it is closed.
 */
class AsyncDeadPathTest {
  private static final Duration SHORT = Duration.ofMillis(200);
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final RetryPolicy PATIENT =
      RetryPolicy.builder()
          .backoff(Backoff.fixed(Duration.ofMillis(1)))
          .totalTimeout(Duration.ofSeconds(60))
          .attemptTimeout(LONG)
          .build();

  /** The first attempt is to be lost. */
  private static final RetryPolicy LOSES_FIRST =
      PATIENT.toBuilder().attemptTimeouts(List.of(SHORT, LONG)).build();

  private static final RetryPolicy LOSES_ALL = PATIENT.toBuilder().attemptTimeout(SHORT).build();

  private final MockWebServer server = new MockWebServer();
  private final PoolingAsyncClientConnectionManager pool =
      PoolingAsyncClientConnectionManagerBuilder.create().setTlsStrategy(tls()).build();
  private final List<CloseableHttpAsyncClient> opened = new ArrayList<>();
  private SwallowingProxy proxy;

  private static TlsStrategy tls() {
    return ClientTlsStrategyBuilder.create().setSslContext(Tls.LOOPBACK.sslContext()).buildAsync();
  }

  @BeforeEach
  void start() throws IOException {
    server.useHttps(Tls.LOOPBACK.sslSocketFactory());
    server.requireClientAuth(); // each connection shows the client's certificate
    server.setDispatcher(
        new Dispatcher() {
          @Override
          public MockResponse dispatch(RecordedRequest request) {
            return new MockResponse.Builder().body("served").build();
          }
        });
    server.start(InetAddress.getLoopbackAddress(), 0);
    proxy = SwallowingProxy.before(server.getPort());
  }

  @AfterEach
  void close() {
    Parts.awaitNoLease(pool);
    int leased = pool.getTotalStats().getLeased();
    opened.forEach(each -> each.close(CloseMode.IMMEDIATE));
    proxy.close();
    server.close();
    assertEquals(0, leased);
  }

  /** A client with an open connection, whose bytes are swallowed from now on. */
  private CloseableHttpAsyncClient onDeadPath(AsyncHttp2Test.Kind kind, Swallowed what)
      throws Exception {
    HttpRetry retry = HttpRetry.builder().policy(PATIENT).budget(RetryBudget.unlimited()).build();
    HttpAsyncClientBuilder negotiating =
        HttpAsyncClients.custom()
            .setConnectionManager(pool)
            .disableConnectionState(); // a connection with a certificate is for any call
    CloseableHttpAsyncClient client =
        kind == AsyncHttp2Test.Kind.NEGOTIATING
            ? Apache5Retry.addTo(negotiating, retry).build()
            : Apache5Retry.addTo(H2AsyncClientBuilder.create().setTlsStrategy(tls()), retry)
                .build();
    client.start();
    opened.add(client);
    assertEquals("HTTP/2.0", send(client, get(), PATIENT).get().getVersion().toString());
    Parts.awaitNoLease(pool); // the next call takes this connection
    assertEquals(1, proxy.opened());
    proxy.swallow(what);
    return client;
  }

  private URI uri() {
    return URI.create("https://127.0.0.1:" + proxy.port() + "/things");
  }

  private SimpleHttpRequest get() {
    return SimpleRequestBuilder.get(uri()).build();
  }

  private static Future<SimpleHttpResponse> send(
      CloseableHttpAsyncClient client, SimpleHttpRequest request, RetryPolicy policy) {
    RetryOptions options = RetryOptions.builder().policy(policy).build();
    return client.execute(request, Apache5Retry.with(HttpClientContext.create(), options), null);
  }

  private static RetryReport failure(Future<?> sent) {
    return RetryReport.of(assertThrows(ExecutionException.class, sent::get)).orElseThrow();
  }

  @ParameterizedTest
  @EnumSource(Swallowed.class)
  void theSecondAttemptTakesAnotherConnection(Swallowed what) throws Exception {
    CloseableHttpAsyncClient client = onDeadPath(AsyncHttp2Test.Kind.NEGOTIATING, what);

    SimpleHttpResponse got = send(client, get(), LOSES_FIRST).get();

    assertEquals("served", got.getBodyText());
    assertEquals(2, Apache5Reports.of(got).attempts());
    assertEquals(2, proxy.opened());
  }

  @ParameterizedTest
  @EnumSource
  void laterOperationsLoseNothing(AsyncHttp2Test.Kind kind) throws Exception {
    CloseableHttpAsyncClient client = onDeadPath(kind, Swallowed.ALL);

    assertEquals("served", send(client, get(), LOSES_FIRST).get().getBodyText());
    Parts.awaitNoLease(pool); // the later call takes the second connection
    SimpleHttpResponse later = send(client, get(), PATIENT).get();

    assertEquals(1, Apache5Reports.of(later).attempts());
    assertEquals(2, proxy.opened());
  }

  @ParameterizedTest
  @EnumSource
  void manyInFlightAreAllAnswered(AsyncHttp2Test.Kind kind) throws Exception {
    CloseableHttpAsyncClient client = onDeadPath(kind, Swallowed.ALL);
    RetryPolicy loses =
        LOSES_FIRST.toBuilder()
            .maxAttempts(5)
            .attemptTimeouts(List.of(Duration.ofSeconds(1), LONG))
            .build();

    List<Future<SimpleHttpResponse>> all = new ArrayList<>();
    for (int each = 0; each < 20; each++) {
      all.add(send(client, get(), loses));
    }

    for (Future<SimpleHttpResponse> each : all) {
      assertEquals("served", each.get().getBodyText());
    }
  }

  @ParameterizedTest
  @EnumSource
  void aPostWithoutKeyIsSentOnce(AsyncHttp2Test.Kind kind) throws Exception {
    CloseableHttpAsyncClient client = onDeadPath(kind, Swallowed.ANSWERS);
    SimpleHttpRequest post =
        SimpleRequestBuilder.post(uri()).setBody("charge 5", ContentType.TEXT_PLAIN).build();

    RetryReport report = failure(send(client, post, LOSES_ALL));

    assertEquals(StopReason.NOT_REPLAYABLE, report.reason());
    assertEquals(1, report.attempts());
    assertEquals(1, proxy.opened());
  }

  /** Not even a handshake ends on the new connections. */
  @ParameterizedTest
  @EnumSource
  void bothPathsDead_thenBack(AsyncHttp2Test.Kind kind) throws Exception {
    CloseableHttpAsyncClient client = onDeadPath(kind, Swallowed.ALL);
    proxy.swallowNew(true);

    assertEquals(StopReason.ATTEMPTS_EXHAUSTED, failure(send(client, get(), LOSES_ALL)).reason());

    proxy.comeBack();
    assertEquals("served", send(client, get(), LOSES_FIRST).get().getBodyText());
  }

  @ParameterizedTest
  @EnumSource
  void theDeadlineEndsTheSecondConnection(AsyncHttp2Test.Kind kind) throws Exception {
    CloseableHttpAsyncClient client = onDeadPath(kind, Swallowed.ALL);
    proxy.swallowNew(true);
    RetryPolicy total = LOSES_FIRST.toBuilder().totalTimeout(Duration.ofSeconds(2)).build();

    RetryReport report = failure(send(client, get(), total));

    assertEquals(StopReason.DEADLINE, report.reason());
    assertTrue(report.attempts() >= 2, report::toString);
  }

  @ParameterizedTest
  @EnumSource
  void cancelEndsTheSecondConnection(AsyncHttp2Test.Kind kind) throws Exception {
    CloseableHttpAsyncClient client = onDeadPath(kind, Swallowed.ALL);
    proxy.swallowNew(true);
    Future<SimpleHttpResponse> sent = send(client, get(), LOSES_FIRST);

    proxy.awaitOpened(2);
    sent.cancel(true);

    assertThrows(CancellationException.class, sent::get);
  }

  @ParameterizedTest
  @EnumSource
  void aClientThatIsClosedEndsTheSecondConnection(AsyncHttp2Test.Kind kind) throws Exception {
    CloseableHttpAsyncClient client = onDeadPath(kind, Swallowed.ALL);
    proxy.swallowNew(true);
    // HttpClient may say nothing of a connection that it still makes; the attempt ends by itself.
    RetryPolicy brief =
        PATIENT.toBuilder().attemptTimeouts(List.of(SHORT, Duration.ofSeconds(5))).build();
    Future<SimpleHttpResponse> sent = send(client, get(), brief);

    proxy.awaitOpened(2);
    client.close(CloseMode.IMMEDIATE);

    assertTrue(failure(sent).attempts() >= 2);
    assertEquals(2, proxy.opened());
  }
}
