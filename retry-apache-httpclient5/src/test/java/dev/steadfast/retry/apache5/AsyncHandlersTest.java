package dev.steadfast.retry.apache5;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.tck.Received;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.apache.hc.client5.http.async.AsyncExecChain;
import org.apache.hc.client5.http.async.AsyncExecChainHandler;
import org.apache.hc.client5.http.async.methods.SimpleHttpRequest;
import org.apache.hc.client5.http.async.methods.SimpleHttpResponse;
import org.apache.hc.client5.http.async.methods.SimpleRequestBuilder;
import org.apache.hc.client5.http.impl.ChainElement;
import org.apache.hc.client5.http.impl.async.CloseableHttpAsyncClient;
import org.apache.hc.client5.http.impl.async.HttpAsyncClientBuilder;
import org.apache.hc.client5.http.impl.async.HttpAsyncClients;
import org.apache.hc.client5.http.impl.cache.CachingHttpAsyncClients;
import org.apache.hc.client5.http.impl.nio.PoolingAsyncClientConnectionManager;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.EntityDetails;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.nio.AsyncDataConsumer;
import org.apache.hc.core5.io.CloseMode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Handlers and interceptors of the user's, inside and outside of ours, and HttpClient's own. */
class AsyncHandlersTest {
  private static final String KEY = "Idempotency-Key";

  private final ScriptedServer server = ScriptedServer.start();
  private final ScriptedServer other = ScriptedServer.start();
  private final PoolingAsyncClientConnectionManager pool =
      new PoolingAsyncClientConnectionManager();
  private final List<CloseableHttpAsyncClient> opened = new ArrayList<>();

  @AfterEach
  void close() {
    Parts.awaitNoLease(pool);
    int leased = pool.getTotalStats().getLeased();
    opened.forEach(each -> each.close(CloseMode.IMMEDIATE));
    server.close();
    other.close();
    assertEquals(0, leased);
  }

  private CloseableHttpAsyncClient started(HttpAsyncClientBuilder builder) {
    CloseableHttpAsyncClient client = builder.build();
    client.start();
    opened.add(client);
    return client;
  }

  private SimpleHttpResponse send(
      HttpRetry retry, Consumer<HttpAsyncClientBuilder> before, SimpleHttpRequest request)
      throws InterruptedException, ExecutionException {
    HttpAsyncClientBuilder builder = HttpAsyncClients.custom().setConnectionManager(pool);
    before.accept(builder);
    return started(Apache5Retry.addTo(builder, retry)).execute(request, null).get();
  }

  private static SimpleHttpRequest post(URI uri) {
    return SimpleRequestBuilder.post(uri).setBody("100", ContentType.TEXT_PLAIN).build();
  }

  private static SimpleHttpRequest get(URI uri) {
    return SimpleRequestBuilder.get(uri).build();
  }

  private static StopReason reason(SimpleHttpResponse response) {
    return Apache5Reports.of(response).reason();
  }

  private static List<String> keys(ScriptedServer server) {
    return server.requests().stream().map(each -> each.header(KEY).orElse("-")).toList();
  }

  private static AsyncExecChain.Scope forked(AsyncExecChain.Scope scope) {
    return new AsyncExecChain.Scope(
        scope.exchangeId,
        scope.route,
        scope.originalRequest,
        scope.cancellableDependency,
        scope.clientContext,
        scope.execRuntime.fork(),
        scope.scheduler,
        scope.execCount);
  }

  private void awaitRequest() {
    try {
      server.awaitRequests(1, Duration.ofSeconds(10));
    } catch (InterruptedException impossible) {
      throw new AssertionError(impossible);
    }
  }

  // ---- inside: a handler that is in place before, or not in first place

  @Test
  void aHandlerThatSendsTwice_isSeen() throws Exception {
    server.enqueue(Reply.status(200), Reply.status(503));
    SimpleHttpResponse got =
        send(
            Parts.retry().build(),
            b -> b.addExecInterceptorFirst("twice", PassingCallback.TWICE),
            post(server.uri("/pay")));
    assertEquals(503, got.getCode());
    assertEquals(StopReason.NOT_REPLAYABLE, reason(got));
    assertEquals(2, Apache5Reports.of(got).last().orElseThrow().deliveries().orElseThrow());
    assertEquals(2, server.requests().size());
  }

