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
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.apache.hc.client5.http.ClientProtocolException;
import org.apache.hc.client5.http.cache.CacheResponseStatus;
import org.apache.hc.client5.http.cache.HttpCacheContext;
import org.apache.hc.client5.http.classic.ExecChainHandler;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.impl.ChainElement;
import org.apache.hc.client5.http.impl.cache.CachingHttpClients;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.io.support.ClassicRequestBuilder;
import org.apache.hc.core5.net.URIAuthority;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Handlers and interceptors of the user's, inside and outside of ours, and HttpClient's own. */
class ClassicHandlersTest {
  private static final String KEY = "Idempotency-Key";

  @AutoClose private final ScriptedServer server = ScriptedServer.start();
  @AutoClose private final ScriptedServer other = ScriptedServer.start();

  /** The answer that the caller gets. */
  private record Got(int status, String body, RetryReport report) {}

  private static Got send(
      HttpRetry retry, Consumer<HttpClientBuilder> before, HttpUriRequestBase request)
      throws IOException {
    HttpClientBuilder builder = HttpClients.custom();
    before.accept(builder);
    try (CloseableHttpClient client = Apache5Retry.addTo(builder, retry).build()) {
      return send(client, request);
    }
  }

  private static Got send(CloseableHttpClient client, HttpUriRequestBase request)
      throws IOException {
    return client.execute(
        request,
        response -> new Got(response.getCode(), Parts.text(response), Apache5Reports.of(response)));
  }

  private static List<String> keys(ScriptedServer server) {
    return server.requests().stream().map(each -> each.header(KEY).orElse("-")).toList();
  }

  private static final ExecChainHandler TWICE =
      (request, scope, chain) -> {
        chain.proceed(ClassicRequestBuilder.copy(request).build(), scope).close();
        return chain.proceed(request, scope);
      };

  // ---- inside: a handler that is in place before, or not in first place

  @Test
  void aHandlerThatSendsTwice_isSeen() throws IOException {
    server.enqueue(Reply.status(200), Reply.status(503));
    Got got =
        send(
            Parts.retry().build(),
            b -> b.addExecInterceptorFirst("twice", TWICE),
            Parts.post(server.uri("/pay")));
    assertEquals(503, got.status());
    assertEquals(StopReason.NOT_REPLAYABLE, got.report().reason());
    assertEquals(2, got.report().last().orElseThrow().deliveries().orElseThrow());
    assertEquals(2, server.requests().size());
  }

  @Test
  void aHandlerRightBeforeTheWire_isSeen() throws IOException {
    server.enqueue(Reply.status(503));
    HttpClientBuilder builder = Apache5Retry.addTo(HttpClients.custom(), Parts.keyed());
    builder.addExecInterceptorLast(
        "drops",
        (request, scope, chain) -> {
          request.removeHeaders(KEY);
          return chain.proceed(request, scope);
        });
    try (CloseableHttpClient client = builder.build()) {
      Got got = send(client, Parts.post(server.uri("/pay")));
      assertEquals(StopReason.NOT_REPLAYABLE, got.report().reason());
    }
  }

  @Test
  void aHandlerThatSendsByAnotherRuntime_isCounted() throws IOException {
    server.enqueue(Reply.status(200), Reply.status(429));
    ExecChainHandler forks =
        (request, scope, chain) -> {
          var own =
              new org.apache.hc.client5.http.classic.ExecChain.Scope(
                  scope.exchangeId,
                  scope.route,
                  scope.originalRequest,
                  scope.execRuntime.fork(null),
                  scope.clientContext);
          chain.proceed(ClassicRequestBuilder.copy(request).build(), own).close();
          return chain.proceed(request, scope);
        };
    Got got =
        send(
            Parts.retry().build(),
            b -> b.addExecInterceptorBefore(ChainElement.CONNECT.name(), "forks", forks),
            Parts.post(server.uri("/pay")));
    assertEquals(429, got.status());
    assertEquals(StopReason.NOT_REPLAYABLE, got.report().reason());
  }

