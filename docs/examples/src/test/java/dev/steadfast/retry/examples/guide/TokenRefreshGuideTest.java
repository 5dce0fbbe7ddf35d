package dev.steadfast.retry.examples.guide;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.okhttp.RetryInterceptor;
import dev.steadfast.retry.okhttp.RetryingCallFactory;
import dev.steadfast.retry.tck.Received;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import dev.steadfast.retry.testkit.FakeTime;
import java.io.IOException;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import okhttp3.Call;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.web.client.RestClient;

/**
 * A token refresh on each side of Steadfast. The server commits a charge, loses its answer, and
 * lets the token expire; in some tests the token has expired before, too, so it is refreshed in
 * each attempt. There must be one charge.
 */
final class TokenRefreshGuideTest {
  private final FakeTime time = new FakeTime();
  @AutoClose private final ScriptedServer server = ScriptedServer.start();
  private final Set<String> charges = new HashSet<>();
  private final AtomicInteger token = new AtomicInteger();
  private final TokenRefreshGuide.Tokens tokens =
      new TokenRefreshGuide.Tokens() {
        @Override
        public String current() {
          return "" + token.get();
        }

        @Override
        public void expired() {
          token.incrementAndGet();
        }
      };
  private int firstValid; // the first token that the server takes

  private void tokensExpire(int before) {
    firstValid = before;
    server.route(this::reply);
  }

  private synchronized Reply reply(Received request) {
    String sent = request.header("Authorization").orElse("Bearer -1").substring("Bearer ".length());
    if (Integer.parseInt(sent) < firstValid) {
      return Reply.status(401).header("WWW-Authenticate", "Bearer");
    }
    boolean first = charges.isEmpty();
    boolean charged = charges.add(request.header("Idempotency-Key").orElseThrow());
    if (first) {
      firstValid++;
      return Reply.closeAfterRequest();
    }
    return charged ? Reply.status(201) : Reply.status(201).header("Idempotent-Replayed", "true");
  }

  private void assertChargedOnce(int status, int requests) {
    assertEquals(201, status);
    assertEquals(requests, server.requests().size());
    assertEquals(1, charges.size());
    assertEquals(
        1,
        server.requests().stream().map(each -> each.header("Idempotency-Key")).distinct().count());
  }

  private HttpRetry.Builder inFakeTime(HttpRetry retry) {
    return retry.toBuilder().environment(time.environment()).listener(time.skipWaits());
  }

  private HttpRetry retry() {
    return HttpRetry.builder()
        .idempotencyKeys(IdempotencyKeys.randomUuid())
        .environment(time.environment())
        .listener(time.skipWaits())
        .build();
  }

  private Request post() {
    return new Request.Builder()
        .url(server.uri("/charges").toString())
        .post(RequestBody.create("5", null))
        .build();
  }

  private int pay(Call.Factory calls, Request request) throws IOException {
    try (Response response = calls.newCall(request).execute()) {
      return response.code();
    }
  }

  // A rule and a header of each attempt, on every client: #1 401, #2 lost, #3 401, #4 replayed.

  private HttpRetry withTokens() {
    tokensExpire(1);
    return inFakeTime(TokenRefreshGuide.withTokens(tokens))
        .policy(RetryPolicy.builder().maxAttempts(4).build())
        .build();
  }

  @Test
  void aRuleAndAHeader_onOkHttpsFactory() throws IOException {
    Call.Factory calls = RetryingCallFactory.wrap(new OkHttpClient(), withTokens());
    assertChargedOnce(pay(calls, post()), 4);
  }

  @Test
  void aRuleAndAHeader_onOkHttpsInterceptor() throws IOException {
    Call.Factory calls = RetryInterceptor.addTo(new OkHttpClient.Builder(), withTokens()).build();
    assertChargedOnce(pay(calls, post()), 4);
  }

  @Test
  void aRuleAndAHeader_onJavaNetHttp() throws Exception {
    HttpClient http = RetryingHttpClient.wrap(HttpClient.newHttpClient(), withTokens());
    HttpRequest post =
        HttpRequest.newBuilder(server.uri("/charges")).POST(BodyPublishers.ofString("5")).build();
    assertChargedOnce(http.send(post, BodyHandlers.ofString()).statusCode(), 4);
  }

  @Test
  void aRuleAndAHeader_onSpring() {
    HttpClient http = RetryingHttpClient.wrap(HttpClient.newHttpClient(), withTokens());
    RestClient client =
        RestClient.builder().requestFactory(new JdkClientHttpRequestFactory(http)).build();
    assertChargedOnce(pay(client), 4);
  }

  private int pay(RestClient client) {
    return client
        .post()
        .uri(server.uri("/charges"))
        .body("5")
        .retrieve()
        .toBodilessEntity()
        .getStatusCode()
        .value();
  }

  // OkHttp within the attempts: each attempt is a 401 and its request with the new token.

  @Test
  void okHttpsAuthenticator_withinTheFactory() throws IOException {
    tokensExpire(1);
    assertChargedOnce(pay(TokenRefreshGuide.authenticator(tokens, retry()), post()), 4);
  }

  @Test
  void anInterceptor_withinTheFactory() throws IOException {
    tokensExpire(1);
    OkHttpClient client =
        new OkHttpClient.Builder().addInterceptor(new TokenRefreshGuide.Refreshing(tokens)).build();
    assertChargedOnce(pay(RetryingCallFactory.wrap(client, retry()), post()), 4);
  }