  @Test
  void aHandlerRightBeforeTheWire_isSeen() throws Exception {
    server.enqueue(Reply.status(503));
    HttpAsyncClientBuilder builder =
        Apache5Retry.addTo(HttpAsyncClients.custom().setConnectionManager(pool), Parts.keyed());
    builder.addExecInterceptorLast(
        "drops",
        (request, body, scope, chain, callback) -> {
          request.removeHeaders(KEY);
          chain.proceed(request, body, scope, callback);
        });
    SimpleHttpResponse got = started(builder).execute(post(server.uri("/pay")), null).get();
    assertEquals(StopReason.NOT_REPLAYABLE, reason(got));
  }

  @Test
  void aHandlerThatSendsByAnotherRuntime_isCounted() throws Exception {
    server.enqueue(Reply.status(200), Reply.status(429));
    SimpleHttpResponse got =
        send(
            Parts.retry().build(),
            b ->
                b.addExecInterceptorBefore(
                    ChainElement.CONNECT.name(),
                    "forks",
                    (request, body, scope, chain, callback) ->
                        PassingCallback.twice(
                            request, body, forked(scope), scope, chain, callback)),
            post(server.uri("/pay")));
    assertEquals(429, got.getCode());
    assertEquals(StopReason.NOT_REPLAYABLE, reason(got));
  }

  @Test
  void aHandlerThatFailsWhileTheExchangeGoesOn_leavesNothingBehind() throws Exception {
    server.enqueue(Reply.stallAfterRequest(), Reply.status(200).body("ok"));
    AtomicBoolean failedOnce = new AtomicBoolean();
    AsyncExecChainHandler impatient =
        (request, body, scope, chain, callback) -> {
          chain.proceed(request, body, scope, callback);
          if (failedOnce.compareAndSet(false, true)) {
            awaitRequest();
            callback.failed(new IOException("too slow"));
          }
        };
    SimpleHttpResponse got =
        send(
            Parts.retry().build(),
            b -> b.addExecInterceptorFirst("impatient", impatient),
            get(server.uri("/a")));
    assertEquals("ok", got.getBodyText());
    assertEquals(2, Apache5Reports.of(got).attempts());
  }

  @Test
  void aHandlerThatSendsByOtherMeans_isNotTakenForOneThatSentNothing() {
    AsyncExecChainHandler elsewhere =
        (request, body, scope, chain, callback) ->
            callback.failed(new java.net.ConnectException("so it says"));
    ExecutionException thrown =
        assertThrows(
            ExecutionException.class,
            () ->
                send(
                    Parts.retry().build(),
                    b -> b.addExecInterceptorFirst("elsewhere", elsewhere),
                    post(server.uri("/pay"))));
    assertEquals(1, RetryReport.of(thrown).orElseThrow().attempts());
    assertTrue(RetryReport.of(thrown).orElseThrow().serverMayHaveActed());
  }

  // ---- outside: a handler that is added in first place afterwards

  @Test
  void aHandlerAround_thatSendsAgain_keepsTheKey() throws Exception {
    server.enqueue(Reply.status(200), Reply.status(503), Reply.status(200).body("done"));
    HttpAsyncClientBuilder builder =
        Apache5Retry.addTo(HttpAsyncClients.custom().setConnectionManager(pool), Parts.keyed());
    builder.addExecInterceptorFirst("twice", PassingCallback.TWICE);
    CloseableHttpAsyncClient client = started(builder);
    assertEquals("done", client.execute(post(server.uri("/pay")), null).get().getBodyText());
    assertEquals(3, server.requests().size());
    assertEquals(1, keys(server).stream().distinct().count());
    client.execute(post(server.uri("/pay")), null).get();
    assertNotEquals(keys(server).get(0), keys(server).get(3));
  }

  @Test
  void aHandlerAround_seesTheLastAnswerAlone() throws Exception {
    server.enqueue(Reply.status(503), Reply.status(200).body("ok"));
    List<Integer> seen = new ArrayList<>();
    HttpAsyncClientBuilder builder =
        Apache5Retry.addTo(
            HttpAsyncClients.custom().setConnectionManager(pool), Parts.retry().build());
    builder.addExecInterceptorFirst(
        "around",
        (request, body, scope, chain, callback) ->
            chain.proceed(
                request,
                body,
                scope,
                new PassingCallback(callback) {
                  @Override
                  public AsyncDataConsumer handleResponse(HttpResponse response, EntityDetails of)
                      throws HttpException, IOException {
                    seen.add(response.getCode());
                    return super.handleResponse(response, of);
                  }
                }));
    SimpleHttpResponse got = started(builder).execute(get(server.uri("/a")), null).get();
    assertEquals("ok", got.getBodyText());
    assertEquals(List.of(200), seen);
    assertEquals(2, Apache5Reports.of(got).attempts());
  }

