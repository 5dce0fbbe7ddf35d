package dev.steadfast.retry.httpclient;

import static dev.steadfast.retry.tck.internal.SilentPaths.LOSES_ALL;
import static dev.steadfast.retry.tck.internal.SilentPaths.LOSES_FIRST;
import static dev.steadfast.retry.tck.internal.SilentPaths.LOSES_FIRST_OF_MANY;
import static dev.steadfast.retry.tck.internal.SilentPaths.LOSES_ONE;
import static dev.steadfast.retry.tck.internal.SilentPaths.LOSES_TWO;
import static dev.steadfast.retry.tck.internal.SilentPaths.PATIENT;
import static dev.steadfast.retry.tck.internal.SilentPaths.SHORT;
import static dev.steadfast.retry.tck.internal.SilentPaths.taken;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.OtherPath;
import dev.steadfast.retry.PathEvent;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryListener;
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
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import mockwebserver3.Dispatcher;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.RecordedRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** HTTP/2 over TLS through a proxy that swallows the bytes of connections. */
class DeadPathTest {
  private static final String STALL = "/stall";

  private final MockWebServer server = new MockWebServer();
  private final Queue<PathEvent> events = new ConcurrentLinkedQueue<>();
  private final CountDownLatch testOver = new CountDownLatch(1);
  private volatile boolean stalled;
  private SwallowingProxy proxy;
  private RetryingHttpClient client;

  @BeforeEach
  void start() throws IOException {
    server.useHttps(Tls.LOOPBACK.sslSocketFactory());
    server.setDispatcher(
        new Dispatcher() {
          @Override
          public MockResponse dispatch(RecordedRequest request) {
            if (stalled || STALL.equals(request.getTarget())) {
              hold();
            }
            return new MockResponse.Builder().body("served").build();
          }
        });
    server.start(InetAddress.getLoopbackAddress(), 0);
    proxy = SwallowingProxy.before(server.getPort());
    client = RetryingHttpClient.wrap(plain(), retry().build());
  }

