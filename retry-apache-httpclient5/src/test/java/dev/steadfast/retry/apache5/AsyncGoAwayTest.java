package dev.steadfast.retry.apache5;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.testsupport.H2Server;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.hc.client5.http.async.methods.SimpleHttpResponse;
import org.apache.hc.client5.http.async.methods.SimpleRequestBuilder;
import org.apache.hc.client5.http.config.TlsConfig;
import org.apache.hc.client5.http.impl.async.CloseableHttpAsyncClient;
import org.apache.hc.client5.http.impl.async.H2AsyncClientBuilder;
import org.apache.hc.client5.http.impl.async.HttpAsyncClients;
import org.apache.hc.client5.http.impl.nio.PoolingAsyncClientConnectionManager;
import org.apache.hc.client5.http.impl.nio.PoolingAsyncClientConnectionManagerBuilder;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.apache.hc.core5.io.CloseMode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A server that says which streams it has not processed, and one that refuses a stream. */
class AsyncGoAwayTest {
  private final H2Server server = new H2Server();
  private final PoolingAsyncClientConnectionManager pool =
      PoolingAsyncClientConnectionManagerBuilder.create()
          .setDefaultTlsConfig(
              TlsConfig.custom().setVersionPolicy(HttpVersionPolicy.FORCE_HTTP_2).build())
          .setMessageMultiplexing(true)
          .build();
  private final List<CloseableHttpAsyncClient> opened = new ArrayList<>();

  enum Kind {
    POOLED,
    HTTP_2_ALONE
  }

  @AfterEach
  void close() {
    Parts.awaitNoLease(pool);
    int leased = pool.getTotalStats().getLeased();
    opened.forEach(each -> each.close(CloseMode.IMMEDIATE));
    server.close();
    assertEquals(0, leased);
  }

  private CloseableHttpAsyncClient client(Kind kind, HttpRetry retry) {
    CloseableHttpAsyncClient client =
        kind == Kind.POOLED
            ? Apache5Retry.addTo(HttpAsyncClients.custom().setConnectionManager(pool), retry)
                .build()
            : Apache5Retry.addTo(H2AsyncClientBuilder.create(), retry).build();
    client.start();
    opened.add(client);
    return client;
  }

  private Future<SimpleHttpResponse> send(CloseableHttpAsyncClient client, String method) {
    return client.execute(
        SimpleRequestBuilder.create(method)
            .setUri(server.url("/pay"))
            .setBody("100", ContentType.TEXT_PLAIN)
            .build(),
        null);
  }

  private static RetryReport failure(Future<?> sent) {
    return RetryReport.of(assertThrows(ExecutionException.class, sent::get)).orElseThrow();
  }

  @ParameterizedTest
  @EnumSource
  void aRefusedStream_isSentAgain(Kind kind) throws Exception {
    server.enqueue(H2Server.reset(7));
    SimpleHttpResponse got = send(client(kind, Parts.retry().build()), "POST").get();
    RetryReport report = Apache5Reports.of(got);
    assertEquals(200, got.getCode());
    assertEquals(FailureKind.REFUSED_STREAM, report.attemptReports().get(0).kind().orElseThrow());
    assertEquals(Disposition.REFUSED, report.attemptReports().get(0).disposition());
    assertEquals(2, server.deliveries());
  }

  @ParameterizedTest
  @EnumSource
  void aStreamThatMayHaveBeenProcessed_isNotSentAgain(Kind kind) {
    server.enqueue(H2Server.both(H2Server.lastIsThis(), H2Server.fin()));
    RetryReport report = failure(send(client(kind, Parts.retry().build()), "POST"));
    assertEquals(StopReason.NOT_REPLAYABLE, report.reason());
    assertTrue(report.serverMayHaveActed());
    assertEquals(1, server.deliveries());
  }

  @ParameterizedTest
  @EnumSource
  void withAKey_itIs(Kind kind) throws Exception {
    server.enqueue(H2Server.both(H2Server.lastIsThis(), H2Server.fin()));
    SimpleHttpResponse got = send(client(kind, Parts.keyed()), "POST").get();
    assertEquals(200, got.getCode());
    assertEquals(Disposition.UNKNOWN, Apache5Reports.of(got).attemptReports().get(0).disposition());
    assertEquals(2, server.deliveries());
  }

  @ParameterizedTest
  @EnumSource
  void aServerThatStillAnswers_isBelieved(Kind kind) throws Exception {
    server.enqueue(H2Server.both(H2Server.lastIsThis(), H2Server.answer(200)));
    CloseableHttpAsyncClient client = client(kind, Parts.retry().build());
    SimpleHttpResponse got = send(client, "POST").get();
    assertEquals(1, Apache5Reports.of(got).attempts());
    assertEquals(200, send(client, "POST").get().getCode());
    assertEquals(2, server.deliveries());
    assertEquals(2, server.connections(), "that one takes no more");
  }

  /** HttpClient does not tell which streams were left: it waits for them until the end. */
  @ParameterizedTest
  @EnumSource
  void aStreamThatIsLeft_mayHaveBeenProcessedAsFarAsItCanBeKnown(Kind kind) throws Exception {
    server.enqueue(H2Server.both(H2Server.goAway(), H2Server.fin()));
    RetryReport report = failure(send(client(kind, Parts.retry().build()), "POST"));
    assertEquals(StopReason.NOT_REPLAYABLE, report.reason());
    server.enqueue(H2Server.both(H2Server.goAway(), H2Server.fin()));
    assertEquals(200, send(client(kind, Parts.retry().build()), "PUT").get().getCode());
    assertEquals(3, server.deliveries());
  }

  @ParameterizedTest
  @EnumSource
  void aConnectionThatEndsAsRefused_isNoRefusedStream(Kind kind) {
    server.enqueue(H2Server.goAwayWith(7));
    RetryReport report = failure(send(client(kind, Parts.retry().build()), "POST"));
    assertEquals(StopReason.NOT_REPLAYABLE, report.reason());
    assertEquals(1, server.deliveries());
  }
}
