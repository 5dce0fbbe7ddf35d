package dev.steadfast.retry.okhttp;

import static dev.steadfast.retry.tck.internal.SilentPaths.LOSES_ALL;
import static dev.steadfast.retry.tck.internal.SilentPaths.LOSES_FIRST;
import static dev.steadfast.retry.tck.internal.SilentPaths.LOSES_FIRST_OF_MANY;
import static dev.steadfast.retry.tck.internal.SilentPaths.LOSES_ONE;
import static dev.steadfast.retry.tck.internal.SilentPaths.LOSES_TWO;
import static dev.steadfast.retry.tck.internal.SilentPaths.PATIENT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.OtherPath;
import dev.steadfast.retry.PathEvent;
import dev.steadfast.retry.RetryBudget;
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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import okhttp3.Call;
import okhttp3.CertificatePinner;
import okhttp3.EventListener;
import okhttp3.Handshake;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okhttp3.mockwebserver.Dispatcher;
import okhttp3.mockwebserver.MockResponse;
import okhttp3.mockwebserver.MockWebServer;
import okhttp3.mockwebserver.RecordedRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** HTTP/2 over TLS through a proxy that swallows the bytes of connections. */
class DeadPathTest {
  private static final String STALL = "/stall";

  private final MockWebServer server = new MockWebServer();
  private final List<OkHttpClient> clients = new ArrayList<>();
  private final CountDownLatch testOver = new CountDownLatch(1);
  private volatile boolean stalled;
  private SwallowingProxy proxy;

  @BeforeEach
  void start() throws IOException {
    server.useHttps(Tls.LOOPBACK.sslSocketFactory(), false);
    server.setProtocols(Arrays.asList(Protocol.HTTP_2, Protocol.HTTP_1_1));
    server.setDispatcher(
        new Dispatcher() {
          @Override
          public MockResponse dispatch(RecordedRequest request) {
            if (stalled || STALL.equals(request.getPath())) {
              hold();
            }
            return new MockResponse().setBody("served");
          }
        });
    server.start(InetAddress.getLoopbackAddress(), 0);
    proxy = SwallowingProxy.before(server.getPort());
  }

