package dev.steadfast.retry.okhttp;

import static dev.steadfast.retry.tck.internal.SilentPaths.LONG;
import static dev.steadfast.retry.tck.internal.SilentPaths.LOSES_FIRST;
import static dev.steadfast.retry.tck.internal.SilentPaths.PATIENT;
import static dev.steadfast.retry.tck.internal.SilentPaths.SHORT;
import static dev.steadfast.retry.tck.internal.SilentPaths.times;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.AttemptReport;
import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.OtherPath;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.tck.internal.SilentPaths;
import dev.steadfast.retry.tck.internal.SwallowingProxy;
import dev.steadfast.retry.tck.internal.SwallowingProxy.Swallowed;
import dev.steadfast.retry.testsupport.Tls;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import okhttp3.Call;
import okhttp3.CertificatePinner;
import okhttp3.Dns;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okhttp3.mockwebserver.Dispatcher;
import okhttp3.mockwebserver.MockResponse;
import okhttp3.mockwebserver.MockWebServer;
import okhttp3.mockwebserver.RecordedRequest;
import okhttp3.mockwebserver.SocketPolicy;
import okhttp3.tls.HandshakeCertificates;
import okhttp3.tls.HeldCertificate;
import okio.BufferedSink;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The other connection with what a client may have around it: certificates, tunnels, DNS, its own
 * timeouts. HTTP/2 through a proxy that swallows the bytes of connections.
 */
class DeadPathSurroundingsTest {
  private static final HeldCertificate STRANGE =
      new HeldCertificate.Builder().addSubjectAlternativeName("localhost").build();

  private final MockWebServer server = new MockWebServer();
  private final MockWebServer otherServer = new MockWebServer();
  private final List<OkHttpClient> clients = new ArrayList<>();
  private SwallowingProxy proxy;
  private Consumer<AttemptReport> whenAttemptEnds = attempt -> {};
  private volatile boolean tunnelOpen;

  /** A server over TLS. */
  private void startWithTls(boolean tunnel, boolean asksForCertificate) throws IOException {
    server.useHttps(Tls.LOOPBACK.sslSocketFactory(), tunnel);
    server.setProtocols(Arrays.asList(Protocol.HTTP_2, Protocol.HTTP_1_1));
    if (asksForCertificate) {
      server.requireClientAuth();
    }
    serve(tunnel);
  }

  private void start() throws IOException {
    serve(false);
  }

  private void serve(boolean tunnel) throws IOException {
    server.setDispatcher(
        new Dispatcher() {
          @Override
          public MockResponse peek() {
            return tunnel && !tunnelOpen ? opensTunnel() : super.peek();
          }

          @Override
          public MockResponse dispatch(RecordedRequest request) {
            return answer(request);
          }
        });
    server.start(InetAddress.getLoopbackAddress(), 0);
    proxy = SwallowingProxy.before(server.getPort());
  }

  private MockResponse answer(RecordedRequest request) {
    if ("CONNECT".equals(request.getMethod())) {
      tunnelOpen = true;
      return opensTunnel();
    }
    if ("/half".equals(request.getPath())) {
      return new MockResponse().setBody("served").throttleBody(3, 2, TimeUnit.SECONDS);
    }
    return new MockResponse().setBody("served");
  }

  private static MockResponse opensTunnel() {
    return new MockResponse().setSocketPolicy(SocketPolicy.UPGRADE_TO_SSL_AT_END).clearHeaders();
  }

  @AfterEach
  void stop() throws IOException {
    for (OkHttpClient client : clients) {
      client.dispatcher().executorService().shutdown();
      client.connectionPool().evictAll();
    }
    proxy.close();
    otherServer.close();
    server.close();
  }

  private HttpRetry.Builder retry() {
    return HttpRetry.builder()
        .policy(PATIENT)
        .budget(RetryBudget.unlimited())
        .listener(
            new RetryListener() {
              @Override
              public void attemptEnded(OperationInfo operation, AttemptReport attempt) {
                whenAttemptEnds.accept(attempt);
              }
            });
  }

  private static OkHttpClient.Builder client() {
    return Rig.builder()
        .sslSocketFactory(Tls.LOOPBACK.sslSocketFactory(), Tls.LOOPBACK.trustManager());
  }

  private Call.Factory calls(OkHttpClient.Builder builder, HttpRetry retry) {
    OkHttpClient client = builder.build();
    clients.add(client);
    return RetryingCallFactory.wrap(client, retry);
  }

