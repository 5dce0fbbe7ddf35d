package dev.steadfast.retry.httpclient;

import static dev.steadfast.retry.tck.internal.SilentPaths.LONG;
import static dev.steadfast.retry.tck.internal.SilentPaths.LOSES_FIRST;
import static dev.steadfast.retry.tck.internal.SilentPaths.PATIENT;
import static dev.steadfast.retry.tck.internal.SilentPaths.SHORT;
import static dev.steadfast.retry.tck.internal.SilentPaths.taken;
import static dev.steadfast.retry.tck.internal.SilentPaths.times;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.AttemptReport;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.OtherPath;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.RetryScheduler;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.tck.internal.SwallowingProxy;
import dev.steadfast.retry.tck.internal.SwallowingProxy.Swallowed;
import dev.steadfast.retry.testsupport.Tls;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import mockwebserver3.Dispatcher;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.RecordedRequest;
import okhttp3.tls.HandshakeCertificates;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The second client with what the first may have around it: certificates, tunnels, and its end.
 * HTTP/2 over TLS through a proxy that swallows the bytes of connections.
 */
class DeadPathSurroundingsTest {
  private static final HeldCertificate STRANGE =
      new HeldCertificate.Builder().addSubjectAlternativeName("localhost").build();
  private static final RetryEnvironment SYSTEM = RetryEnvironment.system();

  private final MockWebServer server = new MockWebServer();
  private final MockWebServer otherServer = new MockWebServer();
  private final AtomicLong ahead = new AtomicLong();
  private SwallowingProxy proxy;
  private RetryingHttpClient client;
  private Consumer<AttemptReport> whenAttemptEnds = attempt -> {};
  private boolean proxied; // through a tunnel
  private volatile boolean tunnelOpen;

  private void start() throws IOException {
    server.useHttps(Tls.LOOPBACK.sslSocketFactory());
    server.setDispatcher(
        new Dispatcher() {
          @Override
          public MockResponse dispatch(RecordedRequest request) {
            if ("CONNECT".equals(request.getMethod())) {
              tunnelOpen = true;
              return new MockResponse.Builder().inTunnel().build();
            }
            MockResponse.Builder answer = new MockResponse.Builder().body("served");
            return "/half".equals(request.getTarget())
                ? answer.throttleBody(3, 2, TimeUnit.SECONDS).build()
                : answer.build();
          }

          @Override
          public MockResponse peek() {
            return proxied && !tunnelOpen
                ? new MockResponse.Builder().inTunnel().build()
                : super.peek();
          }
        });
    server.start(InetAddress.getLoopbackAddress(), 0);
    proxy = SwallowingProxy.before(server.getPort());
  }

  @AfterEach
  void stop() {
    client.shutdownNow();
    proxy.close();
    otherServer.close();
    server.close();
  }

  private HttpRetry.Builder retry() {
    RetryEnvironment clock =
        new RetryEnvironment(
            () -> System.nanoTime() + ahead.get(),
            SYSTEM.clock(),
            SYSTEM.random(),
            SYSTEM.scheduler());
    return HttpRetry.builder()
        .policy(PATIENT)
        .budget(RetryBudget.unlimited())
        .environment(clock)
        .listener(
            new RetryListener() {
              @Override
              public void attemptEnded(OperationInfo operation, AttemptReport attempt) {
                whenAttemptEnds.accept(attempt);
              }
            });
  }

  private static HttpClient.Builder plain() {
    return HttpClient.newBuilder().sslContext(Tls.LOOPBACK.sslContext());
  }

  private void wrap(HttpClient plain) {
    client = RetryingHttpClient.wrap(plain, retry().build());
  }

  private HttpRequest request(String path) {
    int port = proxied ? 4433 : proxy.port();
    return HttpRequest.newBuilder(URI.create("https://localhost:" + port + path)).build();
  }