  // ---- HttpClient's own handlers

  @Test
  void aRedirectToAnotherServer_takesNoMintedKeyAlong() throws Exception {
    server.enqueue(Reply.status(307).header("Location", other.uri("/there").toString()));
    other.enqueue(Reply.status(200).body("there"));
    assertEquals("there", send(Parts.keyed(), b -> {}, post(server.uri("/pay"))).getBodyText());
    assertTrue(server.requests().get(0).header(KEY).isPresent());
    assertEquals(List.of("-"), keys(other));
  }

  @Test
  void aRedirectLacksWhatAnOuterHandlerAdded_asInThePlainClient() throws Exception {
    AsyncExecChainHandler marks =
        (request, producer, scope, chain, callback) -> {
          request.setHeader("X-Mark", "outer");
          chain.proceed(request, producer, scope, callback);
        };
    HttpAsyncClientBuilder plain = HttpAsyncClients.custom().disableAutomaticRetries();
    HttpAsyncClientBuilder ours = HttpAsyncClients.custom();
    Apache5Retry.addTo(ours, Parts.retry().build());
    for (HttpAsyncClientBuilder builder : List.of(plain, ours)) {
      server.enqueue(
          Reply.status(302).header("Location", server.uri("/there").toString()), Reply.status(200));
      CloseableHttpAsyncClient client = started(builder.addExecInterceptorFirst("marks", marks));
      assertEquals(200, client.execute(get(server.uri("/here")), null).get().getCode());
    }
    List<String> seen =
        server.requests().stream().map(each -> each.header("X-Mark").orElse("-")).toList();
    assertEquals(List.of("outer", "-", "outer", "-"), seen);
  }

  @Test
  void anAnswerOfTheCache_isNoAttempt() throws Exception {
    server.enqueue(
        Reply.status(503), Reply.status(200).header("Cache-Control", "max-age=600").body("kept"));
    HttpAsyncClientBuilder builder = CachingHttpAsyncClients.custom().setConnectionManager(pool);
    CloseableHttpAsyncClient client = started(Apache5Retry.addTo(builder, Parts.retry().build()));
    SimpleHttpResponse first = client.execute(get(server.uri("/a")), null).get();
    assertEquals(2, Apache5Reports.of(first).attempts());
    SimpleHttpResponse second = client.execute(get(server.uri("/a")), null).get();
    assertEquals("kept", second.getBodyText());
    assertEquals(2, server.requests().size());
  }

  @Test
  void anExpectationThatFails_isFinalAndItsBodyUnsent() throws Exception {
    server.defaultReply(Reply.status(417).onHead().withoutContinue());
    SimpleHttpRequest post = post(server.uri("/pay"));
    post.setHeader("Expect", "100-continue");
    assertEquals(417, send(Parts.keyed(), b -> {}, post).getCode());
    assertEquals(1, server.requests().size());
  }

  @Test
  void requestsAreThoseOfThePlainClient() throws Exception {
    CloseableHttpAsyncClient plain = started(HttpAsyncClients.custom().disableAutomaticRetries());
    plain.execute(post(server.uri("/a/%7Eb?q=1%2B2")), null).get();
    send(Parts.retry().build(), b -> {}, post(server.uri("/a/%7Eb?q=1%2B2")));
    Received bare = server.requests().get(0);
    Received ours = server.requests().get(1);
    assertEquals(bare.target(), ours.target());
    assertEquals(bare.headers(), ours.headers());
    assertEquals(bare.bodyText(), ours.bodyText());
  }

  @Test
  void manyCallsAtOnce_eachGetItsOwn() throws Exception {
    server.route(request -> Reply.status(200).body(request.target()));
    CloseableHttpAsyncClient client =
        started(
            Apache5Retry.addTo(
                HttpAsyncClients.custom().setConnectionManager(pool), Parts.retry().build()));
    List<Future<SimpleHttpResponse>> all = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      all.add(client.execute(get(server.uri("/" + i)), null));
    }
    for (int i = 0; i < 200; i++) {
      assertEquals("/" + i, all.get(i).get().getBodyText());
    }
  }
}
