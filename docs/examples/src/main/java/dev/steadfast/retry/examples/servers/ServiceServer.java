package dev.steadfast.retry.examples.servers;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.steadfast.retry.examples.payments.Answer;
import dev.steadfast.retry.examples.payments.Faults;
import dev.steadfast.retry.examples.payments.Faults.Point;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.sql.DataSource;

/** Serves one of the services over HTTP, on a free port of loopback. */
final class ServiceServer implements AutoCloseable {
  private final Service service;
  private final Faults faults;
  private final HttpServer http;
  private final ExecutorService threads = Executors.newCachedThreadPool();

  private ServiceServer(Service service, Faults faults) throws IOException {
    this.service = service;
    this.faults = faults;
    http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    http.setExecutor(threads);
    http.createContext("/", this::handle);
  }

  /** Makes the tables if there are none, and serves. */
  static ServiceServer start(DataSource dataSource, Service service, Faults faults)
      throws IOException, SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(Ledger.TABLES + service.tables());
    }
    ServiceServer server = new ServiceServer(service, faults);
    server.http.start();
    return server;
  }

  URI uri(String path) {
    return URI.create("http://127.0.0.1:" + http.getAddress().getPort() + path);
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
      Request request = Request.read(exchange);
      faults.at(Point.BEFORE_KEY, request.path());
      Answer answer = service.answer(request);
      faults.at(Point.AFTER_COMMIT, request.path());
      return answer;
    } catch (Answer.Refusal refusal) {
      return refusal.answer();
    } catch (SQLException failure) {
      return Answer.problem(503, "the database failed").with("Retry-After", "1");
    }
  }

  @Override
  public void close() {
    http.stop(0);
    threads.shutdownNow();
  }
}
