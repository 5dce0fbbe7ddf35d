package dev.steadfast.retry.httpclient;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import com.sun.net.httpserver.BasicAuthenticator;
import com.sun.net.httpserver.Filter;
import com.sun.net.httpserver.HttpContext;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsExchange;
import com.sun.net.httpserver.HttpsServer;
import dev.steadfast.retry.http.IdempotencyKeys;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.server.HttpServerScope;
import dev.steadfast.retry.tck.Reply;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLSession;
import okhttp3.tls.HandshakeCertificates;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is the JDK server's own: exchanges, TLS, authenticators. */
class HttpServerScopeTest {
  private static final InetSocketAddress ANY_PORT =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  private final Bench bench = new Bench();
  private HttpServer server;

  @AfterEach
  void close() {
    if (server != null) {
      server.stop(0);
    }
    bench.close();
  }

  private HttpContext serve(HttpHandler handler) throws IOException {
    server = HttpServer.create(ANY_PORT, 0);
    HttpContext context = server.createContext("/", handler);
    server.start();
    return context;
  }

  private HttpRequest.Builder request() {
    String scheme = server instanceof HttpsServer ? "https" : "http";
    return HttpRequest.newBuilder(Front.Running.uri(scheme, server.getAddress()))
        .timeout(Bench.PATIENCE); // a handler that throws an Error answers never
  }

  private HttpResponse<Void> send(HttpRequest.Builder request) throws Exception {
    return Bench.plain().build().send(request.build(), BodyHandlers.discarding());
  }