  private void hold() {
    try {
      testOver.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @AfterEach
  void stop() throws IOException {
    for (OkHttpClient client : clients) {
      client.dispatcher().executorService().shutdown();
      client.connectionPool().evictAll();
    }
    testOver.countDown();
    proxy.close();
    server.close();
  }

  private static HttpRetry.Builder retry() {
    return HttpRetry.builder().policy(PATIENT).budget(RetryBudget.unlimited());
  }

  private OkHttpClient.Builder client() {
    return Rig.builder()
        .sslSocketFactory(Tls.LOOPBACK.sslSocketFactory(), Tls.LOOPBACK.trustManager());
  }

  private Call.Factory calls(Entry entry, OkHttpClient.Builder builder, HttpRetry retry) {
    OkHttpClient client =
        entry == Entry.INTERCEPTOR
            ? RetryInterceptor.addTo(builder, retry).build()
            : builder.build();
    clients.add(client);
    return entry == Entry.INTERCEPTOR ? client : RetryingCallFactory.wrap(client, retry);
  }

  private Request.Builder request(String path, RetryPolicy policy) {
    return new Request.Builder()
        .url("https://localhost:" + proxy.port() + path)
        .tag(RetryOptions.class, RetryOptions.builder().policy(policy).build());
  }

  private Entry.Outcome get(Entry entry, Call.Factory calls, RetryPolicy policy) {
    return entry.make(calls.newCall(request("/", policy).build()));
  }

  private void works(Entry entry, Call.Factory calls) {
    Entry.Outcome got = get(entry, calls, PATIENT);
    assertEquals(200, got.status(), got.toString());
    assertEquals(1, got.report().attempts(), got.toString());
  }

  private static List<OtherPath> paths(Entry.Outcome got) {
    return SilentPaths.taken(got.report());
  }

  @ParameterizedTest
  @EnumSource(names = {"EXECUTE", "ENQUEUE"})
  void secondAttemptSucceeds(Entry entry) {
    Call.Factory calls = calls(entry, client(), retry().build());
    works(entry, calls);
    proxy.swallow(Swallowed.ALL);

    Entry.Outcome got = get(entry, calls, LOSES_FIRST);

    assertEquals(200, got.status(), got.toString());
    assertEquals(
        Arrays.asList(null, OtherPath.SILENT_CONNECTION), paths(got), got + ", " + proxy.opened());
    assertEquals(2, proxy.opened());
  }

  /** It would have to leave the connection of its call, and nothing but OkHttp can do that. */
  @Test
  void interceptorStays() {
    Call.Factory calls = calls(Entry.INTERCEPTOR, client(), retry().build());
    works(Entry.INTERCEPTOR, calls);
    proxy.swallow(Swallowed.ALL);

    Entry.Outcome got = get(Entry.INTERCEPTOR, calls, LOSES_ALL);

    assertEquals(Arrays.asList(null, null, null), paths(got), got.toString());
    assertEquals(1, proxy.opened());
  }

  @ParameterizedTest
  @EnumSource
  void switchedOffAllAttemptsAreLost(Entry entry) {
    Call.Factory calls = calls(entry, client(), retry().leaveDeadConnections(false).build());
    works(entry, calls);
    proxy.swallow(Swallowed.ALL);

    Entry.Outcome got = get(entry, calls, LOSES_ALL);

    assertEquals(-1, got.status(), got.toString());
    assertEquals(Arrays.asList(null, null, null), paths(got));
    assertEquals(1, proxy.opened());
  }

  @ParameterizedTest
  @EnumSource(names = {"EXECUTE", "ENQUEUE"})
  void allAvoidTheConnectionAfterTheSecondSilence(Entry entry) {
    Queue<PathEvent> events = new ConcurrentLinkedQueue<>();
    Call.Factory calls = calls(entry, client(), retry().listener(collecting(events)).build());
    works(entry, calls);
    proxy.swallow(Swallowed.ALL);

    get(entry, calls, LOSES_FIRST);
    assertEquals(List.of(PathEvent.SUSPECTED), List.copyOf(events));
    Entry.Outcome second = get(entry, calls, LOSES_FIRST);
    Entry.Outcome third = get(entry, calls, PATIENT);

    assertEquals(Arrays.asList(null, OtherPath.SILENT_CONNECTION), paths(second));
    assertEquals(List.of(OtherPath.DEAD_CONNECTION), paths(third), third.toString());
    assertEquals(List.of(PathEvent.SUSPECTED, PathEvent.CONFIRMED), List.copyOf(events));
    assertTrue(proxy.opened() <= 3, "connections: " + proxy.opened());
  }

  private static RetryListener collecting(Queue<PathEvent> events) {
    return new RetryListener() {
      @Override
      public void pathChanged(OperationInfo operation, PathEvent event) {
        events.add(event);
      }
    };
  }

  @ParameterizedTest
  @EnumSource
  void stalledServerGetsOneMoreConnection(Entry entry) {
    Call.Factory calls = calls(entry, client(), retry().build());
    works(entry, calls);
    stalled = true;

    for (int each = 0; each < 2; each++) {
      Entry.Outcome got = get(entry, calls, LOSES_TWO);
      assertEquals(StopReason.ATTEMPTS_EXHAUSTED, got.report().reason(), got.toString());
    }

    assertTrue(proxy.opened() <= 2, "connections: " + proxy.opened());
    stalled = false;
    works(entry, calls);
  }

  @ParameterizedTest
  @EnumSource
  void postWithoutKeyIsRepeatedNowhere(Entry entry) {
    Call.Factory calls = calls(entry, client(), retry().build());
    works(entry, calls);
    proxy.swallow(Swallowed.ANSWERS);

    RequestBody body = RequestBody.create("charge 5", null);
    Entry.Outcome got = entry.make(calls.newCall(request("/", LOSES_ALL).post(body).build()));

    assertEquals(StopReason.NOT_REPLAYABLE, got.report().reason(), got.toString());
    assertEquals(1, got.report().attempts());
    assertEquals(1, proxy.opened());
  }

  @ParameterizedTest
  @EnumSource(Swallowed.class)
  void oneDirectionIsEnough(Swallowed what) {
    Call.Factory calls = calls(Entry.EXECUTE, client(), retry().build());
    works(Entry.EXECUTE, calls);
    proxy.swallow(what);

    Entry.Outcome got = get(Entry.EXECUTE, calls, LOSES_FIRST);

    assertEquals(200, got.status(), got.toString());
    assertEquals(2, got.report().attempts(), got.toString());
  }

  /** No connection was made, so none is suspect, and each attempt opens one as it always did. */
  @ParameterizedTest
  @EnumSource
  void handshakeThatIsSwallowedSuspectsNothing(Entry entry) {
    Call.Factory calls = calls(entry, client(), retry().build());
    proxy.swallowNew(true);

    Entry.Outcome got = get(entry, calls, LOSES_ALL);

    assertEquals(Arrays.asList(null, null, null), paths(got), got.toString());
    proxy.swallowNew(false);
    works(entry, calls);
  }

  @ParameterizedTest
  @EnumSource
  void slowAnswerIsNoDeadConnection(Entry entry) {
    Call.Factory calls = calls(entry, client(), retry().build());
    works(entry, calls);

    for (int each = 0; each < 3; each++) {
      entry.make(calls.newCall(request(STALL, LOSES_ONE).build()));
      Entry.Outcome next = get(entry, calls, PATIENT);
      assertEquals(List.of(), paths(next), next.toString());
    }
    assertTrue(proxy.opened() <= 2, "connections: " + proxy.opened());
  }

  @ParameterizedTest
  @EnumSource
  void connectionThatComesBackIsUsedAgain(Entry entry) {
    Call.Factory calls = calls(entry, client(), retry().build());
    works(entry, calls);
    proxy.swallow(Swallowed.ALL);
    get(entry, calls, LOSES_FIRST);
    proxy.comeBack();

    works(entry, calls);
    works(entry, calls);
  }

  @ParameterizedTest
  @EnumSource
  void bothPathsDeadEndsAsBefore(Entry entry) {
    Call.Factory calls = calls(entry, client(), retry().build());
    works(entry, calls);
    proxy.swallow(Swallowed.ALL);
    proxy.swallowNew(true);

    Entry.Outcome got = get(entry, calls, LOSES_ALL);

    assertEquals(StopReason.ATTEMPTS_EXHAUSTED, got.report().reason(), got.toString());
    proxy.comeBack();
    assertEquals(200, get(entry, calls, PATIENT).status());
  }

  /** On a slow machine the last ones begin when the first ones have found the other connection. */
  @Test
  void manyInFlightLoseOneAttemptEach() throws Exception {
    OkHttpClient.Builder builder = client();
    builder.dispatcher(new okhttp3.Dispatcher());
    Call.Factory calls = calls(Entry.ENQUEUE, builder, retry().build());
    clients.get(0).dispatcher().setMaxRequestsPerHost(100);
    clients.get(0).dispatcher().setMaxRequests(100);
    works(Entry.ENQUEUE, calls);
    proxy.swallow(Swallowed.ALL);

    List<Entry.Answers> answers = new ArrayList<>();
    for (int each = 0; each < 50; each++) {
      Entry.Answers told = new Entry.Answers();
      calls.newCall(request("/", LOSES_FIRST_OF_MANY).build()).enqueue(told);
      answers.add(told);
    }

    for (Entry.Answers each : answers) {
      try (Response response = each.get()) {
        assertEquals(200, response.code());
        assertTrue(
            OkHttpReports.of(response).attempts() <= 2, OkHttpReports.of(response)::toString);
      }
    }
    assertTrue(proxy.opened() <= 2, "connections: " + proxy.opened());
  }

  @Test
  void cancelEndsTheOtherPath() {
    Call.Factory calls = calls(Entry.ENQUEUE, client(), retry().build());
    works(Entry.ENQUEUE, calls);
    proxy.swallow(Swallowed.ALL);
    proxy.swallowNew(true);
    Entry.Answers told = new Entry.Answers();
    Call call = calls.newCall(request("/", LOSES_FIRST).build());

    call.enqueue(told);
    proxy.awaitOpened(2);
    call.cancel();

    assertEquals("Canceled", told.failure().getMessage());
  }

  @Test
  void callFactoryOfTheUsersIsMadeForTheOtherPathToo() {
    OkHttpClient client = client().build();
    clients.add(client);
    AtomicInteger made = new AtomicInteger();
    AtomicInteger used = new AtomicInteger();
    Call.Factory calls =
        RetryingCallFactory.wrap(
            client,
            inner -> {
              made.incrementAndGet();
              return request -> {
                used.incrementAndGet();
                return inner.newCall(request);
              };
            },
            retry().build());
    works(Entry.EXECUTE, calls);
    int before = made.get();
    proxy.swallow(Swallowed.ALL);

    Entry.Outcome got = get(Entry.EXECUTE, calls, LOSES_FIRST);

    assertEquals(200, got.status(), got.toString());
    assertEquals(before + 1, made.get());
    assertEquals(3, used.get());
  }

  @Test
  void otherConnectionIsPinnedAsTheUsualOne() {
    AtomicInteger handshakes = new AtomicInteger();
    OkHttpClient.Builder builder =
        client()
            .certificatePinner(
                new CertificatePinner.Builder()
                    .add("localhost", CertificatePinner.pin(Tls.CERTIFICATE.certificate()))
                    .build())
            .eventListener(
                new EventListener() {
                  @Override
                  public void secureConnectEnd(Call call, Handshake handshake) {
                    handshakes.incrementAndGet();
                  }
                });
    Call.Factory calls = calls(Entry.EXECUTE, builder, retry().build());
    works(Entry.EXECUTE, calls);
    proxy.swallow(Swallowed.ALL);

    assertEquals(200, get(Entry.EXECUTE, calls, LOSES_FIRST).status());
    assertEquals(2, handshakes.get(), "the listener sees both");
  }
}
