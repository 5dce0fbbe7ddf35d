package dev.steadfast.retry.examples.springboot;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A payment service that takes idempotency keys. Of each five payments, the first is answered at
 * once, the second after a 503, the third after a 429, the fourth is charged but its answer lost,
 * and the fifth has both a 503 and a lost answer.
 */
final class FaultyPayments implements AutoCloseable {
  private final HttpServer server;
  private final ExecutorService executor = Executors.newCachedThreadPool();
  private final AtomicInteger requests = new AtomicInteger();
  private final AtomicInteger keys = new AtomicInteger();
  private final Map<String, Integer> number = new ConcurrentHashMap<>(); // of each key
  private final Map<String, AtomicInteger> tries = new ConcurrentHashMap<>();
  private final Map<String, String> charged = new ConcurrentHashMap<>();

  FaultyPayments() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(executor);
    server.createContext("/payments", this::pay);
    server.start();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** How many requests have come. */
  int requests() {
    return requests.get();
  }

  /** How many payments were charged. */
  int charged() {
    return charged.size();
  }

  private void pay(HttpExchange exchange) throws IOException {
    requests.incrementAndGet();
    String payment = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    String key = exchange.getRequestHeaders().getFirst("Idempotency-Key");
    if (key == null) {
      answer(exchange, 400, "{}");
      return;
    }
    int kind = number.computeIfAbsent(key, unused -> keys.getAndIncrement()) % 5;
    int attempt = tries.computeIfAbsent(key, unused -> new AtomicInteger()).incrementAndGet();
    if (attempt == 1 && (kind == 1 || kind == 4)) {
      answer(exchange, 503, "{}");
    } else if (attempt == 1 && kind == 2) {
      answer(exchange, 429, "{}");
    } else {
      charged.putIfAbsent(key, payment);
      boolean lost = (kind == 3 && attempt == 1) || (kind == 4 && attempt == 2);
      if (lost) {
        exchange.close(); // without an answer
      } else {
        answer(exchange, 200, payment);
      }
    }
  }

  private static void answer(HttpExchange exchange, int status, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  @Override
  public void close() {
    server.stop(0);
    executor.shutdownNow();
  }
}
