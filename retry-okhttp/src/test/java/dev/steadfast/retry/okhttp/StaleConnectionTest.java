package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.AttemptReport;
import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.scope.RetryScope;
import dev.steadfast.retry.scope.ScopeOptions;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import dev.steadfast.retry.testsupport.H2Server;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.SocketFactory;
import okhttp3.Call;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.internal.http2.ConnectionShutdownException;
import okhttp3.tls.HandshakeCertificates;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Pooled connections that the server closed while they were idle. */
class StaleConnectionTest {
  private static final Duration SOON = Duration.ofSeconds(10);

  @RegisterExtension private final Rig rig = new Rig();
  private Target target = rig.target(false);

  private void assertReported(int attempts, int deliveries) {
    assertEquals(deliveries, target.deliveries(), "deliveries at the server");
    assertEquals(deliveries, rig.recorder.deliveries(), "deliveries in the report");
    assertEquals(attempts, rig.recorder.attempts().size(), "attempts");
  }

  /** Fills the pool with connections that are closed at the other end. */
  private void stale(Call.Factory calls, int connections) throws Exception {
    CountDownLatch together = new CountDownLatch(connections);
    target.h1().whenRequest(request -> together.countDown());
    for (int i = 0; i < connections; i++) {
      target.h1().enqueue(Reply.status(200).body("warm").delayUntil(together).thenClose());
    }
    List<Entry.Answers> answers = new ArrayList<>();
    for (int i = 0; i < connections; i++) {
      Entry.Answers answer = new Entry.Answers();
      answers.add(answer);
      calls.newCall(target.get()).enqueue(answer);
    }
    for (Entry.Answers each : answers) {
      try (Response response = each.get()) {
        response.body().string();
      }
    }
    target.h1().awaitNoOpenConnections(SOON);
    target.h1().whenRequest(request -> {});
    target.forget();
    rig.recorder.forget();
  }

  @ParameterizedTest
  @EnumSource
  void keylessPostFindsALiveConnection(Entry entry) throws Exception {
    Call.Factory calls = rig.calls(entry, target.client(), rig.once());
    stale(calls, 5);

    assertEquals(200, entry.make(calls.newCall(target.post())).status());

    assertReported(1, 1);
    assertEquals("charge 5", target.h1().requests().get(5).bodyText());
  }

  /** It could not be sent again, so its connection is asked first. */
  @ParameterizedTest
  @EnumSource
  void aGetThatIsNotReplayableFindsALiveConnection(Entry entry) throws Exception {
    Call.Factory calls = rig.calls(entry, target.client(), rig.retry().build());
    stale(calls, 5);
    RetryOptions once = RetryOptions.builder().replayable(false).build();
    Request get = target.get().newBuilder().tag(RetryOptions.class, once).build();

    assertEquals(200, entry.make(calls.newCall(get)).status());

    assertReported(1, 1);
  }

  /** The layer above owns the retries, and only the key would make it safe to send it again. */
  @ParameterizedTest
  @EnumSource
  void underDoNotRetryAKeyedPostFindsALiveConnection(Entry entry) throws Exception {
    Call.Factory calls = rig.calls(entry, target.client(), rig.keyed());
    stale(calls, 5);
    Map<String, String> told = Map.of("Do-Not-Retry", "true");
    ScopeOptions options = ScopeOptions.builder().environment(rig.time.environment()).build();
    try (RetryScope scope = RetryScope.enter(told::get, null, options)) {
      assertEquals(200, entry.make(calls.newCall(target.post())).status());
      assertFalse(scope.gaveUp());
    }

    assertReported(1, 1);
  }

  /** A server that is restarted closes the connections of many requests at once. */
  @ParameterizedTest
  @EnumSource
  void theResendCostsNoBudget(Entry entry) throws Exception {
    HttpRetry withoutBudget = rig.retry().budget(RetryBudget.successFunded(0, 0, 0)).build();
    Call.Factory calls = rig.calls(entry, target.client(), withoutBudget);
    stale(calls, 5);

    assertEquals(200, entry.make(calls.newCall(target.get())).status());
  }