  private RetryReport get(String path, RetryPolicy policy) throws Exception {
    RetryOptions options = RetryOptions.builder().policy(policy).build();
    try {
      HttpResponse<String> got = client.with(options).send(request(path), BodyHandlers.ofString());
      assertEquals("served", got.body());
      return JdkReports.of(got);
    } catch (IOException failure) {
      return RetryReport.of(failure).orElseThrow(() -> failure);
    }
  }

  private static void assertServed(RetryReport got, OtherPath... paths) {
    assertEquals(StopReason.ACCEPTED, got.reason(), got.toString());
    assertEquals(Arrays.asList(paths), taken(got), got.toString());
  }

  private void dies(RetryPolicy then) throws Exception {
    proxy.swallow(Swallowed.ALL);
    assertServed(get("/", then), null, OtherPath.SILENT_CONNECTION);
  }

  /** A head is a sign of life, so only the attempt after it finds the connection silent. */
  @Test
  void connectionThatDiesInTheMiddleOfAnAnswer() throws Exception {
    start();
    wrap(plain().build());
    get("/", PATIENT);
    AtomicBoolean died = new AtomicBoolean();
    RetryOptions options =
        RetryOptions.builder()
            .policy(
                times(LONG, SHORT, LONG).toBuilder().bodyIdleTimeout(Duration.ofSeconds(3)).build())
            .build();

    HttpResponse<String> got =
        client
            .with(options)
            .send(
                request("/half"),
                info -> {
                  if (died.compareAndSet(false, true)) {
                    proxy.swallow(Swallowed.ALL);
                  }
                  return BodySubscribers.ofString(StandardCharsets.UTF_8);
                });

    assertServed(JdkReports.of(got), null, null, OtherPath.SILENT_CONNECTION);
  }

  @Test
  void secondClientHasTheCertificate() throws Exception {
    server.requireClientAuth();
    start();
    wrap(plain().build());
    get("/", PATIENT);

    dies(LOSES_FIRST);
  }

