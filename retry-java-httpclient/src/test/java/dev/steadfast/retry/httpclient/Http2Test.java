package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.limit.QuotaPacing;
import dev.steadfast.retry.testkit.FakeTime;
import dev.steadfast.retry.testsupport.Tls;
import java.io.IOException;
import java.net.InetAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.PushPromise;
import mockwebserver3.RecordedRequest;
import mockwebserver3.SocketEffect;
import okhttp3.Headers;
import okhttp3.internal.http2.Settings;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** HTTP/2 over TLS. */
class Http2Test {
  private static final int INTERNAL_ERROR = 2;
  private static final int REFUSED_STREAM = 7;

  @AutoClose private final MockWebServer server = new MockWebServer();
  private final FakeTime time = new FakeTime();

  @BeforeEach
  void start() throws IOException {
    server.useHttps(Tls.LOOPBACK.sslSocketFactory());
    server.start(InetAddress.getLoopbackAddress(), 0);
  }

  private static HttpClient plain() {
    return HttpClient.newBuilder()
        .version(HttpClient.Version.HTTP_2)
        .sslContext(Tls.LOOPBACK.sslContext())
        .build();
  }

  private HttpRetry.Builder retry() {
    return HttpRetry.builder().environment(time.environment()).listener(time.skipWaits());
  }

  private RetryingHttpClient client() {
    return RetryingHttpClient.wrap(plain(), retry().build());
  }

  private HttpRequest.Builder request() {
    return HttpRequest.newBuilder(server.url("/things").uri());
  }

  private HttpRequest post() {
    return request().POST(BodyPublishers.ofString("order")).build();
  }

  private HttpRequest put() {
    return request().PUT(BodyPublishers.ofString("order")).build();
  }

  private static MockResponse status(int code) {
    return new MockResponse.Builder().code(code).build();
  }

  private static MockResponse ok() {
    return new MockResponse.Builder().body("ok").build();
  }

  /** Reads the request and resets its stream. */
  private static MockResponse reset(int errorCode) {
    return new MockResponse.Builder()
        .onResponseStart(new SocketEffect.CloseStream(errorCode))
        .build();
  }

  private List<RecordedRequest> requests() throws InterruptedException {
    List<RecordedRequest> requests = new ArrayList<>();
    for (int i = server.getRequestCount(); i > 0; i--) {
      requests.add(server.takeRequest());
    }
    return requests;
  }

  @ParameterizedTest
  @EnumSource
  void retriesOnOneConnectionWithOneKey(Entry entry) throws Throwable {
    server.enqueue(status(503));
    server.enqueue(status(502));
    server.enqueue(ok());
    RetryingHttpClient client =
        RetryingHttpClient.wrap(
            plain(), retry().idempotencyKeys(IdempotencyKeys.randomUuid()).build());

    HttpResponse<String> response = entry.call(client, post(), BodyHandlers.ofString());

    assertEquals("ok", response.body());
    assertEquals(HttpClient.Version.HTTP_2, response.version());
    assertTrue(response.sslSession().isPresent());
    List<RecordedRequest> requests = requests();
    assertEquals(3, requests.size());
    assertEquals(
        1,
        requests.stream().map(each -> each.getHeaders().get("Idempotency-Key")).distinct().count());
    assertEquals(
        List.of("order", "order", "order"),
        requests.stream().map(each -> each.getBody().utf8()).toList());
    assertEquals(1, requests.stream().map(RecordedRequest::getConnectionIndex).distinct().count());
  }

  @ParameterizedTest
  @EnumSource
  void quotaHeadersHoldBackTheNextCall(Entry entry) throws Throwable {
    RetryingHttpClient client =
        RetryingHttpClient.wrap(plain(), retry().guard(QuotaPacing.perOrigin()).build());
    for (int call = 0; call < 2; call++) {
      server.enqueue(ok().newBuilder().addHeader("RateLimit", "\"d\";r=0;t=5").build());
      HttpResponse<String> response =
          entry.call(client, request().build(), BodyHandlers.ofString());
      assertEquals(HttpClient.Version.HTTP_2, response.version());
    }
    assertEquals(Duration.ofSeconds(6), Duration.ofNanos(time.nanos()));
  }

