package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.tck.Received;
import dev.steadfast.retry.tck.Reply;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import okhttp3.Authenticator;
import okhttp3.Call;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okhttp3.mockwebserver.MockResponse;
import okhttp3.mockwebserver.MockWebServer;
import okhttp3.tls.HandshakeCertificates;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Addresses, proxies, coalesced connections, and the two steps of a request that asks first. */
class WireRouteTest {
  @RegisterExtension private final Rig rig = new Rig();
  private Target target = rig.target(false);

  private void assertReported(int deliveries) {
    assertEquals(deliveries, target.deliveries(), "deliveries at the server");
    assertEquals(deliveries, rig.recorder.deliveries(), "deliveries in the report");
  }

  // ---- addresses

  @ParameterizedTest
  @MethodSource("dev.steadfast.retry.okhttp.WireStatusTest#protocolsAndEntries")
  void goesPastADeadAddress(boolean h2, Entry entry) {
    target = rig.target(h2);
    Call.Factory calls = rig.calls(entry, target.clientOfDeadFirst(), rig.once());

    Entry.Outcome got = entry.make(calls.newCall(target.post()));

    assertEquals(200, got.status(), got.toString());
    assertReported(1);
    assertEquals(1, rig.recorder.attempts().size());
  }

  private static final String FIRST = "127.0.0.1";

  private OkHttpClient.Builder firstRefuses() {
    target = rig.target(true);
    target.h2().refuseAt(FIRST);
    return target.clientOfTwo();
  }

  @Test
  void plainOkHttpGoesPastAnAddressThatRefuses() {
    Call.Factory plain = rig.plain(firstRefuses());

    assertEquals(200, Entry.EXECUTE.make(plain.newCall(target.post())).status());
  }

  /** A refused stream was not processed: a POST without a key goes on, too, and all is counted. */
  @ParameterizedTest
  @EnumSource
  void goesPastAnAddressThatRefuses(Entry entry) {
    Call.Factory calls = rig.calls(entry, firstRefuses(), rig.once());

    Entry.Outcome got = entry.make(calls.newCall(target.post()));

    assertEquals(200, got.status(), got.toString());
    assertEquals(1, rig.recorder.attempts().size());
    assertReported(3); // OkHttp asks the first address twice
  }

  @ParameterizedTest
  @EnumSource
  void goesPastAPooledConnectionThatRefuses(Entry entry) throws Exception {
    target = rig.target(true);
    Call.Factory calls = rig.calls(entry, target.clientOfTwo(), rig.once());
    target.warmUp(calls);
    rig.recorder.forget();
    target.h2().refuseAt(FIRST);

    Entry.Outcome got = entry.make(calls.newCall(target.post()));

    assertEquals(200, got.status(), got.toString());
    assertReported(5); // the pooled connection twice, a new one to the first address twice
  }

  @ParameterizedTest
  @EnumSource
  void stopsWhenAllAddressesHaveRefused(Entry entry) {
    Call.Factory calls = rig.calls(entry, firstRefuses(), rig.once());
    target.h2().refuseAt(SecondAddress.ADDRESS);

    Entry.Outcome got = entry.make(calls.newCall(target.post()));

    assertNotNull(got.failure());
    assertEquals(StopReason.ATTEMPTS_EXHAUSTED, got.report().reason());
    assertFalse(got.report().serverMayHaveActed());
    assertEquals(1, rig.recorder.attempts().size());
    assertReported(3);
  }

  @ParameterizedTest
  @EnumSource
  void aBodyThatCanBeWrittenOnceDoesNotGoToTheNextAddress(Entry entry) {
    Call.Factory calls = rig.calls(entry, firstRefuses(), rig.retry().build());
    RequestBody once = Bodies.oneShot(new AtomicInteger());

    Entry.Outcome got = entry.make(calls.newCall(target.post().newBuilder().post(once).build()));

    assertNotNull(got.failure());
    assertEquals(StopReason.BODY_NOT_REPEATABLE, got.report().reason());
    assertFalse(got.report().serverMayHaveActed());
    assertReported(1);
  }

  // ---- proxies

