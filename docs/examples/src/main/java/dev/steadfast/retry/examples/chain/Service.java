package dev.steadfast.retry.examples.chain;

import com.sun.net.httpserver.Filter;
import com.sun.net.httpserver.HttpContext;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.function.IntUnaryOperator;

/** One server of the chain, which answers a numbered request with a status. */
final class Service implements AutoCloseable {
  static final String NUMBER = "X-Number";

  private final HttpServer server;
  private final ExecutorService threads;

  Service(IntUnaryOperator statusOf, List<Filter> filters, ExecutorService threads)
      throws IOException {
    this.threads = threads;
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    HttpContext context =
        server.createContext(
            "/",
            exchange -> {
              int number = Integer.parseInt(exchange.getRequestHeaders().getFirst(NUMBER));
              exchange.sendResponseHeaders(statusOf.applyAsInt(number), -1);
              exchange.close();
            });
    context.getFilters().addAll(filters);
    server.start();
  }

  String origin() {
    InetSocketAddress address = server.getAddress();
    return "http://" + address.getAddress().getHostAddress() + ":" + address.getPort();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
