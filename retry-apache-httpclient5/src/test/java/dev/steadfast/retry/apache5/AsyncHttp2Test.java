package dev.steadfast.retry.apache5;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.testsupport.Tls;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import mockwebserver3.Dispatcher;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.RecordedRequest;
import mockwebserver3.SocketEffect;
import org.apache.hc.client5.http.async.methods.SimpleHttpResponse;
import org.apache.hc.client5.http.async.methods.SimpleResponseConsumer;
import org.apache.hc.client5.http.impl.async.CloseableHttpAsyncClient;
import org.apache.hc.client5.http.impl.async.H2AsyncClientBuilder;
import org.apache.hc.client5.http.impl.async.HttpAsyncClients;
import org.apache.hc.client5.http.impl.nio.PoolingAsyncClientConnectionManager;
import org.apache.hc.client5.http.impl.nio.PoolingAsyncClientConnectionManagerBuilder;
import org.apache.hc.client5.http.ssl.ClientTlsStrategyBuilder;
import org.apache.hc.core5.http.message.BasicHttpRequest;
import org.apache.hc.core5.http.nio.AsyncEntityProducer;
import org.apache.hc.core5.http.nio.StreamChannel;
import org.apache.hc.core5.http.nio.entity.AbstractBinAsyncEntityProducer;
import org.apache.hc.core5.http.nio.entity.BasicAsyncEntityProducer;
import org.apache.hc.core5.http.nio.ssl.TlsStrategy;
import org.apache.hc.core5.http.nio.support.BasicRequestProducer;
import org.apache.hc.core5.http2.H2Error;
import org.apache.hc.core5.http2.H2StreamResetException;
import org.apache.hc.core5.io.CloseMode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** HTTP/2 over TLS: by the client that negotiates it, and by the one that speaks nothing else. */
class AsyncHttp2Test {
  private static final int INTERNAL_ERROR = 2;
  private static final int REFUSED_STREAM = 7;

  private final MockWebServer server = new MockWebServer();
  private final PoolingAsyncClientConnectionManager pool =
      PoolingAsyncClientConnectionManagerBuilder.create().setTlsStrategy(tls()).build();
  private final List<CloseableHttpAsyncClient> opened = new ArrayList<>();
  private final CountDownLatch testOver = new CountDownLatch(1);

  enum Kind {
    NEGOTIATING,
    HTTP_2_ALONE
  }

  private static TlsStrategy tls() {
    return ClientTlsStrategyBuilder.create().setSslContext(Tls.LOOPBACK.sslContext()).buildAsync();
  }

  @BeforeEach
  void start() throws IOException {
    server.useHttps(Tls.LOOPBACK.sslSocketFactory());
    server.start(InetAddress.getLoopbackAddress(), 0);
  }

  @AfterEach
  void close() {
    testOver.countDown();
    opened.forEach(each -> each.close(CloseMode.IMMEDIATE));
    server.close();
  }

  private CloseableHttpAsyncClient client(Kind kind, HttpRetry retry) {
    CloseableHttpAsyncClient client =
        kind == Kind.NEGOTIATING
            ? Apache5Retry.addTo(HttpAsyncClients.custom().setConnectionManager(pool), retry)
                .build()
            : Apache5Retry.addTo(H2AsyncClientBuilder.create().setTlsStrategy(tls()), retry)
                .build();
    client.start();
    opened.add(client);
    return client;
  }

  private Future<SimpleHttpResponse> send(
      CloseableHttpAsyncClient client, String method, AsyncEntityProducer body) {
    BasicHttpRequest request = new BasicHttpRequest(method, server.url("/things").uri());
    return client.execute(
        new BasicRequestProducer(request, body), SimpleResponseConsumer.create(), null);
  }

  private static AsyncEntityProducer order() {
    return new BasicAsyncEntityProducer("order");
  }

  private static MockResponse status(int code) {
    return new MockResponse.Builder().code(code).build();
  }

  private static MockResponse ok() {
    return new MockResponse.Builder().body("ok").build();
  }

  private static MockResponse reset(int errorCode) {
    return new MockResponse.Builder()
        .onResponseStart(new SocketEffect.CloseStream(errorCode))
        .build();
  }

  private RetryReport failure(Future<?> sent) {
    ExecutionException thrown = assertThrows(ExecutionException.class, sent::get);
    return RetryReport.of(thrown).orElseThrow();
  }

  private void assertNoLease() {
    Parts.awaitNoLease(pool);
    assertEquals(0, pool.getTotalStats().getLeased());
  }

  @ParameterizedTest
  @EnumSource
  void retriesOnTheSameConnectionWithTheSameKey(Kind kind) throws Exception {
    server.enqueue(status(503));
    server.enqueue(ok());
    SimpleHttpResponse response = send(client(kind, Parts.keyed()), "POST", order()).get();
    assertEquals("ok", response.getBodyText());
    assertEquals(2, Apache5Reports.of(response).attempts());
    RecordedRequest first = server.takeRequest();
    RecordedRequest second = server.takeRequest();
    assertEquals("HTTP/2", first.getVersion());
    assertEquals(
        first.getHeaders().get("Idempotency-Key"), second.getHeaders().get("Idempotency-Key"));
    assertEquals("order", second.getBody().utf8());
    assertEquals(first.getConnectionIndex(), second.getConnectionIndex());
    assertNoLease();
  }