  @Test
  void anInterceptor_addedAfterOurs() throws IOException {
    tokensExpire(1);
    OkHttpClient client =
        RetryInterceptor.addTo(new OkHttpClient.Builder(), retry())
            .addInterceptor(new TokenRefreshGuide.Refreshing(tokens))
            .build();
    assertChargedOnce(pay(client, post()), 4);
  }

  // OkHttp around the attempts: #1 lost, #2 401, and #3 with the new token.

  @Test
  void anInterceptor_addedBeforeOurs() throws IOException {
    tokensExpire(0);
    assertChargedOnce(pay(TokenRefreshGuide.interceptor(tokens, retry()), post()), 3);
  }

  /** The code around the factory makes two calls, so the request needs a key of its own. */
  @Test
  void aCallFactoryAroundTheFactory_needsAKeyOfItsOwn() throws IOException {
    tokensExpire(0);
    Call.Factory calls = RetryingCallFactory.wrap(new OkHttpClient(), retry());
    Request request = post().newBuilder().header("Idempotency-Key", "order-1").build();
    assertEquals(401, pay(calls, with(request)));
    tokens.expired();
    assertChargedOnce(pay(calls, with(request)), 3);
  }

  private Request with(Request request) {
    return request.newBuilder().header("Authorization", "Bearer " + tokens.current()).build();
  }

  // java.net.http.

  @Test
  void codeAroundTheClient_withAKeyOfItsOwn() throws Exception {
    tokensExpire(0);
    HttpClient http = RetryingHttpClient.wrap(HttpClient.newHttpClient(), retry());
    int status = TokenRefreshGuide.outside(http, server.uri("/charges"), "5", tokens).statusCode();
    assertChargedOnce(status, 3);
  }

  /** Each attempt is a 401 and its request with the new token. */
  @Test
  void aDecoratorBeneathTheClient() throws Exception {
    tokensExpire(1);
    HttpClient http =
        RetryingHttpClient.wrap(new Decorator(HttpClient.newHttpClient(), tokens), retry());
    HttpRequest post =
        HttpRequest.newBuilder(server.uri("/charges")).POST(BodyPublishers.ofString("5")).build();
    assertChargedOnce(http.send(post, BodyHandlers.ofString()).statusCode(), 4);
  }

  // Spring.

  @Test
  void anInterceptorOfARestClient_withAKeyOfItsOwn() {
    tokensExpire(0);
    HttpClient http = RetryingHttpClient.wrap(HttpClient.newHttpClient(), retry());
    RestClient client =
        RestClient.builder()
            .requestFactory(new JdkClientHttpRequestFactory(http))
            .requestInterceptor(TokenRefreshGuide.spring(tokens))
            .build();
    assertChargedOnce(pay(client), 3);
  }

  /** Sends again with a new token where the first one is refused. */
  private static final class Decorator extends HttpClient {
    private final HttpClient client;
    private final TokenRefreshGuide.Tokens tokens;

    Decorator(HttpClient client, TokenRefreshGuide.Tokens tokens) {
      this.client = client;
      this.tokens = tokens;
    }

    private HttpRequest authorized(HttpRequest request) {
      return HttpRequest.newBuilder(request, (name, value) -> true)
          .setHeader("Authorization", "Bearer " + tokens.current())
          .build();
    }

    @Override
    public <T> HttpResponse<T> send(HttpRequest request, HttpResponse.BodyHandler<T> handler)
        throws IOException, InterruptedException {
      HttpResponse<T> response = client.send(authorized(request), handler);
      if (response.statusCode() != 401) {
        return response;
      }
      tokens.expired();
      return client.send(authorized(request), handler);
    }

    @Override
    public <T> CompletableFuture<HttpResponse<T>> sendAsync(
        HttpRequest request, HttpResponse.BodyHandler<T> handler) {
      return client
          .sendAsync(authorized(request), handler)
          .thenCompose(response -> {
            if (response.statusCode() != 401) {
              return CompletableFuture.completedFuture(response);
            }
            tokens.expired();
            return client.sendAsync(authorized(request), handler);
          });
    }

    @Override
    public <T> CompletableFuture<HttpResponse<T>> sendAsync(
        HttpRequest request,
        HttpResponse.BodyHandler<T> handler,
        HttpResponse.PushPromiseHandler<T> push) {
      return sendAsync(request, handler);
    }

    @Override
    public Optional<CookieHandler> cookieHandler() {
      return client.cookieHandler();
    }

    @Override
    public Optional<Duration> connectTimeout() {
      return client.connectTimeout();
    }

    @Override
    public Redirect followRedirects() {
      return client.followRedirects();
    }

    @Override
    public Optional<ProxySelector> proxy() {
      return client.proxy();
    }

    @Override
    public SSLContext sslContext() {
      return client.sslContext();
    }

    @Override
    public SSLParameters sslParameters() {
      return client.sslParameters();
    }

    @Override
    public Optional<Authenticator> authenticator() {
      return client.authenticator();
    }

    @Override
    public Version version() {
      return client.version();
    }

    @Override
    public Optional<Executor> executor() {
      return client.executor();
    }
  }
}
