package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.RetryReport.Effect;
import dev.steadfast.retry.RetryScheduler;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.Proxy;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import okhttp3.Call;
import okhttp3.Dispatcher;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.tls.HandshakeCertificates;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the caller gets at each end of an operation. */
class OutcomeTest {
  private final Rig rig = new Rig();
  private final Books books = new Books();
  private final ScriptedServer server = ScriptedServer.start();

  @AfterEach
  void leavesNothing() throws InterruptedException {
    rig.close();
    books.assertBalanced();
    server.assertNoLeaks();
    server.close();
  }

  private HttpRetry.Builder retry() {
    return rig.retry().policy(Calls.seconds().build()).budget(books).guard(books);
  }

  private Entry.Outcome make(Entry entry, HttpRetry.Builder retry) {
    return entry.make(calls(entry, retry).newCall(Calls.get(server)));
  }

  private Call.Factory calls(Entry entry, HttpRetry.Builder retry) {
    return rig.calls(entry, Rig.builder(), retry.build());
  }

  // ---- a response

  /** OkHttp hands it over as the answer, although the request asked for no upgrade. */
  @ParameterizedTest
  @EnumSource
  void anUpgradeThatNobodyAskedFor(Entry entry) {
    server.enqueue(Reply.partialHead("HTTP/1.1 101 Switching\r\nUpgrade: other\r\n\r\n"));
    Entry.Outcome got = entry.make(calls(entry, retry()).newCall(Calls.post(server)));
    assertEquals(101, got.status(), got.toString());
    assertEquals(StopReason.NOT_RETRYABLE, got.report().reason());
    assertEquals(Effect.UNKNOWN, got.report().effect(101));
  }

  // ---- an exception

  @ParameterizedTest
  @EnumSource
  void theLastExceptionUnchanged(Entry entry) {
    IOException own = new IOException("offline");
    Interceptor offline =
        chain -> {
          throw own;
        };
    OkHttpClient.Builder builder = Rig.builder();
    Call.Factory calls;
    if (entry == Entry.INTERCEPTOR) {
      calls = rig.client(RetryInterceptor.addTo(builder, retry().build()).addInterceptor(offline));
    } else {
      calls = rig.factory(rig.client(builder.addInterceptor(offline)), retry().build());
    }

    Entry.Outcome got = entry.make(calls.newCall(Calls.get(server)));

    assertSame(own, got.failure());
    assertEquals("offline", own.getMessage());
    assertEquals(StopReason.ATTEMPTS_EXHAUSTED, got.report().reason());
    assertEquals(3, got.report().attempts());
  }

  /** The same class as a read timeout; nothing was sent. */
  @ParameterizedTest
  @EnumSource
  void aConnectThatTakesTooLong(Entry entry) {
    OkHttpClient.Builder builder = Rig.builder().socketFactory(new NeverConnects());
    Call.Factory calls = rig.calls(entry, builder, retry().build());
    Entry.Outcome got = entry.make(calls.newCall(Calls.post(server)));
    assertInstanceOf(SocketTimeoutException.class, got.failure());
    // The exception does not say which server was not reached. A client that the user goes on
    // building may have followed a redirect unseen.
    boolean proven = entry != Entry.INTERCEPTOR;
    assertEquals(proven ? 3 : 1, got.report().attempts());
    assertEquals(
        proven ? StopReason.ATTEMPTS_EXHAUSTED : StopReason.NOT_REPLAYABLE, got.report().reason());
    assertEquals(!proven, got.report().serverMayHaveActed());
  }

  private static final class NeverConnects extends StaleConnectionTest.Sockets {
    @Override
    public Socket createSocket() {
      return new Socket() {
        @Override
        public void connect(SocketAddress endpoint, int timeout) throws IOException {
          throw new SocketTimeoutException("Connect timed out");
        }
      };
    }
  }

  @ParameterizedTest
  @EnumSource
  void anAnswerThatTakesTooLong(Entry entry) {
    OkHttpClient.Builder builder = Rig.builder().readTimeout(Duration.ofMillis(100));
    Call.Factory calls = rig.calls(entry, builder, retry().build());
    server.enqueue(Reply.stallAfterRequest());
    Entry.Outcome got = entry.make(calls.newCall(Calls.post(server)));
    assertInstanceOf(SocketTimeoutException.class, got.failure());
    assertEquals(StopReason.NOT_REPLAYABLE, got.report().reason());
    assertEquals(1, got.report().attempts());
    assertTrue(got.report().serverMayHaveActed());
    assertEquals(FailureKind.TIMEOUT, got.report().last().orElseThrow().kind().orElseThrow());
  }