  private Entry.Outcome get(Call.Factory calls, String path, RetryPolicy policy) {
    return make(calls, request("https", proxy.port(), path), policy);
  }

  private static Request.Builder request(String scheme, int port, String path) {
    return new Request.Builder().url(scheme + "://localhost:" + port + path);
  }

  private static Entry.Outcome make(Call.Factory calls, Request.Builder request, RetryPolicy with) {
    return make(Entry.EXECUTE, calls, request, with);
  }

  private static Entry.Outcome make(
      Entry entry, Call.Factory calls, Request.Builder request, RetryPolicy with) {
    RetryOptions options = RetryOptions.builder().policy(with).build();
    return entry.make(calls.newCall(request.tag(RetryOptions.class, options).build()));
  }

  private static void assertServed(Entry.Outcome got, OtherPath... paths) {
    assertEquals(200, got.status(), got.toString());
    assertEquals(Arrays.asList(paths), paths(got), got.toString());
  }

  private static List<OtherPath> paths(Entry.Outcome got) {
    return SilentPaths.taken(got.report());
  }

  /** A head is a sign of life, so only the attempt after it finds the connection silent. */
  @Test
  void connectionThatDiesInTheMiddleOfAnAnswer() throws IOException {
    startWithTls(false, false);
    AtomicBoolean died = new AtomicBoolean();
    OkHttpClient.Builder builder =
        client()
            .addNetworkInterceptor(chain -> {
              Response response = chain.proceed(chain.request());
              if (chain.request().url().encodedPath().equals("/half")
                  && died.compareAndSet(false, true)) {
                proxy.swallow(Swallowed.ALL);
              }
              return response;
            });
    Call.Factory calls = calls(builder, retry().bufferBodiesUpTo(1_000).build());
    get(calls, "/", PATIENT);

    Entry.Outcome got = get(calls, "/half", times(Duration.ofSeconds(1), SHORT, LONG));

    assertServed(got, null, null, OtherPath.SILENT_CONNECTION);
  }

  @Test
  void otherConnectionHasTheClientsCertificate() throws IOException {
    startWithTls(false, true);
    Call.Factory calls = calls(client(), retry().build());
    get(calls, "/", PATIENT);
    proxy.swallow(Swallowed.ALL);

    assertServed(get(calls, "/", LOSES_FIRST), null, OtherPath.SILENT_CONNECTION);
  }

  @Test
  void tunnelThroughTheProxyOfTheClient() throws IOException {
    startWithTls(true, false);
    Proxy tunnel =
        new Proxy(
            Proxy.Type.HTTP, new InetSocketAddress(InetAddress.getLoopbackAddress(), proxy.port()));
    Call.Factory calls = calls(client().proxy(tunnel), retry().build());
    make(calls, request("https", 4433, "/"), PATIENT);
    tunnelOpen = false;
    proxy.swallow(Swallowed.ALL);

    Entry.Outcome got = make(calls, request("https", 4433, "/"), LOSES_FIRST);

    assertServed(got, null, OtherPath.SILENT_CONNECTION);
    assertEquals(2, proxy.opened());
  }

  @Test
  void http2WithoutTls() throws IOException {
    server.setProtocols(List.of(Protocol.H2_PRIOR_KNOWLEDGE));
    start();
    OkHttpClient.Builder plain = Rig.builder().protocols(List.of(Protocol.H2_PRIOR_KNOWLEDGE));
    Call.Factory calls = calls(plain, retry().build());
    make(calls, request("http", proxy.port(), "/"), PATIENT);
    proxy.swallow(Swallowed.ALL);

    Entry.Outcome got = make(calls, request("http", proxy.port(), "/"), LOSES_FIRST);

    assertServed(got, null, OtherPath.SILENT_CONNECTION);
  }

  @Test
  void readTimeoutOfTheClient() throws IOException {
    startWithTls(false, false);
    RetryPolicy policy =
        RetryPolicy.builder().backoff(Backoff.none()).totalTimeout(Duration.ofSeconds(60)).build();
    OkHttpClient.Builder builder = client().readTimeout(Duration.ofSeconds(2));
    Call.Factory calls = calls(builder, retry().policy(policy).build());
    get(calls, "/", policy);
    proxy.swallow(Swallowed.ALL);

    assertServed(get(calls, "/", policy), null, OtherPath.SILENT_CONNECTION);
  }