  /** One attempt finds the first dead connection, the one resend looks at the others first. */
  @ParameterizedTest
  @EnumSource
  void getIsResentOnceHoweverManyAreStale(Entry entry) throws Exception {
    Call.Factory calls =
        rig.calls(
            entry,
            target.client(),
            rig.retry().policy(RetryPolicy.noRetry()).budget(RetryBudget.perOrigin(0)).build());
    stale(calls, 5);

    assertEquals(200, entry.make(calls.newCall(target.get())).status());

    assertEquals(1, target.deliveries());
    assertEquals(2, rig.recorder.attempts().size());
    AttemptReport first = rig.recorder.attempts().get(0);
    assertEquals(FailureKind.STALE_CONNECTION, first.kind().orElseThrow());
    // The client cannot distinguish this from a server that took the request and crashed.
    assertEquals(Disposition.UNKNOWN, first.disposition());
  }

  @ParameterizedTest
  @EnumSource
  void aBodyThatCanBeWrittenOnceIsNotTouchedInVain(Entry entry) throws Exception {
    Call.Factory calls = rig.calls(entry, target.client(), rig.once());
    stale(calls, 1);
    AtomicInteger written = new AtomicInteger();
    Request request = target.post().newBuilder().post(Bodies.oneShot(written)).build();

    assertEquals(200, entry.make(calls.newCall(request)).status());

    assertReported(2, 1);
    assertEquals(1, written.get());
    assertEquals(Disposition.UNSENT, rig.recorder.attempts().get(0).disposition());
    assertFalse(rig.recorder.report().earlierAttemptMayHaveActed());
    assertEquals("once", target.h1().requests().get(1).bodyText());
  }

  @ParameterizedTest
  @EnumSource
  void goesOnByItselfWhereOkHttpMayNot(Entry entry) throws Exception {
    OkHttpClient.Builder builder = target.client().retryOnConnectionFailure(false);
    Call.Factory calls = rig.calls(entry, builder, rig.once());
    stale(calls, 1);

    assertEquals(200, entry.make(calls.newCall(target.post())).status());

    assertReported(2, 1);
  }

  /** OkHttp goes on to a new connection, and time is up while that one is made. */
  @Test
  void aPostThatIsGivenUpAfterwardsWasNotSent() throws Exception {
    Duration attempt = Duration.ofSeconds(2);
    AtomicBoolean slow = new AtomicBoolean();
    OkHttpClient.Builder builder =
        target
            .client()
            .socketFactory(
                new Sockets() {
                  @Override
                  public Socket createSocket() {
                    if (slow.getAndSet(false)) {
                      rig.time.advance(attempt);
                    }
                    return new Socket();
                  }
                });
    RetryPolicy policy = Calls.seconds().maxAttempts(2).attemptTimeout(attempt).build();
    Call.Factory calls = rig.calls(Entry.ENQUEUE, builder, rig.retry().policy(policy).build());
    stale(calls, 1);
    slow.set(true);

    Entry.Outcome got = Entry.ENQUEUE.make(calls.newCall(target.post()));

    assertFalse(slow.get());
    assertEquals(200, got.status(), got.toString());
    assertEquals(1, target.deliveries());
    assertEquals(Disposition.UNSENT, rig.recorder.attempts().get(0).disposition());
  }

  /** OkHttp makes sockets in one way. */
  abstract static class Sockets extends SocketFactory {
    @Override
    public final Socket createSocket(String host, int port) {
      throw new AssertionError();
    }

    @Override
    public final Socket createSocket(String host, int port, InetAddress from, int fromPort) {
      throw new AssertionError();
    }

    @Override
    public final Socket createSocket(InetAddress host, int port) {
      throw new AssertionError();
    }

    @Override
    public final Socket createSocket(InetAddress host, int port, InetAddress from, int fromPort) {
      throw new AssertionError();
    }
  }

  /** Two factories share one pool; what one has used is not fresh for the other. */
  @Test
  void knowsConnectionsThatAnotherFactoryUsed() throws Exception {
    OkHttpClient client = rig.client(target.client());
    stale(rig.factory(client, rig.once()), 1);

    Entry.Outcome got = Entry.EXECUTE.make(rig.factory(client, rig.once()).newCall(target.post()));

    assertEquals(200, got.status());
    assertReported(1, 1);
  }