  @ParameterizedTest
  @EnumSource
  void aRefusedStreamProvesThatNothingWasDone(Kind kind) throws Exception {
    server.enqueue(reset(REFUSED_STREAM));
    server.enqueue(ok());
    SimpleHttpResponse response = send(client(kind, Parts.retry().build()), "POST", order()).get();
    RetryReport report = Apache5Reports.of(response);
    assertEquals(FailureKind.REFUSED_STREAM, report.attemptReports().get(0).kind().orElseThrow());
    assertEquals(Disposition.REFUSED, report.attemptReports().get(0).disposition());
    assertEquals(2, server.getRequestCount());
    assertNoLease();
  }

  @ParameterizedTest
  @EnumSource
  void anotherResetProvesNothing(Kind kind) throws Exception {
    server.enqueue(reset(INTERNAL_ERROR));
    RetryReport report = failure(send(client(kind, Parts.retry().build()), "POST", order()));
    assertEquals(StopReason.NOT_REPLAYABLE, report.reason());
    assertEquals(1, server.getRequestCount());
    server.enqueue(reset(INTERNAL_ERROR));
    server.enqueue(ok());
    send(client(kind, Parts.retry().build()), "PUT", order()).get();
    assertEquals(3, server.getRequestCount());
    assertNoLease();
  }

  /** Fails as a refused stream does. */
  private static final class Lying extends AbstractBinAsyncEntityProducer {
    Lying() {
      super(0, null);
    }

    @Override
    protected int availableData() {
      return 1;
    }

    @Override
    protected void produceData(StreamChannel<java.nio.ByteBuffer> channel) throws IOException {
      throw new H2StreamResetException(H2Error.REFUSED_STREAM, "Stream reset (7)");
    }

    @Override
    public boolean isRepeatable() {
      return true;
    }

    @Override
    public void failed(Exception cause) {}
  }

  @ParameterizedTest
  @EnumSource
  void aBodyThatThrowsSuchAnExceptionProvesNothing(Kind kind) {
    server.enqueue(ok());
    RetryReport report = failure(send(client(kind, Parts.retry().build()), "POST", new Lying()));
    assertEquals(Disposition.UNKNOWN, report.last().orElseThrow().disposition());
    assertEquals(1, report.attempts());
    assertNoLease();
  }

  /** Never answers on the connection of its first request, and always on any other. */
  private final class FirstConnectionSilent extends Dispatcher {
    private final AtomicInteger silent = new AtomicInteger(-1);

    @Override
    public MockResponse dispatch(RecordedRequest request) throws InterruptedException {
      silent.compareAndSet(-1, request.getConnectionIndex());
      if (silent.get() == request.getConnectionIndex()) {
        testOver.await();
      }
      return ok();
    }
  }

  /**
   * The answer proves another connection. The second attempt may still meet the first one while it
   * is closed: then the third is answered.
   */
  @ParameterizedTest
  @EnumSource
  void afterASilentStream_aLaterAttemptTakesAnotherConnection(Kind kind) throws Exception {
    HttpRetry retry =
        HttpRetry.builder()
            .policy(
                RetryPolicy.builder()
                    .attemptTimeout(Duration.ofMillis(1500))
                    .backoff(Backoff.fixed(Duration.ofMillis(1)))
                    .build())
            .budget(RetryBudget.unlimited())
            .build();
    server.setDispatcher(new FirstConnectionSilent());
    SimpleHttpResponse response = send(client(kind, retry), "GET", null).get();
    assertEquals("ok", response.getBodyText());
    assertEquals(
        FailureKind.TIMEOUT,
        Apache5Reports.of(response).attemptReports().get(0).kind().orElseThrow());
    assertNoLease();
  }

  @ParameterizedTest
  @EnumSource
  void manyAtOnce_withFaults_allEnd(Kind kind) throws Exception {
    for (int i = 0; i < 120; i++) {
      server.enqueue(i % 3 == 0 ? status(503) : i % 7 == 0 ? reset(REFUSED_STREAM) : ok());
    }
    HttpRetry patient =
        Parts.retry()
            .policy(
                RetryPolicy.builder()
                    .maxAttempts(12)
                    .backoff(Backoff.fixed(Duration.ofMillis(1)))
                    .build())
            .build();
    CloseableHttpAsyncClient client = client(kind, patient);
    List<Future<SimpleHttpResponse>> all = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      all.add(send(client, "PUT", order()));
    }
    int answered = 0;
    for (Future<SimpleHttpResponse> each : all) {
      answered += each.get().getCode() == 200 ? 1 : 0;
    }
    assertEquals(30, answered);
    int most = kind == Kind.HTTP_2_ALONE ? 1 : 30;
    for (int i = server.getRequestCount(); i > 0; i--) {
      assertTrue(server.takeRequest().getConnectionIndex() < most);
    }
    assertNoLease();
  }
}
