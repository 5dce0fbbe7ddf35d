package dev.steadfast.retry.effects;

import com.sun.net.httpserver.Headers;
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
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/**
 * A real server with one value, which it changes only for who names its version. It can lose an
 * answer before or after the change, and let somebody else change the value at a moment that the
 * test chooses. Safe for use by many threads.
 */
final class VersionedServer implements AutoCloseable {
  static {
    System.setProperty("sun.net.httpserver.nodelay", "true"); // else an answer may wait for an ACK
  }

  /** What happens to a write. */
  enum Fault {
    NONE,
    /** The connection closes, and nothing was done. */
    LOST_BEFORE,
    /** The write is processed as usual, and the connection closes. */
    LOST_AFTER,
    /** 503, and nothing was done. */
    UNAVAILABLE,
    /** 403, and nothing was done. */
    FORBIDDEN,
    /** 401, and nothing was done. */
    CHALLENGE,
    /** 302, as to a page for signing in, and nothing was done. */
    MOVED,
    /** The write is processed as usual, and a success is answered by 303 to the value. */
    SEE_OTHER,
    /** The same, and the value is not shown then: 429. */
    SEE_LIMITED
  }

  /** One write. */
  record Plan(Fault fault, UnaryOperator<String> before, UnaryOperator<String> after) {
    static Plan of(Fault fault) {
      return new Plan(fault, same -> same, same -> same);
    }

    /** Somebody else changes the value before the write is looked at. */
    Plan before(UnaryOperator<String> change) {
      return new Plan(fault, change, after);
    }

    /** Somebody else changes the value after the write was processed. */
    Plan after(UnaryOperator<String> change) {
      return new Plan(fault, before, change);
    }
  }

  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Deque<Plan> plans = new ArrayDeque<>();
  private final List<Headers> reads = new ArrayList<>();
  private final List<Headers> writes = new ArrayList<>();
  private final List<String> methods = new ArrayList<>();
  private String value;
  private String staleValue = "";
  private int staleVersion;
  private int staleReads;
  private int version = 1;
  private int changes; // by clients
  private boolean limited; // for one read
  private int readStatus = 200;
  private int conflictStatus = 412;
  private String retryAfter = "";
  private boolean inBody;
  private BiFunction<Integer, Integer, List<String>> tags =
      (ofValue, ofRead) -> List.of("\"" + ofValue + "\"");

  VersionedServer(String value) throws IOException {
    this.value = value;
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", this::handle);
    server.start();
  }