  private void forward(HttpExchange exchange, RetryingHttpClient below) throws IOException {
    try (exchange) {
      HttpResponse<Void> answer = below.send(bench.get(), BodyHandlers.discarding());
      exchange.sendResponseHeaders(answer.statusCode(), -1);
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  @Test
  void overTls_theHandlerStillFindsItsSession() throws Exception {
    HeldCertificate certificate =
        new HeldCertificate.Builder()
            .addSubjectAlternativeName(InetAddress.getLoopbackAddress().getHostAddress())
            .build();
    HttpsServer https = HttpsServer.create(ANY_PORT, 0);
    server = https;
    https.setHttpsConfigurator(
        new HttpsConfigurator(
            new HandshakeCertificates.Builder().heldCertificate(certificate).build().sslContext()));
    bench.server.enqueue(Reply.status(503), Reply.status(503), Reply.status(503));
    CompletableFuture<SSLSession> session = new CompletableFuture<>();
    HttpContext context =
        https.createContext(
            "/",
            exchange -> {
              session.complete(((HttpsExchange) exchange).getSSLSession());
              forward(exchange, bench.client());
            });
    context.getFilters().add(HttpServerScope.filter());
    https.start();
    HttpClient client =
        Bench.plain()
            .sslContext(
                new HandshakeCertificates.Builder()
                    .addTrustedCertificate(certificate.certificate())
                    .build()
                    .sslContext())
            .build();

    HttpResponse<Void> response = client.send(request().build(), BodyHandlers.discarding());

    assertEquals(
        response.sslSession().orElseThrow().getCipherSuite(), session.get().getCipherSuite());
    assertEquals(503, response.statusCode());
    assertEquals(Optional.of("false"), response.headers().firstValue("x-should-retry"));
  }

  /** Compares the exchange that a handler gets to the one that the server made. */
  @Test
  void exchangeIsTheServersInAllElse() throws Exception {
    List<HttpExchange> servers = new ArrayList<>();
    Map<String, String> differences = new HashMap<>();
    CompletableFuture<HttpExchange> seen = new CompletableFuture<>();
    HttpContext context =
        serve(exchange -> {
          HttpExchange original = servers.get(0);
          assertNotSame(original, exchange);
          assertFalse(exchange instanceof HttpsExchange);
          exchange.setAttribute("mine", "1");
          InputStream in = new ByteArrayInputStream(new byte[] {7});
          OutputStream out = OutputStream.nullOutputStream();
          getters()
              .forEach(getter -> {
                String given = get(getter, exchange);
                if (!given.equals(get(getter, original))) {
                  differences.put(getter.getName(), given);
                }
              });
          assertEquals(original.getAttribute("mine"), exchange.getAttribute("mine"));
          exchange.sendResponseHeaders(204, -1);
          assertEquals(204, original.getResponseCode());
          assertEquals(204, exchange.getResponseCode());
          exchange.setStreams(in, out);
          assertSame(in, original.getRequestBody());
          assertSame(out, original.getResponseBody());
          seen.complete(exchange);
        });
    context.getFilters().add(new Recording(servers));
    context.getFilters().add(HttpServerScope.filter());

    assertEquals(204, send(request()).statusCode());

    assertEquals(Map.of(), differences);
    assertInstanceOf(HttpExchange.class, seen.get());
  }

  private static List<Method> getters() {
    List<Method> getters = new ArrayList<>();
    for (Method each : HttpExchange.class.getMethods()) {
      if (Modifier.isAbstract(each.getModifiers())
          && each.getParameterCount() == 0
          && each.getReturnType() != void.class) {
        getters.add(each);
      }
    }
    assertEquals(12, getters.size(), getters::toString); // a new one wants a delegation
    return getters;
  }

  private static String get(Method getter, HttpExchange exchange) {
    try {
      return String.valueOf(getter.invoke(exchange));
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(getter.getName(), e);
    }
  }

  private static final class Recording extends Filter {
    private final List<HttpExchange> exchanges;

    Recording(List<HttpExchange> exchanges) {
      this.exchanges = exchanges;
    }

    @Override
    public void doFilter(HttpExchange exchange, Chain chain) throws IOException {
      exchanges.add(exchange);
      chain.doFilter(exchange);
    }

    @Override
    public String description() {
      return "keeps the server's exchanges";
    }
  }

  @Test
  void responseFromAnotherThread_isToldOfWhatGaveUpBefore() throws Exception {
    bench.server.enqueue(Reply.status(503), Reply.status(503), Reply.status(503));
    RetryingHttpClient below = bench.client();
    HttpContext context =
        serve(exchange ->
            below
                .sendAsync(bench.get(), BodyHandlers.discarding())
                .thenAcceptAsync(answer -> {
                  try (exchange) {
                    exchange.sendResponseHeaders(answer.statusCode(), -1);
                  } catch (IOException e) {
                    throw new AssertionError(e);
                  }
                }));
    context.getFilters().add(HttpServerScope.filter());

    HttpResponse<Void> response = send(request());

    assertEquals(503, response.statusCode());
    assertEquals(Optional.of("false"), response.headers().firstValue("x-should-retry"));
  }

  // ---- authenticators

  private static String basic(String user) {
    return "Basic " + Base64.getEncoder().encodeToString((user + ":secret").getBytes(US_ASCII));
  }

  private static BasicAuthenticator everybody() {
    return new BasicAuthenticator("realm") {
      @Override
      public boolean checkCredentials(String user, String password) {
        return true;
      }
    };
  }

  @Test
  void handler_derivesKeysForWhomTheAuthenticatorNames() throws Exception {
    RetryingHttpClient below =
        bench
            .client(bench.retry().idempotencyKeys(IdempotencyKeys.randomUuid()))
            .with(RetryOptions.builder().derivedKey("reserve").build());
    HttpHandler handler =
        exchange -> {
          try (exchange) {
            below.send(bench.post("1"), BodyHandlers.discarding());
            exchange.sendResponseHeaders(204, -1);
          } catch (InterruptedException e) {
            throw new IOException(e);
          }
        };
    serve(HttpServerScope.handler(handler)).setAuthenticator(everybody());

    for (String user : List.of("alice", "alice", "bob")) {
      HttpRequest.Builder request = request().POST(BodyPublishers.noBody());
      send(request.header("Authorization", basic(user)).header("Idempotency-Key", "order-1"));
    }

    List<String> keys =
        bench.server.requests().stream()
            .map(each -> each.header("Idempotency-Key").orElseThrow())
            .toList();
    assertEquals(3, keys.size());
    assertEquals(keys.get(0), keys.get(1));
    assertNotEquals(keys.get(0), keys.get(2));
  }

  @Test
  void filterInAContextWithAnAuthenticator_limitsCalls_andLeavesTheResponseAlone()
      throws Exception {
    bench.server.enqueue(Reply.status(503), Reply.status(503));
    HttpContext context = serve(exchange -> forward(exchange, bench.client()));
    context.setAuthenticator(everybody());
    context.getFilters().add(HttpServerScope.filter());

    HttpResponse<Void> response =
        send(request().header("Authorization", basic("alice")).header("Do-Not-Retry", "true"));

    assertEquals(503, response.statusCode());
    assertEquals(1, bench.server.requests().size());
  }
}