  @ParameterizedTest
  @EnumSource
  void aNameThatDoesNotResolve(Entry entry) {
    OkHttpClient.Builder builder =
        Rig.builder()
            .dns(host -> {
              throw new UnknownHostException(host);
            });
    Call.Factory calls = rig.calls(entry, builder, retry().build());
    Request request = new Request.Builder().url("http://nowhere.test/").post(Rig.BODY).build();
    Entry.Outcome got = entry.make(calls.newCall(request));
    assertInstanceOf(UnknownHostException.class, got.failure());
    assertEquals(2, got.report().attempts()); // once more, no oftener
    assertEquals(FailureKind.DNS, rig.recorder.attempts().get(0).kind().orElseThrow());
  }

  @ParameterizedTest
  @EnumSource
  void aCertificateThatIsNotTrusted(Entry entry) throws Exception {
    HeldCertificate certificate =
        new HeldCertificate.Builder().addSubjectAlternativeName("127.0.0.1").build();
    HandshakeCertificates ofServer =
        new HandshakeCertificates.Builder().heldCertificate(certificate).build();
    try (ScriptedServer tls = ScriptedServer.start(ofServer.sslContext())) {
      Entry.Outcome got = entry.make(calls(entry, retry()).newCall(Calls.get(tls)));
      assertInstanceOf(SSLException.class, got.failure());
      assertEquals(StopReason.NOT_RETRYABLE, got.report().reason());
      assertEquals(1, got.report().attempts());
      assertEquals(FailureKind.TLS, got.report().last().orElseThrow().kind().orElseThrow());
      // A client that the user goes on building proves less.
      assertEquals(entry == Entry.INTERCEPTOR, got.report().serverMayHaveActed());
    }
  }

  @ParameterizedTest
  @EnumSource
  void aCertificateThatIsNotTrustedAfterARedirect(Entry entry) throws Exception {
    HeldCertificate certificate =
        new HeldCertificate.Builder().addSubjectAlternativeName("127.0.0.1").build();
    HandshakeCertificates ofServer =
        new HandshakeCertificates.Builder().heldCertificate(certificate).build();
    try (ScriptedServer tls = ScriptedServer.start(ofServer.sslContext())) {
      server.defaultReply(Reply.status(302).header("Location", tls.uri("/").toString()));
      Entry.Outcome got = make(entry, retry());
      assertInstanceOf(SSLException.class, got.failure());
      assertEquals(StopReason.NOT_RETRYABLE, got.report().reason());
      assertEquals(1, got.report().attempts());
      assertEquals(FailureKind.TLS, got.report().last().orElseThrow().kind().orElseThrow());
      assertEquals(1, server.requests().size());
    }
  }

  @ParameterizedTest
  @EnumSource
  void tlsToAServerWithoutIt(Entry entry) {
    try (Target cleartext = new Target(true)) {
      Request request =
          new Request.Builder().url("https://127.0.0.1:" + cleartext.h2().port() + "/").build();
      Entry.Outcome got = entry.make(calls(entry, retry()).newCall(request));
      assertInstanceOf(IOException.class, got.failure());
      // A client that the user goes on building proves less.
      assertEquals(entry == Entry.INTERCEPTOR, got.report().serverMayHaveActed());
      assertEquals(0, rig.recorder.deliveries());
    }
  }

  @ParameterizedTest
  @EnumSource
  void a204WithABody(Entry entry) {
    server.defaultReply(
        Reply.partialHead("HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\nno"));
    assertBreaksTheProtocol(entry);
  }

  @ParameterizedTest
  @EnumSource
  void aStatusThatIsNone(Entry entry) {
    server.defaultReply(Reply.partialHead("HTTP/1.1 99 X\r\n\r\n"));
    assertBreaksTheProtocol(entry);
  }

  @ParameterizedTest
  @EnumSource
  void aProxyThatRefusesATunnelIsAskedOnce(Entry entry) {
    server.defaultReply(Reply.status(403));
    Proxy proxy =
        new Proxy(
            Proxy.Type.HTTP,
            new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()));
    Call.Factory calls = rig.calls(entry, Rig.builder().proxy(proxy), retry().build());

    Entry.Outcome got =
        entry.make(calls.newCall(new Request.Builder().url("https://shop.invalid/").build()));

