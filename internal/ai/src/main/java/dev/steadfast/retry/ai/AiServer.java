package dev.steadfast.retry.ai;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A server that answers prompts within a quota of requests and tokens, is overloaded for a while,
 * and cuts some answers after it has processed the prompt. It counts a request when it comes. Its
 * time begins with the first one.
 */
final class AiServer implements AutoCloseable {
  static final int TOKENS = 40_000;
  static final int REQUESTS = 60;
  static final long WINDOW_MILLIS = 6_000;
  static final long OVERLOAD_FROM_MILLIS = 30_000;
  static final long OVERLOAD_MILLIS = 20_000;
  static final int OVERLOAD = 529;
  private static final long FIRST_SECOND_MILLIS = 1_000;
  private static final double CUT = 0.05;
  private static final Pattern COST = Pattern.compile("cost=([0-9]+);");
  private static final Pattern STREAM =
      Pattern.compile(":streamGenerateContent|\"stream\"\\s*:\\s*true");
  private static final String END = "\n\n"; // of an event

  /** The fate of a request. */
  enum Fate {
    ANSWERED,
    /** Processed, and its answer breaks off: a stream in its middle. */
    CUT,
    /** 429. */
    REJECTED,
    /** 529; a stream has the status 200, and begins with the error. */
    OVERLOADED
  }

  private final Dialect dialect;
  private final Queue<Fate> next = new ConcurrentLinkedQueue<>(); // of a test
  private final Random random;
  private final HttpServer server;
  private final ExecutorService threads = Executors.newFixedThreadPool(40);
  private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(1);

  // Guarded by this.
  private long beganNanos = -1; // not yet
  private long window = -1;
  private long tokensLeft;
  private long requestsLeft;
  private long usedOutside;
  private long lastMillis;
  private int rejected;
  private int billed;
  private int cut;
  private int sentInOverload;

  /** How a vendor's API speaks. */
  interface Dialect {
    /** The body of an answer to a prompt. */
    String answer();

    /** The body of an error. */
    String error(int status);

    /** The events of an answer to a prompt, each of some lines. */
    List<String> events();

    /** The event that begins a stream if the server is overloaded. */
    String overloadEvent();

    /** Writes the headers of the quotas. */
    void quotas(Headers headers, Left left);
  }

  /**
   * The quotas that are left.
   *
   * @param requests of the window
   * @param tokens of the window
   * @param resetMillis until the next one
   */
  record Left(long requests, long tokens, long resetMillis) {}

  /**
   * The requests that the server saw.
   *
   * @param rejected answered with 429, after the first second
   * @param billed processed
   * @param cut those of them whose answer was cut
   * @param sentInOverload answered with 529
   * @param seconds from the first prompt to the last one
   * @param used the share of the tokens that it would have given outside of the overload in that
   *     time
   */
  record Seen(int rejected, int billed, int cut, int sentInOverload, double seconds, double used) {}

  AiServer(Dialect dialect, long seed) throws IOException {
    this.dialect = dialect;
    this.random = new Random(seed);
    this.server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
    server.setExecutor(threads);
    server.createContext("/", this::handle);
    server.start();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** The fates of the next requests, which are answered at once. */
  void next(Fate... fates) {
    next.addAll(List.of(fates));
  }

  private synchronized long millis() {
    beganNanos = beganNanos < 0 ? System.nanoTime() : beganNanos;
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNanos);
  }

  private void handle(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    Matcher cost = COST.matcher(body);
    int tokens = cost.find() ? Integer.parseInt(cost.group(1)) : 1;
    Admitted admitted = admit(tokens);
    boolean streams = STREAM.matcher(exchange.getRequestURI() + body).find();
    Headers headers = exchange.getResponseHeaders();
    headers.add("Content-Type", streams ? "text/event-stream" : "application/json");
    if (admitted.left() != null) {
      dialect.quotas(headers, admitted.left());
    }
    switch (admitted.fate()) {
      case REJECTED -> reply(exchange, 429, dialect.error(429));
      case OVERLOADED -> {
        if (streams) {
          reply(exchange, 200, dialect.overloadEvent() + END);
        } else {
          reply(exchange, OVERLOAD, dialect.error(OVERLOAD));
        }
      }
      case ANSWERED, CUT ->
          timer.schedule(
              () -> threads.execute(() -> finish(exchange, streams, admitted.fate() == Fate.CUT)),
              admitted.takesMillis(),
              TimeUnit.MILLISECONDS);
    }
  }

  private record Admitted(Fate fate, Left left, long takesMillis) {}

  private synchronized Admitted admit(int tokens) {
    long now = millis();
    Fate told = next.poll();
    boolean overloaded =
        now >= OVERLOAD_FROM_MILLIS && now < OVERLOAD_FROM_MILLIS + OVERLOAD_MILLIS;
    if (told == null ? overloaded : told == Fate.OVERLOADED) {
      sentInOverload++;
      return new Admitted(Fate.OVERLOADED, null, 0);
    }
    if (now / WINDOW_MILLIS != window) {
      window = now / WINDOW_MILLIS;
      tokensLeft = TOKENS;
      requestsLeft = REQUESTS;
    }
    boolean fits = tokensLeft >= tokens && requestsLeft > 0 && told != Fate.REJECTED;
    if (fits) {
      tokensLeft -= tokens;
      requestsLeft--;
      usedOutside += tokens;
      lastMillis = now;
      billed++;
    } else if (now >= FIRST_SECOND_MILLIS || told != null) {
      rejected++;
    }
    Left left = new Left(requestsLeft, tokensLeft, WINDOW_MILLIS - now % WINDOW_MILLIS);
    boolean cutOff = told == null ? random.nextDouble() < CUT : told == Fate.CUT;
    cut += fits && cutOff ? 1 : 0;
    long takes = told == null ? (long) (500 + 2_500 * random.nextDouble()) : 0;
    Fate processed = cutOff ? Fate.CUT : Fate.ANSWERED;
    return new Admitted(fits ? processed : Fate.REJECTED, left, takes);
  }

  private void finish(HttpExchange exchange, boolean streams, boolean cutOff) {
    List<String> events = dialect.events();
    try {
      if (streams && cutOff) {
        exchange.sendResponseHeaders(200, 10_000);
        String begun = String.join(END, events.subList(0, (events.size() + 1) / 2)) + END;
        exchange.getResponseBody().write(begun.getBytes(StandardCharsets.UTF_8));
        exchange.getResponseBody().flush();
        exchange.close();
      } else if (streams) {
        reply(exchange, 200, String.join(END, events) + END);
      } else if (cutOff) {
        exchange.sendResponseHeaders(200, 10_000);
        exchange.getResponseBody().write('{');
        exchange.getResponseBody().flush();
        exchange.close(); // the rest never comes
      } else {
        reply(exchange, 200, dialect.answer());
      }
    } catch (IOException gone) {
      exchange.close();
    }
  }

  private static void reply(HttpExchange exchange, int status, String text) throws IOException {
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  synchronized Seen seen() {
    long outside = lastMillis - (lastMillis > OVERLOAD_FROM_MILLIS ? OVERLOAD_MILLIS : 0);
    double given = (double) TOKENS * outside / WINDOW_MILLIS;
    return new Seen(rejected, billed, cut, sentInOverload, lastMillis / 1e3, usedOutside / given);
  }

  @Override
  public void close() {
    server.stop(0);
    timer.shutdownNow();
    threads.shutdownNow();
  }
}