  private OkHttpClient.Builder throughProxy() {
    InetSocketAddress address =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), target.h1().port());
    Authenticator password =
        (route, response) ->
            response.request().header("Proxy-Authorization") != null
                ? null
                : response.request().newBuilder().header("Proxy-Authorization", "Basic x").build();
    return Rig.builder().proxy(new Proxy(Proxy.Type.HTTP, address)).proxyAuthenticator(password);
  }

  private static Request toNowhere() {
    return new Request.Builder().url("http://nowhere.test/charge").post(Rig.BODY).build();
  }

  @ParameterizedTest
  @EnumSource
  void proxyAuthenticationSendsTheBodyAgain(Entry entry) {
    Call.Factory calls = rig.calls(entry, throughProxy(), rig.once());
    target.script(407, "Proxy-Authenticate", "Basic realm=\"x\"");

    assertEquals(200, entry.make(calls.newCall(toNowhere())).status());

    assertReported(2);
    List<Received> requests = target.h1().requests();
    assertEquals("http://nowhere.test/charge", requests.get(1).target());
    requests.forEach(each -> assertEquals("charge 5", each.bodyText()));
  }

  @ParameterizedTest
  @EnumSource
  void aLostSecondRequestToAProxyIsNotSentAgain(Entry entry) {
    Call.Factory calls = rig.calls(entry, throughProxy(), rig.retry().build());
    target.script(407, "Proxy-Authenticate", "Basic realm=\"x\"");
    target.script(Fault.H1_FIN);

    assertNotNull(entry.make(calls.newCall(toNowhere())).failure());

    assertReported(2);
  }

  @ParameterizedTest
  @EnumSource
  void retriesThroughAProxy(Entry entry) {
    Call.Factory calls = rig.calls(entry, throughProxy(), rig.keyed());
    target.script(503, "Retry-After", "0");
    target.script(Fault.H1_FIN);

    assertEquals(200, entry.make(calls.newCall(toNowhere())).status());

    assertReported(3);
  }

  /** As a 407 is final that is not the answer to a CONNECT. */
  @ParameterizedTest
  @EnumSource
  void aRefusedPasswordIsNotTriedAgain(Entry entry) {
    Call.Factory calls = rig.calls(entry, throughProxy(), rig.retry().build());
    target.h1().defaultReply(Reply.status(407).header("Proxy-Authenticate", "Basic realm=\"x\""));
    Request request = toNowhere().newBuilder().url("https://nowhere.test/charge").build();

    Entry.Outcome got = entry.make(calls.newCall(request));

    assertEquals("Failed to authenticate with proxy", got.failure().getMessage());
    assertEquals(StopReason.NOT_RETRYABLE, got.report().reason());
    // A client that the user goes on building proves less.
    assertEquals(entry == Entry.INTERCEPTOR, got.report().serverMayHaveActed());
    assertEquals(1, target.h1().requests().size());
  }

  // ---- Expect: 100-continue

  @ParameterizedTest
  @EnumSource
  void aHeadThatIsLostCountsAsSent(Entry entry) throws IOException {
    AtomicInteger heads = new AtomicInteger();
    Request request = target.post().newBuilder().header("Expect", "100-continue").build();
    Call.Factory plain = rig.plain(target.client());
    target.warmUp(plain);
    loseHeads(heads, 1);
    assertEquals(200, Entry.EXECUTE.make(plain.newCall(request)).status());
    assertEquals(2, heads.get()); // so this test can fail

    Call.Factory calls = rig.calls(entry, target.client(), rig.once());
    target.warmUp(calls);
    rig.recorder.forget();
    heads.set(0);
    loseHeads(heads, 1);

    Entry.Outcome got = entry.make(calls.newCall(request));

    assertNotNull(got.failure());
    assertEquals(1, heads.get());
    assertEquals(1, rig.recorder.deliveries());
    assertEquals(StopReason.NOT_REPLAYABLE, got.report().reason());
  }

  private void loseHeads(AtomicInteger heads, int losses) {
    target
        .h1()
        .routeByHead(head ->
            head.header("Expect").isPresent() && heads.incrementAndGet() <= losses
                ? Reply.closeOnHead()
                : null);
  }

  // ---- 421

  /**
   * RFC 9110 section 15.5.20 allows it for any method; the second connection is not a coalesced
   * one. OkHttp follows, and both deliveries are counted.
   */
  @ParameterizedTest
  @EnumSource
  void aMisdirectedRequestGoesToItsOwnConnection(Entry entry) throws Exception {
    try (MockWebServer server = coalescing()) {
      Call.Factory plain = rig.plain(coalesced());
      assertEquals(200, misdirected(server, plain, Entry.EXECUTE, Rig.BODY));
      assertEquals(3, server.getRequestCount());

      Call.Factory calls = rig.calls(entry, coalesced(), rig.once());
      assertEquals(200, misdirected(server, calls, entry, Rig.BODY));

      assertEquals(6, server.getRequestCount());
      assertEquals(
          List.of(1, 2),
          rig.recorder.attempts().stream().map(each -> each.deliveries().orElseThrow()).toList());
      rig.close();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aMisdirectedBodyThatIsGoneIsNotSentAgain(Entry entry) throws Exception {
    try (MockWebServer server = coalescing()) {
      Call.Factory calls = rig.calls(entry, coalesced(), rig.once());
      assertEquals(421, misdirected(server, calls, entry, Bodies.oneShot(new AtomicInteger())));

      assertEquals(2, server.getRequestCount());
      assertEquals(2, rig.recorder.deliveries());
      rig.close();
    }
  }

  private HandshakeCertificates trusted;

  private MockWebServer coalescing() throws IOException {
    HeldCertificate certificate =
        new HeldCertificate.Builder()
            .addSubjectAlternativeName("one.test")
            .addSubjectAlternativeName("two.test")
            .build();
    trusted =
        new HandshakeCertificates.Builder()
            .heldCertificate(certificate)
            .addTrustedCertificate(certificate.certificate())
            .build();
    MockWebServer server = new MockWebServer();
    server.useHttps(trusted.sslSocketFactory(), false);
    server.start(InetAddress.getLoopbackAddress(), 0);
    return server;
  }

  private OkHttpClient.Builder coalesced() {
    return Rig.builder()
        .dns(host -> List.of(InetAddress.getLoopbackAddress()))
        .sslSocketFactory(trusted.sslSocketFactory(), trusted.trustManager());
  }

  /** A request to one name, and one to the other on the same connection, which answers 421. */
  private static int misdirected(
      MockWebServer server, Call.Factory calls, Entry entry, RequestBody body) throws IOException {
    server.enqueue(new MockResponse());
    server.enqueue(new MockResponse().setResponseCode(421));
    server.enqueue(new MockResponse());
    try (Response first = calls.newCall(to(server, "one.test", Rig.BODY)).execute()) {
      assertEquals("h2", first.protocol().toString());
      assertEquals(200, first.code());
      first.body().string();
    }
    return entry.make(calls.newCall(to(server, "two.test", body))).status();
  }

  private static Request to(MockWebServer server, String host, RequestBody body) {
    return new Request.Builder()
        .url("https://" + host + ":" + server.getPort() + "/")
        .post(body)
        .build();
  }

  /** None is answered before all of them are on their registry. */
  @ParameterizedTest
  @EnumSource
  void callsAtOnceHaveTheirOwnWires(Entry entry) throws Exception {
    int calls = 4;
    Call.Factory factory = rig.calls(entry, target.client(), rig.keyed());
    CountDownLatch together = new CountDownLatch(calls);
    target.h1().whenRequest(request -> together.countDown());
    target
        .h1()
        .enqueue(
            Reply.status(503).delayUntil(together),
            Reply.closeAfterRequest().delayUntil(together),
            Reply.status(200).delayUntil(together),
            Reply.status(200).delayUntil(together));
    ExecutorService threads = Executors.newFixedThreadPool(calls);
    List<Future<Entry.Outcome>> made = new ArrayList<>();
    for (int i = 0; i < calls; i++) {
      made.add(threads.submit(() -> entry.make(factory.newCall(target.post()))));
    }
    threads.shutdown();
    for (Future<Entry.Outcome> each : made) {
      assertEquals(200, each.get().status());
    }

    assertReported(6);
  }
}
