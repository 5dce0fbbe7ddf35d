package dev.steadfast.retry.examples.payments;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/**
 * The payments over HTTP, on loopback.
 *
 * <pre>
 * POST /payments                 intent, account, amount; Idempotency-Key is optional
 * GET  /payments/{intent}        what became of it
 * POST /payments/{intent}/fence  refuses the Idempotency-Key from now on, and tells the same
 * </pre>
 */
public final class PaymentsServer implements AutoCloseable {
  private static final int MAX_BODY = 16 * 1024;

  private final Payments payments;
  private final HttpServer http;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final ScheduledExecutorService sweeper = Executors.newSingleThreadScheduledExecutor();

  private PaymentsServer(Payments payments, int port) throws IOException {
    this.payments = payments;
    http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    http.setExecutor(threads);
    http.createContext("/payments", this::handle);
  }

  /** Makes the tables if there are none, and serves; port 0 is any that is free. */
  public static PaymentsServer start(
      DataSource dataSource, Settings settings, Faults faults, int port)
      throws IOException, SQLException {
    try (InputStream schema = PaymentsServer.class.getResourceAsStream("schema.sql");
        Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(new String(schema.readAllBytes(), StandardCharsets.UTF_8));
    }
    PaymentsServer server = new PaymentsServer(new Payments(dataSource, settings, faults), port);
    long pause = settings.sweepEvery().toMillis();
    server.sweeper.scheduleWithFixedDelay(server::sweep, pause, pause, TimeUnit.MILLISECONDS);
    server.http.start();
    return server;
  }

  /** The URI of the collection of payments. */
  public URI uri() {
    return URI.create("http://127.0.0.1:" + http.getAddress().getPort() + "/payments");
  }

  private void sweep() {
    try {
      payments.sweep();
    } catch (SQLException e) {
      System.err.println("sweep: " + e.getMessage()); // the next one does its work
    }
  }

  private void handle(HttpExchange exchange) throws IOException {
    try {
      answer(exchange).send(exchange);
    } catch (Faults.Crash crash) {
      // the connection is closed without an answer
    } finally {
      exchange.close();
    }
  }

  private Answer answer(HttpExchange exchange) throws IOException {
    try {
      return route(exchange);
    } catch (Answer.Refusal refusal) {
      return refusal.answer();
    } catch (SQLException failure) {
      // Whether it was committed is not known here either. The client asks again with its key.
      return Answer.problem(503, "the database failed").with("Retry-After", "1");
    }
  }

  private Answer route(HttpExchange exchange) throws IOException, SQLException {
    byte[] body = exchange.getRequestBody().readNBytes(MAX_BODY + 1);
    if (body.length > MAX_BODY) {
      throw Answer.refusal(413, "at most " + MAX_BODY + " bytes expected");
    }
    String principal = principal(exchange.getRequestHeaders());
    Optional<PaymentKey> key = key(exchange.getRequestHeaders(), principal);
    String path = exchange.getRequestURI().getPath();
    String[] parts = path.substring(1).split("/", -1);
    String route = exchange.getRequestMethod() + " " + parts.length;
    if (route.equals("POST 1")) {
      return payments.pay(PaymentRequest.read(principal, key, path, body));
    }
    if (route.equals("GET 2")) {
      return payments.lookUp(principal, parts[1]);
    }
    if (route.equals("POST 3") && parts[2].equals("fence")) {
      return payments.fence(
          key.orElseThrow(() -> Answer.refusal(400, "Idempotency-Key expected")), parts[1]);
    }
    throw Answer.refusal(404, "no such resource");
  }

  /** A stand-in for real authentication: whoever bears a token is called by it. */
  private static String principal(Headers headers) {
    String authorization = headers.getFirst("Authorization");
    if (authorization == null || !authorization.matches("Bearer [\\w.:-]{1,100}")) {
      throw Answer.refusal(401, "Authorization: Bearer expected");
    }
    return authorization.substring("Bearer ".length());
  }

  private static Optional<PaymentKey> key(Headers headers, String principal) {
    List<String> values = headers.getOrDefault("Idempotency-Key", List.of());
    if (values.size() > 1) {
      throw Answer.refusal(400, "one Idempotency-Key expected");
    }
    return values.stream().map(value -> new PaymentKey(principal, value)).findFirst();
  }

  /** Ends it at once. Nothing is lost by that, and nothing by a kill either. */
  @Override
  public void close() {
    http.stop(0);
    threads.shutdownNow();
    sweeper.shutdownNow();
  }
}