  @Test
  @EnabledForJreRange(max = JRE.JAVA_17)
  void refusedStreamIsResentByThisLibraryWhereTheJdkDoesNot() throws Exception {
    server.enqueue(reset(REFUSED_STREAM));
    server.enqueue(ok());
    RetryReport report = JdkReports.of(client().send(post(), BodyHandlers.ofString()));
    assertEquals(2, report.attempts());
    assertEquals(FailureKind.REFUSED_STREAM, report.attemptReports().get(0).kind().orElseThrow());
    assertEquals(Disposition.REFUSED, report.attemptReports().get(0).disposition());
    assertEquals(2, server.getRequestCount());
  }

  @Test
  @EnabledForJreRange(min = JRE.JAVA_25)
  void refusedStreamIsResentByTheJdkWhereItDoes() throws Exception {
    server.enqueue(reset(REFUSED_STREAM));
    server.enqueue(ok());
    RetryReport report = JdkReports.of(client().send(post(), BodyHandlers.ofString()));
    assertEquals(1, report.attempts());
    assertEquals(2, server.getRequestCount(), "one more delivery than the report can know");
  }

  @Test
  void refusedStreamsAreResentInTheEnd() throws Exception {
    for (int i = 0; i < 2; i++) {
      server.enqueue(reset(REFUSED_STREAM));
    }
    server.enqueue(ok());
    assertEquals("ok", client().send(post(), BodyHandlers.ofString()).body());
    assertEquals(3, server.getRequestCount());
  }

  @Test
  void refusalAfterARedirectProvesNothing() {
    // POST, 303, GET: the refused GET says nothing about the POST.
    server.enqueue(
        new MockResponse.Builder().code(303).addHeader("Location", "/elsewhere").build());
    server.enqueue(reset(REFUSED_STREAM));
    server.enqueue(reset(REFUSED_STREAM));
    HttpClient follows =
        HttpClient.newBuilder()
            .sslContext(Tls.LOOPBACK.sslContext())
            .followRedirects(HttpClient.Redirect.NORMAL)
            .build();
    IOException thrown =
        assertThrows(
            IOException.class,
            () ->
                RetryingHttpClient.wrap(follows, retry().build())
                    .send(post(), BodyHandlers.ofString()));
    RetryReport report = RetryReport.of(thrown).orElseThrow();
    assertEquals(StopReason.NOT_REPLAYABLE, report.reason());
    assertEquals(FailureKind.REFUSED_STREAM, report.last().orElseThrow().kind().orElseThrow());
  }

  @ParameterizedTest
  @ValueSource(ints = {INTERNAL_ERROR, 8, 11})
  void otherResetsAreAmbiguous(int errorCode) throws Exception {
    server.enqueue(reset(errorCode));
    IOException thrown =
        assertThrows(IOException.class, () -> client().send(post(), BodyHandlers.ofString()));
    RetryReport report = RetryReport.of(thrown).orElseThrow();
    assertEquals(StopReason.NOT_REPLAYABLE, report.reason());
    assertEquals(FailureKind.CONNECTION_LOST, report.last().orElseThrow().kind().orElseThrow());
    assertEquals(1, server.getRequestCount());

    server.enqueue(reset(errorCode));
    server.enqueue(ok());
    assertEquals(2, JdkReports.of(client().send(put(), BodyHandlers.ofString())).attempts());
  }

  @Test
  void bodyThatIsResetIsABrokenBody() throws Exception {
    server.enqueue(
        new MockResponse.Builder()
            .body("x".repeat(10_000))
            .onResponseBody(new SocketEffect.CloseStream(INTERNAL_ERROR))
            .build());
    server.enqueue(ok());
    HttpResponse<String> response = client().send(put(), BodyHandlers.ofString());
    assertEquals("ok", response.body());
    RetryReport report = JdkReports.of(response);
    assertEquals(FailureKind.BROKEN_BODY, report.attemptReports().get(0).kind().orElseThrow());
  }