  @Test
  void tunnelThroughTheProxyOfTheClient() throws Exception {
    proxied = true;
    start();
    wrap(
        plain()
            .proxy(
                ProxySelector.of(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), proxy.port())))
            .build());
    assertServed(get("/", PATIENT));
    tunnelOpen = false;

    dies(LOSES_FIRST);
    assertEquals(2, proxy.opened());
  }

  /** New connections lead to another server from now on; this one comes back once it was tried. */
  private void startOther(HeldCertificate certificate, int status) throws IOException {
    otherServer.useHttps(
        new HandshakeCertificates.Builder()
            .heldCertificate(certificate)
            .build()
            .sslSocketFactory());
    otherServer.setDispatcher(
        new Dispatcher() {
          @Override
          public MockResponse dispatch(RecordedRequest request) {
            return new MockResponse.Builder().code(status).body("refused").build();
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
  private void assertLeftAloneAfterRefusal() throws Exception {
    RetryPolicy two = LOSES_FIRST.toBuilder().maxAttempts(2).build();

    assertServed(get("/", two), null, OtherPath.SILENT_CONNECTION, null);

    proxy.swallow(Swallowed.ALL);
    RetryReport next = get("/", times(SHORT, SHORT, SHORT));
    assertEquals(Arrays.asList(null, null, null), taken(next), next.toString());
    assertEquals(2, proxy.opened());
  }

  @Test
  void tlsThatTheOtherPathRefusesIsNeverTheResult() throws Exception {
    start();
    wrap(plain().build());
    get("/", PATIENT);
    proxy.swallow(Swallowed.ALL);
    startOther(STRANGE, 200);

    assertLeftAloneAfterRefusal();
  }

  @ParameterizedTest
  @ValueSource(ints = {426, 464, 505})
  void protocolThatTheOtherPathRefusesIsNeverTheResult(int status) throws Exception {
    start();
    wrap(plain().build());
    get("/", PATIENT);
    proxy.swallow(Swallowed.ALL);
    startOther(Tls.CERTIFICATE, status);

    assertLeftAloneAfterRefusal();
  }

  /** What refuses a protocol on the usual path is an answer like any other. */
  @Test
  void protocolThatTheUsualPathRefusesIsTheResult() throws Exception {
    start();
    wrap(plain().build());
    startOther(Tls.CERTIFICATE, 426);

    HttpResponse<String> got = client.send(request("/"), BodyHandlers.ofString());

    assertEquals(426, got.statusCode());
    assertEquals(1, otherServer.getRequestCount());
  }

  @Test
  void deadlineEndsTheOtherPath() throws Exception {
    start();
    wrap(plain().build());
    get("/", PATIENT);
    proxy.swallow(Swallowed.ALL);
    proxy.swallowNew(true);

    RetryReport got = get("/", LOSES_FIRST.toBuilder().totalTimeout(Duration.ofSeconds(1)).build());

    assertEquals(StopReason.DEADLINE, got.reason(), got.toString());
    assertEquals(Arrays.asList(null, OtherPath.SILENT_CONNECTION), taken(got), got.toString());
  }

  /** The spare connection has been idle for longer than it is trusted, and has died as well. */
  @Test
  void idleSpareConnectionThatIsDeadTooIsNotUsed() throws Exception {
    start();
    wrap(plain().build());
    get("/", PATIENT);
    dies(LOSES_FIRST);
    ahead.addAndGet(TimeUnit.SECONDS.toNanos(2));

    dies(LOSES_FIRST);
    assertEquals(3, proxy.opened());
  }

  /**
   * A setting of our builder may fail the second time: attempts then stay with the first client.
   */
  @Test
  void secondClientThatCannotBeMadeIsDoneWithout() throws Exception {
    start();
    Consumer<HttpClient.Builder> fails =
        builder -> {
          throw new IllegalStateException("no more of them");
        };
    client = RetryingHttpClient.wrap(plain().build(), retry().build(), fails);
    get("/", PATIENT);
    proxy.swallow(Swallowed.ALL);

    RetryReport got = get("/", times(SHORT, SHORT, SHORT));

    assertEquals(StopReason.ATTEMPTS_EXHAUSTED, got.reason(), got.toString());
    assertEquals(Arrays.asList(null, null, null), taken(got), got.toString());
  }

  /** It would keep a thread and a connection for as long as the first one lives. */
  @Test
  void secondClientThatIsNotUsedIsLetGo() throws Exception {
    start();
    Queue<Runnable> later = new ConcurrentLinkedQueue<>();
    List<String> made = new ArrayList<>();
    RetryEnvironment environment = retry().build().environment().withScheduler(puttingOff(later));
    client =
        RetryingHttpClient.wrap(
            plain().build(),
            retry().environment(environment).build(),
            builder -> made.add("a client"));
    get("/", PATIENT);
    dies(LOSES_FIRST);
    ahead.addAndGet(TimeUnit.SECONDS.toNanos(2));
    dies(LOSES_FIRST);
    assertEquals(2, made.size());

    runAll(later);
    assertServed(get("/", PATIENT), OtherPath.DEAD_CONNECTION);
    assertEquals(2, made.size(), "it was chosen just before");
    ahead.addAndGet(SecondClient.KEEP_NANOS);
    runAll(later);

    assertServed(get("/", LOSES_FIRST), null, OtherPath.DEAD_CONNECTION);
    assertEquals(3, made.size());
  }

  private static void runAll(Queue<Runnable> later) {
    List<Runnable> due = List.copyOf(later);
    later.clear();
    due.forEach(Runnable::run);
  }

  /** The system's scheduler, but for what is due in a minute. */
  private static RetryScheduler puttingOff(Queue<Runnable> later) {
    RetryScheduler system = SYSTEM.scheduler();
    return new RetryScheduler() {
      @Override
      public Task schedule(long nanos, Runnable task) {
        if (nanos < TimeUnit.SECONDS.toNanos(55)) {
          return system.schedule(nanos, task);
        }
        later.add(task);
        return () -> later.remove(task);
      }

      @Override
      public boolean await(CountDownLatch wake, long nanos) throws InterruptedException {
        return system.await(wake, nanos);
      }

      @Override
      public boolean isVirtual() {
        return true; // so that all timers come here
      }
    };
  }
}
