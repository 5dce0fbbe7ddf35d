package dev.steadfast.retry.apache5;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.hc.client5.http.HttpRoute;
import org.apache.hc.client5.http.async.AsyncExecCallback;
import org.apache.hc.client5.http.async.AsyncExecChain;
import org.apache.hc.client5.http.async.AsyncExecChainHandler;
import org.apache.hc.client5.http.async.methods.SimpleHttpRequest;
import org.apache.hc.client5.http.async.methods.SimpleHttpResponse;
import org.apache.hc.client5.http.async.methods.SimpleRequestBuilder;
import org.apache.hc.client5.http.impl.async.CloseableHttpAsyncClient;
import org.apache.hc.client5.http.impl.async.HttpAsyncClientBuilder;
import org.apache.hc.client5.http.impl.async.HttpAsyncClients;
import org.apache.hc.client5.http.impl.nio.PoolingAsyncClientConnectionManager;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.net.URIAuthority;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The same handler of the user's in each attempt, and around all of them. */
class AsyncPlacesTest {
  private static final String KEY = "Idempotency-Key";

  private final ScriptedServer server = ScriptedServer.start();
  private final ScriptedServer other = ScriptedServer.start();
  private final PoolingAsyncClientConnectionManager pool =
      new PoolingAsyncClientConnectionManager();
  private final CompletableFuture<RetryReport> ended = new CompletableFuture<>();
  private CloseableHttpAsyncClient client;

  enum Place {
    INSIDE,
    OUTSIDE
  }

  @AfterEach
  void close() {
    Parts.awaitNoLease(pool);
    int leased = pool.getTotalStats().getLeased();
    client.close(CloseMode.IMMEDIATE);
    server.close();
    other.close();
    assertEquals(0, leased);
  }

  private SimpleHttpResponse send(
      Place place, HttpRetry.Builder retry, AsyncExecChainHandler handler, SimpleHttpRequest one)
      throws InterruptedException, ExecutionException {
    HttpAsyncClientBuilder builder = HttpAsyncClients.custom().setConnectionManager(pool);
    if (place == Place.INSIDE) {
      builder.addExecInterceptorFirst("mine", handler);
    }
    RetryListener first =
        new RetryListener() {
          @Override
          public void ended(OperationInfo operation, RetryReport report) {
            ended.complete(report);
          }
        };
    Apache5Retry.addTo(builder, retry.listener(first).build());
    if (place == Place.OUTSIDE) {
      builder.addExecInterceptorFirst("mine", handler);
    }
    client = builder.build();
    client.start();
    return client.execute(one, null).get();
  }

  private static SimpleHttpRequest request(String method, URI uri) {
    return SimpleRequestBuilder.create(method)
        .setUri(uri)
        .setBody("100", ContentType.TEXT_PLAIN)
        .build();
  }

  private SimpleHttpRequest post() {
    return request("POST", server.uri("/pay"));
  }

  private static HttpRetry.Builder keyed() {
    return Parts.retry().idempotencyKeys(IdempotencyKeys.randomUuid());
  }

  private static List<String> keys(ScriptedServer of) {
    return of.requests().stream().map(each -> each.header(KEY).orElse("-")).distinct().toList();
  }

  // ---- another host

  private AsyncExecChainHandler rewrites() {
    return (request, body, scope, chain, callback) -> {
      request.setAuthority(new URIAuthority("localhost", other.port()));
      chain.proceed(
          request,
          body,
          new AsyncExecChain.Scope(
              scope.exchangeId,
              new HttpRoute(new HttpHost("http", "localhost", other.port())),
              request,
              scope.cancellableDependency,
              scope.clientContext,
              scope.execRuntime,
              scope.scheduler,
              scope.execCount),
          callback);
    };
  }

  @ParameterizedTest
  @EnumSource
  void whoRewritesTheHost_getsTheRetriesThere(Place place) throws Exception {
    other.enqueue(Reply.status(503), Reply.status(200).body("there"));
    assertEquals("there", send(place, keyed(), rewrites(), post()).getBodyText());
    assertEquals(List.of("/pay", "/pay"), other.requests().stream().map(r -> r.target()).toList());
    assertEquals(1, keys(other).size());
    assertEquals(List.of(), server.requests());
  }

  @ParameterizedTest
  @EnumSource
  void thereAKeylessPostIsSentOnce(Place place) throws Exception {
    other.enqueue(Reply.status(503), Reply.status(200));
    SimpleHttpResponse got = send(place, Parts.retry(), rewrites(), post());
    assertEquals(503, got.getCode());
    assertEquals(StopReason.NOT_REPLAYABLE, ended.get().reason());
    assertEquals(1, other.requests().size());
    assertEquals(List.of(), server.requests());
  }