  @Test
  void aHandlerThatRewritesTheHost_getsItsRetries() throws IOException {
    other.enqueue(Reply.status(503), Reply.status(200).body("there"));
    ExecChainHandler rewrites =
        (request, scope, chain) -> {
          request.setAuthority(new URIAuthority("localhost", other.port()));
          var own =
              new org.apache.hc.client5.http.classic.ExecChain.Scope(
                  scope.exchangeId,
                  new org.apache.hc.client5.http.HttpRoute(
                      new HttpHost("http", "localhost", other.port())),
                  request,
                  scope.execRuntime,
                  scope.clientContext);
          return chain.proceed(ClassicRequestBuilder.copy(request).build(), own);
        };
    Got got =
        send(
            Parts.keyed(),
            b -> b.addExecInterceptorFirst("rewrites", rewrites),
            Parts.post(server.uri("/pay")));
    assertEquals("there", got.body());
    assertEquals(1, keys(other).stream().distinct().count());
    assertEquals(0, server.requests().size());
  }

  @Test
  void aResponseInterceptorThatThrows_isJudgedByTheAnswer() {
    server.enqueue(Reply.status(404));
    IOException thrown =
        assertThrows(
            IOException.class,
            () ->
                send(
                    Parts.retry().build(),
                    b ->
                        b.addResponseInterceptorFirst((response, entity, context) -> {
                          throw new HttpException("not mine");
                        }),
                    new HttpGet(server.uri("/a"))));
    assertEquals(ClientProtocolException.class, thrown.getClass());
    assertEquals(1, server.requests().size());
  }

  // ---- outside: a handler that is added in first place afterwards

  @Test
  void aHandlerAround_thatSendsAgain_keepsTheKey() throws IOException {
    server.enqueue(Reply.status(200), Reply.status(503), Reply.status(200).body("done"));
    HttpClientBuilder builder = Apache5Retry.addTo(HttpClients.custom(), Parts.keyed());
    builder.addExecInterceptorFirst("twice", TWICE);
    try (CloseableHttpClient client = builder.build()) {
      assertEquals("done", send(client, Parts.post(server.uri("/pay"))).body());
      assertEquals(3, server.requests().size());
      assertEquals(1, keys(server).stream().distinct().count());
      send(client, Parts.post(server.uri("/pay")));
      assertNotEquals(keys(server).get(0), keys(server).get(3));
    }
  }

  @Test
  void aHandlerAround_thatCallsWithTheSameContextMeanwhile_keepsTheKey() throws IOException {
    AtomicReference<CloseableHttpClient> itself = new AtomicReference<>();
    HttpClientBuilder builder = Apache5Retry.addTo(HttpClients.custom(), Parts.keyed());
    builder.addExecInterceptorFirst(
        "token",
        (request, scope, chain) -> {
          if (request.getPath().equals("/token")) {
            return chain.proceed(request, scope);
          }
          chain.proceed(ClassicRequestBuilder.copy(request).build(), scope).close();
          for (int i = 0; i < 2; i++) {
            HttpPost token = Parts.post(other.uri("/token"));
            itself.get().execute(token, scope.clientContext, response -> response.getCode());
          }
          return chain.proceed(request, scope);
        });
    HttpClientContext context = HttpClientContext.create();
    try (CloseableHttpClient client = builder.build()) {
      itself.set(client);
      for (int i = 0; i < 3; i++) {
        client.execute(Parts.post(server.uri("/pay")), context, response -> response.getCode());
        assertEquals(2 * i + 2, server.requests().size());
        assertEquals(i + 1, keys(server).stream().distinct().count());
      }
      assertEquals(6, keys(other).stream().distinct().count());
    }
  }

  @Test
  void aHandlerAround_thatAnswersByItself_sendsNothing() throws IOException {
    server.enqueue(Reply.status(503), Reply.status(200));
    HttpClientBuilder builder = Apache5Retry.addTo(HttpClients.custom(), Parts.retry().build());
    builder.addExecInterceptorFirst(
        "twice",
        (request, scope, chain) -> {
          var response = chain.proceed(request, scope);
          response.setHeader("X-Around", "1");
          return response;
        });
    try (CloseableHttpClient client = builder.build()) {
      String around =
          client.execute(
              new HttpGet(server.uri("/a")), response -> response.getHeader("X-Around").getValue());
      assertEquals("1", around);
      assertEquals(2, server.requests().size());
    }
  }

  // ---- HttpClient's own handlers