  URI uri() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/value?secret=1");
  }

  synchronized VersionedServer plan(Plan... next) {
    plans.addAll(List.of(next));
    return this;
  }

  /** Makes the {@code ETag} lines of the version and of the number of the read. */
  synchronized VersionedServer tags(BiFunction<Integer, Integer, List<String>> tags) {
    this.tags = tags;
    return this;
  }

  synchronized VersionedServer conflictStatus(int status, String retryAfter) {
    this.conflictStatus = status;
    this.retryAfter = retryAfter;
    return this;
  }

  synchronized VersionedServer readStatus(int status) {
    this.readStatus = status;
    return this;
  }

  /** The body is the version, a colon, and the value; no tags. */
  synchronized VersionedServer versionInBody() {
    this.inBody = true;
    return this;
  }

  /** The next reads after the first write show what was there before it. */
  synchronized VersionedServer staleReads(int count) {
    this.staleReads = count;
    this.staleVersion = version;
    this.staleValue = value;
    return this;
  }

  /** The next read shows what an even older replica has. */
  synchronized void showOnce(int oldVersion, String oldValue) {
    this.staleReads = 1;
    this.staleVersion = oldVersion;
    this.staleValue = oldValue;
  }

  synchronized String value() {
    return value;
  }

  /** How many writes of clients were applied. */
  synchronized int changes() {
    return changes;
  }

  synchronized List<Headers> reads() {
    return List.copyOf(reads);
  }

  synchronized List<Headers> writes() {
    return List.copyOf(writes);
  }

  synchronized List<String> methods() {
    return List.copyOf(methods);
  }

  private void handle(HttpExchange exchange) throws IOException {
    byte[] body = exchange.getRequestBody().readAllBytes();
    boolean read = exchange.getRequestMethod().equals("GET");
    Answer answer =
        read ? read(exchange) : write(exchange, new String(body, StandardCharsets.UTF_8));
    if (answer.status() == 0) {
      exchange.close();
      return;
    }
    for (String tag : answer.tags()) {
      exchange.getResponseHeaders().add("ETag", tag);
    }
    if (!answer.retryAfter().isEmpty()) {
      exchange.getResponseHeaders().set("Retry-After", answer.retryAfter());
    }
    if (answer.status() == 302 || answer.status() == 303) {
      exchange.getResponseHeaders().set("Location", answer.status() == 302 ? "/sign-in" : "/value");
    }
    exchange.getResponseHeaders().set("Content-Type", "text/plain; charset=utf-8");
    byte[] bytes = answer.body().getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(answer.status(), bytes.length == 0 ? -1 : bytes.length);
    if (bytes.length > 0) {
      exchange.getResponseBody().write(bytes);
    }
    exchange.close();
  }

  private record Answer(int status, String body, List<String> tags, String retryAfter) {}

  private synchronized Answer read(HttpExchange exchange) {
    reads.add(exchange.getRequestHeaders());
    if (readStatus != 200) {
      return new Answer(readStatus, "no", List.of(), "");
    }
    if (limited) {
      limited = false;
      return new Answer(429, "", List.of(), "");
    }
    String named = exchange.getRequestHeaders().getFirst("If-Match");
    if (named != null && !named.equals("\"" + version + "\"")) {
      return new Answer(412, "", List.of(), ""); // RFC 9110 section 13.2.2: for a GET, too
    }
    boolean stale = !writes.isEmpty() && staleReads > 0;
    staleReads -= stale ? 1 : 0;
    int shown = stale ? staleVersion : version;
    String body = stale ? staleValue : value;
    List<String> lines = inBody ? List.of() : tags.apply(shown, reads.size());
    return new Answer(200, inBody ? shown + ":" + body : body, lines, "");
  }

  private synchronized Answer write(HttpExchange exchange, String body) {
    writes.add(exchange.getRequestHeaders());
    methods.add(exchange.getRequestMethod());
    Plan plan = plans.isEmpty() ? Plan.of(Fault.NONE) : plans.remove();
    somebodyElse(plan.before());
    Answer answer = process(exchange.getRequestHeaders(), body, plan.fault());
    somebodyElse(plan.after());
    boolean lost = plan.fault() == Fault.LOST_BEFORE || plan.fault() == Fault.LOST_AFTER;
    return lost ? new Answer(0, "", List.of(), "") : answer;
  }

  private void somebodyElse(UnaryOperator<String> change) {
    String changed = change.apply(value);
    if (!changed.equals(value)) {
      value = changed;
      version++;
    }
  }

  private Answer process(Headers headers, String body, Fault fault) {
    switch (fault) {
      case LOST_BEFORE -> {
        return new Answer(0, "", List.of(), "");
      }
      case UNAVAILABLE -> {
        return new Answer(503, "", List.of(), "");
      }
      case FORBIDDEN -> {
        return new Answer(403, "not yours", List.of(), "");
      }
      case CHALLENGE -> {
        return new Answer(401, "", List.of(), "");
      }
      case MOVED -> {
        return new Answer(302, "", List.of(), "");
      }
      default -> {}
    }
    String named = headers.getFirst("If-Match");
    boolean match =
        inBody
            ? named == null && body.startsWith(version + ":")
            : named != null && named.equals("\"" + version + "\"");
    if (!match) {
      return new Answer(conflictStatus, "", List.of(), retryAfter);
    }
    value = inBody ? body.substring(body.indexOf(':') + 1) : body;
    version++;
    changes++;
    limited = fault == Fault.SEE_LIMITED;
    int status = limited || fault == Fault.SEE_OTHER ? 303 : 204;
    return new Answer(status, "", List.of("\"" + version + "\""), "");
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
