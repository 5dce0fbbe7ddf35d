package dev.steadfast.retry.effects;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A real server that gives tokens, takes each once, and has things that can be deleted. Safe for
 * use by many threads.
 */
final class TokenServer implements AutoCloseable {
  static {
    System.setProperty("sun.net.httpserver.nodelay", "true"); // else an answer may wait for an ACK
  }

  /** What happens to a request. */
  enum Fault {
    NONE,
    /** The connection closes, and nothing was done. */
    LOST_BEFORE,
    /** The request is processed as usual, and the connection closes. */
    LOST_AFTER,
    /** 503, and nothing was done. */
    UNAVAILABLE,
    /** 403, and nothing was done. */
    FORBIDDEN,
    /** 429, and nothing was done. */
    LIMITED,
    /** The same, but the connection closes within the body. */
    LIMITED_AND_LOST,
    /** 302 to another page, and nothing was done. */
    MOVED,
    /** The request is processed as usual, and answered by 303 to a page that is not there. */
    SEE_OTHER,
    /** The answer is marked as a stored one. */
    REPLAYED
  }

  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Deque<Fault> fetchFaults = new ArrayDeque<>();
  private final Deque<Fault> faults = new ArrayDeque<>();
  private final Set<String> used = new HashSet<>();
  private final List<String> uses = new ArrayList<>();
  private boolean thing = true;
  private int fetched;
  private String prefix = "t-";

  TokenServer() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/token", this::fetch);
    server.createContext("/use", this::use);
    server.createContext("/thing", this::delete);
    server.start();
  }

  URI uri(String path) {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + path);
  }

  synchronized TokenServer fetches(Fault... next) {
    fetchFaults.addAll(List.of(next));
    return this;
  }

  /** Of uses and deletions. */
  synchronized TokenServer plan(Fault... next) {
    faults.addAll(List.of(next));
    return this;
  }

  synchronized TokenServer withoutToken() {
    prefix = "";
    return this;
  }

  synchronized TokenServer withoutThing() {
    thing = false;
    return this;
  }

  synchronized TokenServer alreadyUsed(String token) {
    used.add(token);
    return this;
  }

  synchronized boolean used(String token) {
    return used.contains(token);
  }

  synchronized int fetched() {
    return fetched;
  }

  /** The token of each request to use one. */
  synchronized List<String> uses() {
    return List.copyOf(uses);
  }

  private synchronized void fetch(HttpExchange exchange) throws IOException {
    Fault fault = fetchFaults.isEmpty() ? Fault.NONE : fetchFaults.remove();
    fetched++;
    String token = prefix.isEmpty() ? "" : prefix + fetched;
    exchange.getResponseHeaders().set("X-Token", token);
    exchange.getResponseHeaders().set("Cache-Control", "max-age=60"); // a mistake of the server
    answer(exchange, fault, 200, token);
  }

  private synchronized void use(HttpExchange exchange) throws IOException {
    Fault fault = faults.isEmpty() ? Fault.NONE : faults.remove();
    String token = exchange.getRequestHeaders().getFirst("X-Token");
    uses.add(token);
    int status = processes(fault) ? (used.add(token) ? 201 : 410) : 0;
    answer(exchange, fault, status, status == 201 ? "order " + token : "");
  }

  private synchronized void delete(HttpExchange exchange) throws IOException {
    Fault fault = faults.isEmpty() ? Fault.NONE : faults.remove();
    int status = 0;
    if (processes(fault)) {
      status = thing ? 204 : 404;
      thing = false;
    }
    answer(exchange, fault, status, "");
  }

  private static boolean processes(Fault fault) {
    return switch (fault) {
      case NONE, LOST_AFTER, REPLAYED, SEE_OTHER -> true;
      case LOST_BEFORE, UNAVAILABLE, FORBIDDEN, LIMITED, LIMITED_AND_LOST, MOVED -> false;
    };
  }

  private static void answer(HttpExchange exchange, Fault fault, int status, String body)
      throws IOException {
    exchange.getRequestBody().readAllBytes();
    switch (fault) {
      case LOST_BEFORE, LOST_AFTER -> exchange.close();
      case UNAVAILABLE -> send(exchange, 503, "");
      case FORBIDDEN -> send(exchange, 403, "");
      case LIMITED -> send(exchange, 429, "");
      case LIMITED_AND_LOST -> {
        exchange.sendResponseHeaders(429, 100);
        exchange.getResponseBody().write('x');
        exchange.getResponseBody().flush();
        exchange.close();
      }
      case MOVED -> {
        exchange.getResponseHeaders().set("Location", "/token");
        send(exchange, 302, "");
      }
      case SEE_OTHER -> {
        exchange.getResponseHeaders().set("Location", "/gone");
        send(exchange, 303, "");
      }
      case REPLAYED -> {
        exchange.getResponseHeaders().set("Idempotent-Replayed", "true");
        send(exchange, status, body);
      }
      case NONE -> send(exchange, status, body);
    }
  }

  private static void send(HttpExchange exchange, int status, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    if (bytes.length > 0) {
      exchange.getResponseBody().write(bytes);
    }
    exchange.close();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