    assertEquals(StopReason.NOT_RETRYABLE, got.report().reason(), got.toString());
    assertEquals(1, server.requests().size());
    assertFalse(got.report().serverMayHaveActed());
  }

  private void assertBreaksTheProtocol(Entry entry) {
    Entry.Outcome got = make(entry, retry());
    assertInstanceOf(ProtocolException.class, got.failure());
    assertEquals(StopReason.NOT_RETRYABLE, got.report().reason());
    assertEquals(1, got.report().attempts());
    assertTrue(got.report().serverMayHaveActed());
    assertEquals(1, server.requests().size());
    assertEquals(1, rig.recorder.deliveries());
  }

  // ---- what others throw

  @ParameterizedTest
  @EnumSource(names = {"EXECUTE", "INTERCEPTOR"})
  void anInterceptorsBugIsThrownAsItIs(Entry entry) {
    IllegalStateException bug = new IllegalStateException("bug");
    Call call = rig.calls(entry, buggy(entry, bug), retry().build()).newCall(Calls.get(server));
    assertSame(bug, assertThrows(IllegalStateException.class, () -> entry.make(call)));
    RetryReport report = RetryReport.of(bug).orElseThrow();
    assertEquals(StopReason.NOT_RETRYABLE, report.reason());
    assertEquals(1, report.attempts());
  }

  private OkHttpClient.Builder buggy(Entry entry, RuntimeException bug) {
    OkHttpClient.Builder builder = Rig.builder();
    return entry == Entry.INTERCEPTOR
        ? builder.addNetworkInterceptor(chain -> {
          throw bug;
        })
        : builder.addInterceptor(chain -> {
          throw bug;
        });
  }

  /** As OkHttp does: the callback hears of it, and so does the thread's handler. */
  @Test
  void anInterceptorsBugOnADispatchersThread() throws Exception {
    IllegalStateException bug = new IllegalStateException("bug");
    LinkedBlockingQueue<Throwable> uncaught = new LinkedBlockingQueue<>();
    OkHttpClient.Builder builder = buggy(Entry.ENQUEUE, bug).dispatcher(reporting(uncaught));
    Call call = rig.calls(Entry.ENQUEUE, builder, retry().build()).newCall(Calls.get(server));

    Entry.Outcome got = Entry.ENQUEUE.make(call);

    assertEquals(
        "canceled due to java.lang.IllegalStateException: bug", got.failure().getMessage());
    Throwable behind =
        Calls.okHttp4() ? got.failure().getSuppressed()[0] : got.failure().getCause();
    assertSame(bug, behind);
    assertEquals(StopReason.NOT_RETRYABLE, got.report().reason());
    assertEquals(1, got.report().attempts());
    assertSame(bug, uncaught.poll(10, TimeUnit.SECONDS));
  }

  static Dispatcher reporting(LinkedBlockingQueue<Throwable> uncaught) {
    ExecutorService threads =
        Executors.newCachedThreadPool(work -> {
          Thread thread = new Thread(work, "reporting-dispatcher");
          thread.setUncaughtExceptionHandler((of, thrown) -> uncaught.add(thrown));
          return thread;
        });
    return new Dispatcher(threads);
  }

  // ---- rejected

  @Test
  void aDispatcherThatIsShutDown() {
    OkHttpClient client = rig.client(Rig.builder());
    client.dispatcher().executorService().shutdown();
    Call call = rig.factory(client, retry().build()).newCall(Calls.get(server));

    Entry.Outcome got = Entry.ENQUEUE.make(call);

    assertInstanceOf(InterruptedIOException.class, got.failure());
    assertEquals("executor rejected", got.failure().getMessage());
    assertEquals(StopReason.REJECTED, got.report().reason());
    assertEquals(0, got.report().attempts());
    assertEquals(0, server.connectionsAccepted());
  }

  /** Takes timers of attempts, and no waits. */
  private record NoWaits(RetryScheduler scheduler) implements RetryScheduler {
    @Override
    public boolean isVirtual() {
      return scheduler.isVirtual();
    }

    @Override
    public Task schedule(long delayNanos, Runnable task) {
      if (delayNanos == TimeUnit.SECONDS.toNanos(1)) {
        throw new RejectedExecutionException("no more");
      }
      return scheduler.schedule(delayNanos, task);
    }

    @Override
    public void execute(Runnable task) {
      scheduler.execute(task);
    }

    @Override
    public boolean await(CountDownLatch wake, long nanos) {
      throw new RejectedExecutionException("no more");
    }
  }

  @ParameterizedTest
  @EnumSource
  void aSchedulerThatTakesNoWaits(Entry entry) {
    server.enqueue(Reply.status(503));
    RetryEnvironment environment = rig.time.environment();
    HttpRetry retry =
        HttpRetry.builder()
            .environment(environment.withScheduler(new NoWaits(environment.scheduler())))
            .policy(Calls.seconds().build())
            .budget(books)
            .listener(rig.recorder)
            .build();

    Entry.Outcome got =
        entry.make(rig.calls(entry, Rig.builder(), retry).newCall(Calls.get(server)));

    assertEquals("the scheduler accepts no retry", got.failure().getMessage());
    assertInstanceOf(RejectedExecutionException.class, got.failure().getCause());
    assertEquals(StopReason.REJECTED, got.report().reason());
    assertEquals(1, books.refunded.get());
  }
}
