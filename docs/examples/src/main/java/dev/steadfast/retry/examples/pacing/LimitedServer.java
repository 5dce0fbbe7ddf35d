package dev.steadfast.retry.examples.pacing;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A server that limits the rate of its clients, says on every answer how much is left, and counts
 * what it accepts and rejects in whole windows.
 */
final class LimitedServer implements AutoCloseable {
  private static final long SECOND = 1_000_000_000;

  private final Limiter limiter;
  private final int windows;
  private final long began = System.nanoTime();
  private final HttpServer server;
  private final ExecutorService threads =
      Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "limited-server");
        thread.setDaemon(true);
        return thread;
      });
  private int accepted;
  private int rejected;

  /**
   * Opens a port and serves.
   *
   * @param limiter limits the rate
   * @param windows how many windows count, after the first one
   */
  LimitedServer(Limiter limiter, int windows) throws IOException {
    this.limiter = limiter;
    this.windows = windows;
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1024);
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
  }

  URI address() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
  }

  private void answer(HttpExchange exchange) throws IOException {
    Limiter.Answer answer = count();
    long seconds = (answer.leftNanos() + SECOND - 1) / SECOND;
    exchange
        .getResponseHeaders()
        .set("RateLimit", "\"default\";r=" + answer.left() + ";t=" + seconds);
    exchange
        .getResponseHeaders()
        .set(
            "RateLimit-Policy",
            "\"default\";q=" + Limiter.LIMIT + ";w=" + Limiter.WINDOW_NANOS / SECOND);
    if (!answer.accepted()) {
      exchange.getResponseHeaders().set("Retry-After", Long.toString(seconds));
    }
    try (exchange) {
      exchange.sendResponseHeaders(answer.accepted() ? 200 : 429, -1);
    }
  }

  private synchronized Limiter.Answer count() {
    long now = System.nanoTime() - began;
    Limiter.Answer answer = limiter.count(now);
    long window = now / Limiter.WINDOW_NANOS;
    if (window >= 1 && window <= windows) {
      accepted += answer.accepted() ? 1 : 0;
      rejected += answer.accepted() ? 0 : 1;
    }
    return answer;
  }

  synchronized int sent() {
    return accepted + rejected;
  }

  synchronized int rejected() {
    return rejected;
  }

  /** What the server rejected of what it was sent, in percent. */
  synchronized double rejectedPercent() {
    return sent() == 0 ? 0 : 100.0 * rejected / sent();
  }

  /** What was used of what the server would have accepted, in percent. */
  synchronized double usedPercent() {
    return 100.0 * accepted / (windows * Limiter.LIMIT);
  }

  /** The two figures of a line, and what comes before them. */
  String figures() {
    return String.format(
        Locale.ROOT, "sent=%d rejected=%d used=%.1f", sent(), rejected(), usedPercent());
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