  @Test
  void eachOperationOnABrokenConnectionHasAReportOfItsOwn() throws Exception {
    // All streams of the connection get one exception from the JDK.
    server.enqueue(ok());
    for (int i = 0; i < 3; i++) {
      server.enqueue(stalled());
    }
    RetryingHttpClient client = client();
    client.send(post(), BodyHandlers.ofString());
    server.takeRequest();
    List<CompletableFuture<HttpResponse<String>>> futures = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      RetryOptions own =
          RetryOptions.builder().replayable(false).idempotencyKey("order-" + i).build();
      futures.add(client.with(own).sendAsync(post(), BodyHandlers.ofString()));
      server.takeRequest();
    }
    server.close(); // an effect of one stream's closes the connection most of the times only

    for (int i = 0; i < 3; i++) {
      CompletableFuture<HttpResponse<String>> future = futures.get(i);
      Throwable thrown = assertThrows(IOException.class, () -> Entry.outcome(future));
      RetryReport report = RetryReport.of(thrown).orElseThrow();
      assertEquals("order-" + i, report.idempotencyKey().orElseThrow());
      assertSame(thrown, report.last().orElseThrow().failure().orElseThrow());
      assertEquals(1, thrown.getSuppressed().length);
    }
  }

  /** The client itself refuses what is above the server's limit, and says so in a message. */
  @Test
  void whatTheLimitOfStreamsKeptBackWasNotSent() throws Exception {
    Settings oneStream = new Settings().set(Settings.MAX_CONCURRENT_STREAMS, 1);
    server.enqueue(ok().newBuilder().settings(oneStream).build());
    server.enqueue(stalled());
    RetryingHttpClient client = client();
    client.send(put(), BodyHandlers.ofString());
    CompletableFuture<HttpResponse<String>> only = client.sendAsync(put(), BodyHandlers.ofString());
    server.takeRequest();
    server.takeRequest();

    IOException thrown =
        assertThrows(IOException.class, () -> client.send(post(), BodyHandlers.ofString()));

    only.cancel(true);
    assertEquals("too many concurrent streams", thrown.getMessage());
    RetryReport report = RetryReport.of(thrown).orElseThrow();
    assertEquals(StopReason.ATTEMPTS_EXHAUSTED, report.reason());
    assertEquals(Disposition.UNSENT, report.last().orElseThrow().disposition());
    assertEquals(2, server.getRequestCount());
  }

  private static MockResponse stalled() {
    return new MockResponse.Builder().onResponseStart(SocketEffect.Stall.INSTANCE).build();
  }

  @Test
  void longDiscardedBodyCostsItsStreamAndNotTheConnection() throws Exception {
    server.enqueue(new MockResponse.Builder().code(503).body("x".repeat(1 << 20)).build());
    server.enqueue(ok());
    assertEquals("ok", client().send(put(), BodyHandlers.ofString()).body());
    assertEquals(
        List.of(0, 0), requests().stream().map(RecordedRequest::getConnectionIndex).toList());
  }

  @Test
  void pushedResourceReachesTheHandlerOnce() throws Exception {
    server.enqueue(pushing(503));
    server.enqueue(pushing(502));
    server.enqueue(pushing(200));
    List<CompletableFuture<HttpResponse<String>>> pushed = new CopyOnWriteArrayList<>();

    HttpResponse<String> response =
        client()
            .sendAsync(
                put(),
                BodyHandlers.ofString(),
                (initiating, promise, acceptor) ->
                    pushed.add(acceptor.apply(BodyHandlers.ofString())))
            .get();

    assertEquals(200, response.statusCode());
    assertEquals(1, pushed.size());
    assertEquals("pushed", pushed.get(0).get().body());
  }

  private static MockResponse pushing(int code) {
    MockResponse style = new MockResponse.Builder().body("pushed").build();
    return new MockResponse.Builder()
        .code(code)
        .body("page")
        .addPush(new PushPromise("GET", "/style.css", Headers.of(":scheme", "https"), style))
        .build();
  }
}