  @Test
  void aRedirectToAnotherServer_takesNoMintedKeyAlong() throws IOException {
    server.enqueue(Reply.status(307).header("Location", other.uri("/there").toString()));
    other.enqueue(Reply.status(200).body("there"));
    Got got = send(Parts.keyed(), b -> {}, Parts.post(server.uri("/pay")));
    assertEquals("there", got.body());
    assertTrue(server.requests().get(0).header(KEY).isPresent());
    assertEquals(List.of("-"), keys(other));
  }

  @Test
  void aKeyOfTheCallers_goesWhereHttpClientTakesIt() throws IOException {
    server.enqueue(Reply.status(307).header("Location", other.uri("/there").toString()));
    HttpUriRequestBase post = Parts.post(server.uri("/pay"));
    post.setHeader(KEY, "mine");
    send(Parts.keyed(), b -> {}, post);
    assertEquals(List.of("mine"), keys(other));
  }

  @Test
  void cookiesOfAFailedAttempt_areSentWithTheNext() throws IOException {
    server.enqueue(Reply.status(503).header("Set-Cookie", "a=1"), Reply.status(200));
    send(Parts.retry().build(), b -> {}, new HttpGet(server.uri("/a")));
    assertEquals(
        List.of(Optional.empty(), Optional.of("a=1")),
        server.requests().stream().map(each -> each.header("Cookie")).toList());
  }

  @Test
  void theSecondChallengeIsTheAnswer() throws IOException {
    server.defaultReply(Reply.status(401).header("WWW-Authenticate", "Basic realm=\"a\""));
    Got got = send(Parts.keyed(), b -> {}, Parts.post(server.uri("/pay")));
    assertEquals(401, got.status());
    assertEquals(1, server.requests().size());
  }

  @Test
  void anAnswerOfTheCache_isNoAttempt() throws IOException {
    server.enqueue(
        Reply.status(503), Reply.status(200).header("Cache-Control", "max-age=600").body("kept"));
    HttpClientBuilder builder = CachingHttpClients.custom();
    try (CloseableHttpClient client = Apache5Retry.addTo(builder, Parts.retry().build()).build()) {
      assertEquals(2, send(client, new HttpGet(server.uri("/a"))).report().attempts());
      HttpCacheContext context = HttpCacheContext.create();
      String body =
          client.execute(new HttpGet(server.uri("/a")), context, response -> Parts.text(response));
      assertEquals("kept", body);
      assertEquals(CacheResponseStatus.CACHE_HIT, context.getCacheResponseStatus());
      assertEquals(2, server.requests().size());
    }
  }

  @Test
  void anExpectationThatFails_isFinalAndItsBodyUnsent() throws IOException {
    server.defaultReply(Reply.status(417).onHead().withoutContinue());
    HttpUriRequestBase post = Parts.post(server.uri("/pay"));
    post.setHeader("Expect", "100-continue");
    Got got = send(Parts.keyed(), b -> {}, post);
    assertEquals(417, got.status());
    assertEquals(1, server.requests().size());
  }

  @Test
  void anUpgradePassesUntouched() throws IOException {
    server.enqueue(Reply.status(503), Reply.status(200));
    HttpGet get = new HttpGet(server.uri("/a"));
    get.setHeader("Upgrade", "websocket");
    get.setHeader("Connection", "Upgrade");
    HttpClientBuilder builder = Apache5Retry.addTo(HttpClients.custom(), Parts.keyed());
    try (CloseableHttpClient client = builder.build()) {
      int status = client.execute(get, response -> response.getCode());
      assertEquals(503, status);
      assertEquals(1, server.requests().size());
    }
  }

  @Test
  void requestsAreThoseOfThePlainClient() throws IOException {
    try (CloseableHttpClient plain = HttpClients.custom().disableAutomaticRetries().build()) {
      plain.execute(Parts.post(server.uri("/a/%7Eb?q=1%2B2")), response -> response.getCode());
    }
    send(Parts.retry().build(), b -> {}, Parts.post(server.uri("/a/%7Eb?q=1%2B2")));
    Received bare = server.requests().get(0);
    Received ours = server.requests().get(1);
    assertEquals(bare.target(), ours.target());
    assertEquals(bare.headers(), ours.headers());
    assertEquals(bare.bodyText(), ours.bodyText());
  }
}