  private void hold() {
    try {
      testOver.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @AfterEach
  void stop() {
    client.shutdownNow();
    testOver.countDown();
    proxy.close();
    server.close();
  }

  private HttpRetry.Builder retry() {
    return HttpRetry.builder()
        .policy(PATIENT)
        .budget(RetryBudget.unlimited())
        .listener(
            new RetryListener() {
              @Override
              public void pathChanged(OperationInfo operation, PathEvent event) {
                events.add(event);
              }
            });
  }

  private static HttpClient plain() {
    return HttpClient.newBuilder().sslContext(Tls.LOOPBACK.sslContext()).build();
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("https://localhost:" + proxy.port() + path));
  }

  private static RetryOptions with(RetryPolicy policy) {
    return RetryOptions.builder().policy(policy).build();
  }

  private RetryReport report(Entry entry, HttpRequest request, RetryPolicy policy)
      throws Throwable {
    try {
      HttpResponse<String> got =
          entry.call(client.with(with(policy)), request, BodyHandlers.ofString());
      assertEquals(200, got.statusCode());
      assertEquals("served", got.body());
      return JdkReports.of(got);
    } catch (IOException failure) {
      return RetryReport.of(failure).orElseThrow();
    }
  }

  private RetryReport get(Entry entry, RetryPolicy policy) throws Throwable {
    return report(entry, request("/").build(), policy);
  }

  private void works(Entry entry) throws Throwable {
    RetryReport got = get(entry, PATIENT);
    assertEquals(StopReason.ACCEPTED, got.reason(), got.toString());
    assertEquals(List.of(), taken(got), got.toString()); // a clean report has no list
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SEND_ASYNC_WITH_PUSHES")
  void secondAttemptSucceeds(Entry entry) throws Throwable {
    works(entry);
    proxy.swallow(Swallowed.ALL);

    RetryReport got = get(entry, LOSES_FIRST);

    assertEquals(StopReason.ACCEPTED, got.reason(), got.toString());
    assertEquals(
        Arrays.asList(null, OtherPath.SILENT_CONNECTION), taken(got), got + ", " + proxy.opened());
    assertEquals(2, proxy.opened());
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SEND_ASYNC_WITH_PUSHES")
  void switchedOffAllAttemptsAreLost(Entry entry) throws Throwable {
    client = RetryingHttpClient.wrap(plain(), retry().leaveDeadConnections(false).build());
    works(entry);
    proxy.swallow(Swallowed.ALL);

    for (int each = 0; each < 3; each++) {
      RetryReport got = get(entry, LOSES_ALL);
      assertEquals(StopReason.ATTEMPTS_EXHAUSTED, got.reason(), got.toString());
    }
    assertEquals(1, proxy.opened());
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SEND_ASYNC_WITH_PUSHES")
  void allAvoidTheConnectionAfterTheSecondSilence(Entry entry) throws Throwable {
    works(entry);
    proxy.swallow(Swallowed.ALL);

    get(entry, LOSES_FIRST);
    assertEquals(List.of(PathEvent.SUSPECTED), List.copyOf(events));
    RetryReport second = get(entry, LOSES_FIRST);
    RetryReport third = get(entry, PATIENT);

    assertEquals(Arrays.asList(null, OtherPath.SILENT_CONNECTION), taken(second));
    assertEquals(List.of(OtherPath.DEAD_CONNECTION), taken(third), third.toString());
    assertEquals(List.of(PathEvent.SUSPECTED, PathEvent.CONFIRMED), List.copyOf(events));
    assertTrue(proxy.opened() <= 3, "connections: " + proxy.opened());
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SEND_ASYNC_WITH_PUSHES")
  void stalledServerGetsOneMoreConnection(Entry entry) throws Throwable {
    works(entry);
    stalled = true;

    for (int each = 0; each < 2; each++) {
      RetryReport got = get(entry, LOSES_TWO);
      assertEquals(StopReason.ATTEMPTS_EXHAUSTED, got.reason(), got.toString());
    }

    assertEquals(2, proxy.opened());
    stalled = false;
    works(entry);
  }

  /** Nothing but the total timeout ends its attempts, so the next operations find the other way. */
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SEND_ASYNC_WITH_PUSHES")
  void operationsWithoutAttemptTimeoutLeaveTheConnectionTogether(Entry entry) throws Throwable {
    RetryPolicy whole = RetryPolicy.builder().backoff(Backoff.none()).totalTimeout(SHORT).build();
    works(entry);
    proxy.swallow(Swallowed.ALL);

    assertEquals(StopReason.DEADLINE, get(entry, whole).reason());
    assertEquals(StopReason.DEADLINE, get(entry, whole).reason());
    RetryReport third = get(entry, PATIENT);

    assertEquals(List.of(OtherPath.SILENT_CONNECTION), taken(third), third.toString());
    assertEquals(StopReason.ACCEPTED, third.reason());
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SEND_ASYNC_WITH_PUSHES")
  void postWithoutKeyIsRepeatedNowhere(Entry entry) throws Throwable {
    works(entry);
    proxy.swallow(Swallowed.ANSWERS);

    HttpRequest post = request("/").POST(BodyPublishers.ofString("charge 5")).build();
    RetryReport got = report(entry, post, LOSES_ALL);

    assertEquals(StopReason.NOT_REPLAYABLE, got.reason(), got.toString());
    assertEquals(1, proxy.opened());
  }

  @ParameterizedTest
  @EnumSource(Swallowed.class)
  void oneDirectionIsEnough(Swallowed what) throws Throwable {
    works(Entry.SEND);
    proxy.swallow(what);

    RetryReport got = get(Entry.SEND, LOSES_FIRST);

    assertEquals(StopReason.ACCEPTED, got.reason(), got.toString());
    assertEquals(2, got.attempts());
  }

  /** A body that the client has not sent whole says nothing of the connection. */
  @Test
  void oneShotBodyIsRepeatedNowhere() throws Throwable {
    works(Entry.SEND);
    proxy.swallow(Swallowed.ALL);

    HttpRequest put =
        request("/")
            .PUT(BodyPublishers.ofInputStream(() -> new java.io.ByteArrayInputStream(new byte[9])))
            .build();
    RetryReport got = report(Entry.SEND, put, LOSES_ALL);

    assertEquals(StopReason.BODY_NOT_REPEATABLE, got.reason(), got.toString());
    assertEquals(1, proxy.opened());
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SEND_ASYNC_WITH_PUSHES")
  void handshakeThatIsSwallowedSuspectsNothing(Entry entry) throws Throwable {
    proxy.swallowNew(true);

    RetryReport got = get(entry, LOSES_ALL);

    assertEquals(Arrays.asList(null, null, null), taken(got), got.toString());
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SEND_ASYNC_WITH_PUSHES")
  void slowAnswerIsNoDeadConnection(Entry entry) throws Throwable {
    works(entry);

    for (int each = 0; each < 3; each++) {
      report(entry, request(STALL).build(), LOSES_ONE);
      works(entry);
    }
    assertEquals(1, proxy.opened());
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SEND_ASYNC_WITH_PUSHES")
  void connectionThatComesBackIsUsedAgain(Entry entry) throws Throwable {
    works(entry);
    proxy.swallow(Swallowed.ALL);
    get(entry, LOSES_FIRST);
    proxy.comeBack();

    works(entry);
    works(entry);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SEND_ASYNC_WITH_PUSHES")
  void bothPathsDeadEndsAsBefore(Entry entry) throws Throwable {
    works(entry);
    proxy.swallow(Swallowed.ALL);
    proxy.swallowNew(true);

    RetryReport got = get(entry, LOSES_ALL);

    assertEquals(StopReason.ATTEMPTS_EXHAUSTED, got.reason(), got.toString());
    proxy.comeBack();
    works(entry);
  }

  /** On a slow machine the last ones begin when the first ones have found the other connection. */
  @Test
  void manyInFlightSucceed() throws Exception {
    works(client);
    proxy.swallow(Swallowed.ALL);

    List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
    for (int each = 0; each < 50; each++) {
      answers.add(
          client
              .with(with(LOSES_FIRST_OF_MANY))
              .sendAsync(request("/").build(), BodyHandlers.ofString()));
    }

    for (CompletableFuture<HttpResponse<String>> each : answers) {
      HttpResponse<String> got = each.get(20, TimeUnit.SECONDS);
      assertEquals(200, got.statusCode());
      assertTrue(JdkReports.of(got).attempts() <= 2, JdkReports.of(got)::toString);
    }
    assertEquals(2, proxy.opened());
  }

  private void works(HttpClient any) {
    assertEquals(
        200, any.sendAsync(request("/").build(), BodyHandlers.ofString()).join().statusCode());
  }

  @Test
  void requestsOfHttp11AreNeverSuspect() throws Throwable {
    HttpRequest old = request("/").version(HttpClient.Version.HTTP_1_1).build();
    report(Entry.SEND, old, PATIENT);
    proxy.swallow(Swallowed.ALL);

    RetryReport got = report(Entry.SEND, old, LOSES_FIRST);

    assertEquals(Arrays.asList(null, null), taken(got), got.toString());
    assertEquals(List.of(), List.copyOf(events));
  }

  /** The first path is silent, and so is the other one. */
  private CompletableFuture<HttpResponse<String>> underWayOnTheOtherPath() throws Throwable {
    works(Entry.SEND_ASYNC);
    proxy.swallow(Swallowed.ALL);
    proxy.swallowNew(true);
    CompletableFuture<HttpResponse<String>> sent =
        client.with(with(LOSES_FIRST)).sendAsync(request("/").build(), BodyHandlers.ofString());
    proxy.awaitOpened(2);
    return sent;
  }

  @Test
  void cancelEndsTheOtherPath() throws Throwable {
    CompletableFuture<HttpResponse<String>> sent = underWayOnTheOtherPath();

    sent.cancel(true);

    assertThrows(CancellationException.class, sent::join);
  }

  @Test
  void shutdownEndsTheOtherPath() throws Throwable {
    CompletableFuture<HttpResponse<String>> sent = underWayOnTheOtherPath();

    client.shutdownNow();

    assertTrue(
        assertThrows(Exception.class, () -> sent.get(20, TimeUnit.SECONDS)).getCause()
            instanceof IOException);
  }

  /** It waits for the operation, wherever its attempts are. */
  @Test
  void closeLetsTheOtherPathFinish() throws Throwable {
    CompletableFuture<HttpResponse<String>> sent = underWayOnTheOtherPath();

    client.shutdown();
    proxy.comeBack();

    assertEquals(
        Arrays.asList(null, OtherPath.SILENT_CONNECTION),
        taken(JdkReports.of(sent.get(20, TimeUnit.SECONDS))));
    client.close();
    assertThrows(
        IOException.class, () -> client.send(request("/").build(), BodyHandlers.ofString()));
  }
}