  /** What a plain client has used is not fresh, either. */
  @ParameterizedTest
  @EnumSource
  void knowsAConnectionThatAPlainClientUsed(Entry entry) throws Exception {
    OkHttpClient plain = rig.client(target.client());
    stale(plain, 1);
    Call.Factory calls = rig.calls(entry, plain.newBuilder(), rig.once());

    Entry.Outcome got = entry.make(calls.newCall(target.post()));

    assertEquals(200, got.status(), got.toString());
    assertReported(1, 1);
  }

  /** To read from a new connection would take what such a server says first, each time. */
  @ParameterizedTest
  @EnumSource
  void aServerMaySpeakFirst(Entry entry) throws Exception {
    try (ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Thread server = new Thread(() -> speakFirst(listener), "speaks-first");
      server.setDaemon(true);
      server.start();
      Call.Factory calls = rig.calls(entry, Rig.builder(), rig.once());
      Request post =
          new Request.Builder()
              .url("http://127.0.0.1:" + listener.getLocalPort() + "/")
              .post(Rig.BODY)
              .build();

      assertEquals(503, entry.make(calls.newCall(post)).status());
      rig.close();
    }
  }

  private static void speakFirst(ServerSocket listener) {
    while (true) {
      try (Socket client = listener.accept()) {
        String answer = "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n";
        client.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
        client.getInputStream().transferTo(OutputStream.nullOutputStream());
      } catch (SocketException closed) {
        if (listener.isClosed()) {
          return;
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @Test
  void askingDoesNotHurtALiveConnection() {
    Call.Factory calls = rig.calls(Entry.EXECUTE, target.client(), rig.once());
    for (int i = 0; i < 20; i++) {
      assertEquals(200, Entry.EXECUTE.make(calls.newCall(target.post())).status());
    }
    assertEquals(1, target.h1().connectionsAccepted());
    assertReported(20, 20);
  }

  @Test
  void asksThroughTls() throws Exception {
    HeldCertificate certificate =
        new HeldCertificate.Builder().addSubjectAlternativeName("service.test").build();
    HandshakeCertificates ofServer =
        new HandshakeCertificates.Builder().heldCertificate(certificate).build();
    HandshakeCertificates ofClient =
        new HandshakeCertificates.Builder()
            .addTrustedCertificate(certificate.certificate())
            .build();
    target.close();
    try (ScriptedServer server = ScriptedServer.start(ofServer.sslContext())) {
      OkHttpClient.Builder builder =
          target.client().sslSocketFactory(ofClient.sslSocketFactory(), ofClient.trustManager());
      Call.Factory calls = rig.calls(Entry.EXECUTE, builder, rig.once());
      Request post =
          new Request.Builder()
              .url("https://service.test:" + server.port() + "/")
              .post(Rig.BODY)
              .build();
      for (int i = 0; i < 10; i++) {
        assertEquals(200, Entry.EXECUTE.make(calls.newCall(post)).status());
      }
      assertEquals(1, server.connectionsAccepted()); // session tickets are no end
      server.enqueue(Reply.status(200).thenClose());
      assertEquals(200, Entry.EXECUTE.make(calls.newCall(post)).status());
      server.awaitNoOpenConnections(SOON);

      assertEquals(200, Entry.EXECUTE.make(calls.newCall(post)).status());

      assertEquals(12, server.requests().size());
      assertEquals(12, rig.recorder.attempts().size());
      assertEquals(12, rig.recorder.deliveries());
      rig.close();
      server.assertNoLeaks();
    }
    target = rig.target(false);
  }

  /** HTTP/2: the server says goodbye between the choice of the connection and the request. */
  @ParameterizedTest
  @EnumSource
  void goAwayJustBeforeTheSendIsNoDelivery(Entry entry) throws Exception {
    target = rig.target(true);
    AtomicInteger plainSends = new AtomicInteger();
    Call.Factory plain = rig.plain(target.client().addNetworkInterceptor(goodbye(plainSends)));
    target.warmUp(plain);
    assertEquals(200, Entry.EXECUTE.make(plain.newCall(target.post())).status());
    assertEquals(1, target.deliveries());
    assertEquals(3, plainSends.get());

    AtomicInteger sends = new AtomicInteger();
    Call.Factory calls =
        rig.calls(entry, target.client().addNetworkInterceptor(goodbye(sends)), rig.once());
    target.warmUp(calls);
    rig.recorder.forget();

    Entry.Outcome got = entry.make(calls.newCall(target.post()));

    assertEquals(200, got.status(), got.toString());
    assertReported(1, 1);
    assertEquals(3, sends.get()); // the warm-up, the one in vain, the one
  }

  /** An interceptor makes a call of its own, and passes on what becomes of that. */
  @ParameterizedTest
  @EnumSource
  void theEndOfAnotherConnectionIsNotThatOfTheRequest(Entry entry) throws Exception {
    OkHttpClient.Builder builder =
        target
            .client()
            .addNetworkInterceptor(chain -> {
              try {
                return chain.proceed(chain.request());
              } catch (IOException lost) {
                throw new ConnectionShutdownException(); // of the call that reports it
              }
            });
    Call.Factory calls = rig.calls(entry, builder, rig.once());
    target.warmUp(calls);
    target.script(Fault.H1_FIN);

    Entry.Outcome got = entry.make(calls.newCall(target.post()));

    assertEquals(1, target.deliveries(), got.toString());
    assertInstanceOf(ConnectionShutdownException.class, got.failure());
    assertTrue(got.report().serverMayHaveActed());
  }

  /** An interceptor finds the connection dead, sends by other means, and throws. */
  @ParameterizedTest
  @EnumSource
  void aRequestThatAnInterceptorSendsInPlaceOfADeadConnectionIsNotSentAgain(Entry entry)
      throws Exception {
    OkHttpClient other = rig.client(target.client());
    OkHttpClient.Builder builder =
        target
            .client()
            .addNetworkInterceptor(chain -> {
              try {
                return chain.proceed(chain.request());
              } catch (IOException dead) {
                other.newCall(target.post()).execute().close();
                throw new IOException("the answer of the other client could not be read");
              }
            });
    Call.Factory calls = rig.calls(entry, builder, rig.retry().build());
    stale(calls, 1);

    Entry.Outcome got = entry.make(calls.newCall(target.post()));

    assertEquals(1, target.deliveries(), got.toString());
    assertEquals(StopReason.NOT_REPLAYABLE, got.report().reason());
    assertTrue(got.report().outcomeUnknown());
  }

  @ParameterizedTest
  @EnumSource
  void goAwayJustBeforeTheSendIsResentByUsWhereOkHttpMayNot(Entry entry) throws Exception {
    target = rig.target(true);
    OkHttpClient.Builder builder =
        target
            .client()
            .retryOnConnectionFailure(false)
            .addNetworkInterceptor(goodbye(new AtomicInteger()));
    Call.Factory calls = rig.calls(entry, builder, rig.once());
    target.warmUp(calls);
    rig.recorder.forget();

    assertEquals(200, entry.make(calls.newCall(target.post())).status());

    assertReported(2, 1);
    AttemptReport first = rig.recorder.attempts().get(0);
    assertEquals(FailureKind.STALE_CONNECTION, first.kind().orElseThrow());
    assertEquals(Disposition.UNSENT, first.disposition());
  }

  // The second request of all finds its connection closing.
  private Interceptor goodbye(AtomicInteger sends) {
    return chain -> {
      if (sends.incrementAndGet() == 2) {
        H2Server.Peer peer = target.h2().peer();
        peer.goAway(Integer.MAX_VALUE);
        try {
          peer.awaitRead();
        } catch (InterruptedException e) {
          throw new AssertionError(e);
        }
      }
      return chain.proceed(chain.request());
    };
  }

  @Test
  void aFreshConnectionIsNotAsked() {
    // The answer would be the same; the millisecond is saved. Told apart by what FIN means.
    target.script(Fault.H1_FIN);
    Call.Factory calls = rig.calls(Entry.EXECUTE, target.client(), rig.once());

    Entry.Outcome got = Entry.EXECUTE.make(calls.newCall(target.get()));

    assertEquals(-1, got.status());
    assertReported(1, 1);
    assertEquals(FailureKind.CONNECTION_LOST, rig.recorder.attempts().get(0).kind().orElseThrow());
    assertTrue(got.failure().getMessage().startsWith("unexpected end of stream"));
    assertNull(got.headers().get("Retry-After"));
  }
}
