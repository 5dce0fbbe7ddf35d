package dev.steadfast.retry.examples.guide;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.scope.RetryScope;
import dev.steadfast.retry.tck.Received;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class ScopeGuideTest {
  private final ScriptedServer stock = ScriptedServer.start();
  private final HttpClient plain =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private HttpServer server;

  @BeforeEach
  void open() throws IOException {
    InetAddress loopback = InetAddress.getLoopbackAddress();
    server = HttpServer.create(new InetSocketAddress(loopback, 0), 0);
    server.start();
  }

  @AfterEach
  void close() {
    server.stop(0);
    stock.close();
  }

  private HttpRequest.Builder orders() {
    return HttpRequest.newBuilder(
        URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/orders"));
  }

  private HttpResponse<Void> send(HttpRequest.Builder request) throws Exception {
    return plain.send(request.build(), BodyHandlers.discarding());
  }

  private interface Work {
    int status() throws Exception;
  }

  private static HttpHandler answering(Work work) {
    return exchange -> {
      try (exchange) {
        exchange.sendResponseHeaders(work.status(), -1);
      } catch (IOException failure) {
        throw failure;
      } catch (Exception failure) {
        throw new IOException(failure);
      }
    };
  }

  private int callStock(HttpRetry retry) throws Exception {
    HttpRequest ask = HttpRequest.newBuilder(stock.uri("/stock/1")).build();
    return RetryingHttpClient.wrap(plain, retry).send(ask, BodyHandlers.discarding()).statusCode();
  }

  @Test
  void jdkServer_and_between_carryOnWhatTheCallerSays() throws Exception {
    stock.enqueue(Reply.status(503));
    URI uri = stock.uri("/");
    HttpRetry retry = ScopeGuide.between(uri.getScheme() + "://" + uri.getAuthority());
    ScopeGuide.jdkServer(server, answering(() -> callStock(retry)));

    assertEquals(503, send(orders().header("Do-Not-Retry", "true")).statusCode());

    assertEquals(1, stock.requests().size());
    Received asked = stock.requests().get(0);
    assertEquals(Optional.of("true"), asked.header("Do-Not-Retry"));
    assertTrue(asked.header("grpc-timeout").isPresent());
  }

  @Test
  void owner_tellsNobodyElse() throws Exception {
    assertEquals(200, callStock(ScopeGuide.owner()));
    assertEquals(Optional.empty(), stock.requests().get(0).header("Do-Not-Retry"));
  }

  @Test
  void byHand_isTheSame() throws Exception {
    stock.enqueue(Reply.status(503), Reply.status(503), Reply.status(503));
    HttpRetry retry = HttpRetry.defaults();
    HttpRequest ask = HttpRequest.newBuilder(stock.uri("/stock/1")).build();
    server.createContext(
        "/orders",
        exchange -> {
          try (exchange) {
            ScopeGuide.byHand(exchange, RetryingHttpClient.wrap(plain, retry), ask);
          } catch (InterruptedException e) {
            throw new IOException(e);
          }
        });

    HttpResponse<Void> response = send(orders());

    assertEquals(503, response.statusCode());
    assertEquals(Optional.of("false"), response.headers().firstValue("x-should-retry"));
    assertEquals(3, stock.requests().size());
  }

  @Test
  void keys_areTheSameForTheSameTenantAlone() throws Exception {
    HttpRequest reservation =
        HttpRequest.newBuilder(stock.uri("/reservations"))
            .POST(BodyPublishers.ofString("1"))
            .build();
    HttpHandler handler =
        answering(() -> {
          ScopeGuide.derivedKey(plain, reservation);
          return 204;
        });
    server.createContext("/orders", ScopeGuide.tenants(handler, ScopeGuideTest::tenant));

    for (String tenant : List.of("a", "a", "b")) {
      send(orders().header("X-Tenant", tenant).header("Idempotency-Key", "order-1"));
    }

    List<Optional<String>> keys =
        stock.requests().stream().map(each -> each.header("Idempotency-Key")).toList();
    assertEquals(keys.get(0), keys.get(1));
    assertEquals(2, keys.stream().distinct().count());
  }

  private static String tenant(HttpExchange exchange) {
    return exchange.getRequestHeaders().getFirst("X-Tenant");
  }

  @Test
  void wrap_carriesTheScopeThroughAllStages() {
    ExecutorService pool = Executors.newSingleThreadExecutor();
    try (RetryScope scope = RetryScope.enter(name -> null)) {
      String seen =
          ScopeGuide.wrap(
                  pool,
                  () -> RetryScope.current().equals(Optional.of(scope)) + ",",
                  before -> before + RetryScope.current().equals(Optional.of(scope)))
              .join();
      assertEquals("true,true", seen);
    } finally {
      pool.shutdownNow();
    }
  }

  @Test
  void envoy_readsItsOwnHeaders() throws Exception {
    ScopeGuide.envoy(
        server, answering(() -> RetryScope.current().orElseThrow().doNotRetry() ? 204 : 200));

    assertEquals(204, send(orders().header("x-envoy-max-retries", "0")).statusCode());
    assertEquals(200, send(orders().header("Do-Not-Retry", "true")).statusCode());
  }

  @Test
  void servlets_areWithinAScope() throws Exception {
    Server jetty = new Server();
    ServerConnector connector = new ServerConnector(jetty, 1, 1);
    connector.setHost("127.0.0.1");
    jetty.addConnector(connector);
    ServletContextHandler context = new ServletContextHandler();
    context.setContextPath("/");
    context.addServletContainerInitializer((classes, app) -> ScopeGuide.servlets(app));
    context.addServlet(new Telling(), "/*");
    jetty.setHandler(context);
    jetty.start();
    try {
      URI uri = URI.create("http://127.0.0.1:" + connector.getLocalPort() + "/");
      HttpRequest.Builder told = HttpRequest.newBuilder(uri).header("Do-Not-Retry", "true");
      assertEquals(204, send(told).statusCode());
      assertEquals(200, send(HttpRequest.newBuilder(uri)).statusCode());
    } finally {
      jetty.stop();
    }
  }

  private static final class Telling extends HttpServlet {
    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) {
      response.setStatus(RetryScope.current().orElseThrow().doNotRetry() ? 204 : 200);
    }
  }
}