  /** New connections lead to another server from now on; this one comes back once it was tried. */
  private void startOther(HeldCertificate certificate, int status) throws IOException {
    otherServer.useHttps(
        new HandshakeCertificates.Builder().heldCertificate(certificate).build().sslSocketFactory(),
        false);
    otherServer.setDispatcher(
        new Dispatcher() {
          @Override
          public MockResponse dispatch(RecordedRequest request) {
            return new MockResponse().setResponseCode(status).setBody("refused");
          }
        });
    otherServer.start(InetAddress.getLoopbackAddress(), 0);
    proxy.leadNewTo(otherServer.getPort());
    whenAttemptEnds =
        attempt -> {
          if (attempt.otherPath().isPresent()) {
            proxy.comeBack();
          }
        };
  }

  /** It costs the operation none of its two attempts, and the origin is left alone. */
  private void assertLeftAloneAfterRefusal(Entry entry, Call.Factory calls) {
    RetryPolicy two = LOSES_FIRST.toBuilder().maxAttempts(2).build();
    Request.Builder request = request("https", proxy.port(), "/");

    assertServed(make(entry, calls, request, two), null, OtherPath.SILENT_CONNECTION, null);

    proxy.swallow(Swallowed.ALL);
    Entry.Outcome next = make(entry, calls, request, times(SHORT, SHORT, SHORT));
    assertEquals(Arrays.asList(null, null, null), paths(next), next.toString());
    assertEquals(2, proxy.opened());
  }

  @ParameterizedTest
  @EnumSource(names = {"EXECUTE", "ENQUEUE"})
  void tlsThatTheOtherPathRefusesIsNeverTheResult(Entry entry) throws IOException {
    startWithTls(false, false);
    Call.Factory calls = calls(client(), retry().build());
    get(calls, "/", PATIENT);
    proxy.swallow(Swallowed.ALL);
    startOther(STRANGE, 200);

    assertLeftAloneAfterRefusal(entry, calls);
  }

  /** Both certificates are trusted, and one of them is pinned. */
  @Test
  void pinThatTheOtherPathLacksIsNeverTheResult() throws IOException {
    startWithTls(false, false);
    HandshakeCertificates both =
        new HandshakeCertificates.Builder()
            .addTrustedCertificate(Tls.CERTIFICATE.certificate())
            .addTrustedCertificate(STRANGE.certificate())
            .build();
    OkHttpClient.Builder pinning =
        Rig.builder()
            .sslSocketFactory(both.sslSocketFactory(), both.trustManager())
            .certificatePinner(
                new CertificatePinner.Builder()
                    .add("localhost", CertificatePinner.pin(Tls.CERTIFICATE.certificate()))
                    .build());
    Call.Factory calls = calls(pinning, retry().build());
    get(calls, "/", PATIENT);
    proxy.swallow(Swallowed.ALL);
    startOther(STRANGE, 200);

    assertLeftAloneAfterRefusal(Entry.EXECUTE, calls);
    assertEquals(0, otherServer.getRequestCount());
  }

  @ParameterizedTest
  @ValueSource(ints = {426, 464, 505})
  void protocolThatTheOtherPathRefusesIsNeverTheResult(int status) throws IOException {
    startWithTls(false, false);
    Call.Factory calls = calls(client(), retry().build());
    get(calls, "/", PATIENT);
    proxy.swallow(Swallowed.ALL);
    startOther(Tls.CERTIFICATE, status);

    assertLeftAloneAfterRefusal(Entry.EXECUTE, calls);
  }

  /** What refuses a protocol on the usual path is an answer like any other. */
  @Test
  void protocolThatTheUsualPathRefusesIsTheResult() throws IOException {
    startWithTls(false, false);
    Call.Factory calls = calls(client(), retry().build());
    startOther(Tls.CERTIFICATE, 426);

    Entry.Outcome got = get(calls, "/", PATIENT);

    assertEquals(426, got.status(), got.toString());
    assertEquals(1, otherServer.getRequestCount());
  }

  @Test
  void executorThatIsShutDownEndsTheOtherPath() throws Exception {
    startWithTls(false, false);
    OkHttpClient.Builder builder = client().dispatcher(new okhttp3.Dispatcher());
    Call.Factory calls = calls(builder, retry().build());
    get(calls, "/", PATIENT);
    proxy.swallow(Swallowed.ALL);
    whenAttemptEnds = attempt -> clients.get(0).dispatcher().executorService().shutdown();

    Entry.Outcome got =
        make(Entry.ENQUEUE, calls, request("https", proxy.port(), "/"), LOSES_FIRST);

    assertEquals(-1, got.status(), got.toString());
    assertEquals(1, proxy.opened(), got.toString());
    // The call is off the dispatcher's books only after its callback.
    ExecutorService executor = clients.get(0).dispatcher().executorService();
    assertTrue(executor.awaitTermination(20, TimeUnit.SECONDS));
    assertEquals(0, clients.get(0).dispatcher().runningCallsCount());
  }