  // ---- another exception

  private static void maps(
      org.apache.hc.core5.http.HttpRequest request,
      org.apache.hc.core5.http.nio.AsyncEntityProducer body,
      AsyncExecChain.Scope scope,
      AsyncExecChain chain,
      AsyncExecCallback callback)
      throws org.apache.hc.core5.http.HttpException, IOException {
    chain.proceed(
        request,
        body,
        scope,
        new PassingCallback(callback) {
          @Override
          public void failed(Exception cause) {
            super.failed(new IOException("mapped")); // without its cause
          }
        });
  }

  private void assertMapped(Place place, SimpleHttpRequest one) {
    ExecutionException thrown =
        assertThrows(
            ExecutionException.class, () -> send(place, Parts.retry(), AsyncPlacesTest::maps, one));
    assertEquals("mapped", thrown.getCause().getMessage());
  }

  @ParameterizedTest
  @EnumSource
  void aMappedFailureOfAPost_isNoProofThatNothingWasSent(Place place) throws Exception {
    server.defaultReply(Reply.closeAfterRequest());
    assertMapped(place, post());
    assertEquals(StopReason.NOT_REPLAYABLE, ended.get().reason());
    assertEquals(1, server.requests().size());
  }

  @ParameterizedTest
  @EnumSource
  void aMappedFailureToConnect_isAProofOnlyToWhoSawIt(Place place) throws Exception {
    URI closed;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      closed = URI.create("http://127.0.0.1:" + socket.getLocalPort() + "/pay");
    }
    assertMapped(place, request("POST", closed));
    assertEquals(place == Place.INSIDE ? 1 : 3, ended.get().attempts());
  }

  @ParameterizedTest
  @EnumSource
  void aMappedFailureOfAPut_isRetried(Place place) throws Exception {
    server.enqueue(Reply.closeAfterRequest(), Reply.status(200));
    SimpleHttpRequest put = request("PUT", server.uri("/pay"));
    assertEquals(200, send(place, Parts.retry(), AsyncPlacesTest::maps, put).getCode());
    assertEquals(2, server.requests().size());
  }

  // ---- two requests

  @ParameterizedTest
  @EnumSource
  void whoSendsAKeylessPostTwice_getsNoThird(Place place) throws Exception {
    server.enqueue(Reply.status(200), Reply.status(503), Reply.status(200));
    SimpleHttpResponse got = send(place, Parts.retry(), PassingCallback.TWICE, post());
    assertEquals(503, got.getCode());
    assertEquals(StopReason.NOT_REPLAYABLE, Apache5Reports.of(got).reason());
    assertEquals(2, server.requests().size());
  }

  @ParameterizedTest
  @EnumSource
  void whoSendsAKeyedPostTwice_sendsOneKey(Place place) throws Exception {
    server.enqueue(Reply.status(200), Reply.status(503), Reply.status(200), Reply.status(200));
    assertEquals(200, send(place, keyed(), PassingCallback.TWICE, post()).getCode());
    assertEquals(place == Place.INSIDE ? 4 : 3, server.requests().size());
    assertEquals(1, keys(server).size());
  }

  // ---- no key

  private static final AsyncExecChainHandler DROPS =
      (request, body, scope, chain, callback) -> {
        request.removeHeaders(KEY);
        chain.proceed(request, body, scope, callback);
      };

  /** Inside it is gone for good; around ours it is gone before, and ours adds one. */
  @ParameterizedTest
  @EnumSource
  void whoDropsTheKeyOfTheCaller_isSeen(Place place) throws Exception {
    server.enqueue(Reply.status(503), Reply.status(200));
    SimpleHttpRequest post = post();
    post.setHeader(KEY, "mine");
    SimpleHttpResponse got = send(place, keyed(), DROPS, post);
    assertEquals(place == Place.INSIDE ? 503 : 200, got.getCode());
    assertEquals(place == Place.INSIDE ? 1 : 2, server.requests().size());
    assertEquals(1, keys(server).size());
    assertEquals(place == Place.INSIDE, keys(server).equals(List.of("-")));
  }

  @ParameterizedTest
  @EnumSource
  void withoutKeysOfOurs_itIsAKeylessPost(Place place) throws Exception {
    server.enqueue(Reply.status(503), Reply.status(200));
    SimpleHttpRequest post = post();
    post.setHeader(KEY, "mine");
    assertEquals(503, send(place, Parts.retry(), DROPS, post).getCode());
    assertEquals(StopReason.NOT_REPLAYABLE, ended.get().reason());
    assertEquals(List.of("-"), keys(server));
    assertEquals(1, server.requests().size());
  }
}