  @Test
  void deadlineEndsTheOtherPath() throws IOException {
    startWithTls(false, false);
    Call.Factory calls = calls(client(), retry().build());
    get(calls, "/", PATIENT);
    proxy.swallow(Swallowed.ALL);
    proxy.swallowNew(true);

    RetryPolicy total = LOSES_FIRST.toBuilder().totalTimeout(Duration.ofSeconds(1)).build();
    Entry.Outcome got = get(calls, "/", total);

    assertEquals(StopReason.DEADLINE, got.report().reason(), got.toString());
    assertEquals(Arrays.asList(null, OtherPath.SILENT_CONNECTION), paths(got), got.toString());
  }

  @Test
  void bodyThatCanBeSentOnceIsRepeatedNowhere() throws IOException {
    startWithTls(false, false);
    Call.Factory calls = calls(client(), retry().build());
    get(calls, "/", PATIENT);
    proxy.swallow(Swallowed.ALL);
    RequestBody once =
        new RequestBody() {
          @Override
          public okhttp3.MediaType contentType() {
            return null;
          }

          @Override
          public boolean isOneShot() {
            return true;
          }

          @Override
          public void writeTo(BufferedSink sink) throws IOException {
            sink.writeUtf8("once");
          }
        };

    Entry.Outcome got =
        make(calls, request("https", proxy.port(), "/").put(once), times(SHORT, SHORT, SHORT));

    assertEquals(StopReason.BODY_NOT_REPEATABLE, got.report().reason(), got.toString());
    assertEquals(1, proxy.opened());
  }

  /** The spare connection has been idle for longer than it is trusted, and has died as well. */
  @Test
  void idleSpareConnectionThatIsDeadTooIsNotUsed() throws IOException {
    startWithTls(false, false);
    AtomicLong ahead = new AtomicLong();
    RetryEnvironment system = RetryEnvironment.system();
    RetryEnvironment clock =
        new RetryEnvironment(
            () -> System.nanoTime() + ahead.get(),
            system.clock(),
            system.random(),
            system.scheduler());
    Call.Factory calls = calls(client(), retry().environment(clock).build());
    get(calls, "/", PATIENT);
    proxy.swallow(Swallowed.ALL);
    assertServed(get(calls, "/", LOSES_FIRST), null, OtherPath.SILENT_CONNECTION);
    proxy.swallow(Swallowed.ALL);
    ahead.addAndGet(TimeUnit.SECONDS.toNanos(2));

    assertServed(get(calls, "/", LOSES_FIRST), null, OtherPath.SILENT_CONNECTION);
    assertEquals(3, proxy.opened());
  }

  /** The other path asks the client's DNS again, and a failure there changes no suspicion. */
  @Test
  void dnsThatFailsOnce() throws IOException {
    startWithTls(false, false);
    AtomicInteger asked = new AtomicInteger();
    Dns dns =
        host -> {
          if (asked.incrementAndGet() == 2) {
            throw new UnknownHostException(host);
          }
          return List.of(InetAddress.getLoopbackAddress());
        };
    Call.Factory calls = calls(client().dns(dns), retry().build());
    get(calls, "/", PATIENT);
    proxy.swallow(Swallowed.ALL);

    Entry.Outcome got = get(calls, "/", times(SHORT, LONG, LONG));

    assertServed(got, null, OtherPath.SILENT_CONNECTION, OtherPath.SILENT_CONNECTION);
    assertEquals(3, asked.get());
  }

  /** Both are silent, so it is the server: it gets no connection for each attempt. */
  @Test
  void handshakeThatIsSwallowedOnTheOtherPathIsSilence() throws IOException {
    startWithTls(false, false);
    Call.Factory calls = calls(client(), retry().build());
    get(calls, "/", PATIENT);
    proxy.swallow(Swallowed.ALL);
    proxy.swallowNew(true);

    Entry.Outcome got = get(calls, "/", times(SHORT, SHORT, SHORT));

    assertEquals(
        Arrays.asList(null, OtherPath.SILENT_CONNECTION, null), paths(got), got.toString());
  }
}
