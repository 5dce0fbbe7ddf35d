package dev.steadfast.retry.jmh;

import com.sun.management.OperatingSystemMXBean;
import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.httpclient.RetryingHttpClient;
import dev.steadfast.retry.okhttp.RetryInterceptor;
import dev.steadfast.retry.okhttp.RetryingCallFactory;
import dev.steadfast.retry.resilience4j.Resilience4jGuards;
import io.github.resilience4j.bulkhead.BulkheadConfig;
import java.lang.management.ManagementFactory;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.IntFunction;
import okhttp3.Call;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;

/**
 * What an answer with many header lines costs in CPU time, by entry point, beside what it costs the
 * client alone. The time is that of the whole process, the collector's and the compiler's included,
 * less that of the server's threads. Of each pair of rounds one is the client's, one ours.
 */
final class HeaderCensus {
  private static final int LINES = 40_000;
  private static final int MOST_BYTES = 250_000; // OkHttp takes 256 KiB of an answer's headers
  private static final String PAST = "Fri, 06 Jun 2014 12:30:30 GMT";

  private static final List<Kind> KINDS =
      List.of(
          Kind.answer("different names", 200, HeaderCensus::different),
          Kind.answer("different names", 503, HeaderCensus::different),
          Kind.answer("one other name", 503, i -> "h:"),
          Kind.of("retry-after:0"),
          Kind.of("retry-after:" + PAST),
          Kind.of("retry-after:soon"),
          Kind.of("retry-after-ms:0.0"),
          Kind.of("x-ratelimit-reset:0"),
          Kind.of("x-should-retry:true"),
          Kind.of("grpc-retry-pushback-ms:0"),
          Kind.of("idempotent-replayed:1"),
          Kind.of("date:" + PAST).after("retry-after:" + PAST),
          Kind.of("age:1").after("retry-after:" + PAST, "date:" + PAST),
          Kind.answer("different names", 503, HeaderCensus::different).guarded(),
          Kind.answer("request lines", 503, i -> "h:").ofRequest(),
          Kind.answer("different request lines", 503, HeaderCensus::different).ofRequest());

  private final int rounds;
  private final int calls;

  HeaderCensus(int rounds, int calls) {
    this.rounds = rounds;
    this.calls = calls;
  }

  /** Where the lines are, what they are, and how it is answered. */
  private record Kind(
      String name,
      int status,
      List<String> first,
      IntFunction<String> line,
      boolean onRequest,
      HttpRetry.Builder retry) {
    static Kind answer(String name, int status, IntFunction<String> line) {
      return new Kind(name, status, List.of(), line, false, retrying());
    }

    static Kind of(String line) {
      return answer(line, 503, i -> line);
    }

    Kind after(String... lines) {
      return new Kind(name, status, List.of(lines), line, onRequest, retry);
    }

    Kind guarded() {
      retry.guard(Resilience4jGuards.bulkhead(BulkheadConfig.ofDefaults()));
      return new Kind(name + ", guarded", status, first, line, onRequest, retry);
    }

    Kind ofRequest() {
      retry.oncePerAttempt(
          "x-attempt", (operation, number) -> Optional.of(Integer.toString(number)));
      return new Kind(name, status, first, line, true, retry);
    }

    private static HttpRetry.Builder retrying() {
      return HttpRetry.builder()
          .policy(
              RetryPolicy.builder()
                  .maxAttempts(2)
                  .backoff(Backoff.none())
                  .serverDelaySpread(0)
                  .build())
          .budget(RetryBudget.unlimited())
          .readRateLimitReset(true);
    }

    List<Map.Entry<String, String>> lines(int mostBytes) {
      List<Map.Entry<String, String>> lines = new ArrayList<>();
      first.forEach(each -> lines.add(entry(each)));
      int bytes = 0;
      for (int i = 0; i < LINES && bytes < mostBytes; i++) {
        String next = line.apply(i);
        bytes += next.length() + 2;
        lines.add(entry(next));
      }
      return lines;
    }

    private static Map.Entry<String, String> entry(String line) {
      int colon = line.indexOf(':');
      return Map.entry(line.substring(0, colon), line.substring(colon + 1));
    }

    String title(List<Map.Entry<String, String>> lines, String client, boolean http1) {
      String what = status + ", " + lines.size() + " x " + name;
      return String.format(
          Locale.ROOT, "%-58s %-6s %-8s", what, client, http1 ? "HTTP/1.1" : "HTTP/2");
    }

    HeaderServer server(List<Map.Entry<String, String>> lines) {
      return new HeaderServer(status, onRequest ? List.of() : lines);
    }

    List<Map.Entry<String, String>> sent(List<Map.Entry<String, String>> lines) {
      return onRequest ? lines : List.of();
    }
  }

  // Three characters, so that 40,000 lines are below OkHttp's limit.
  private static String different(int i) {
    return Integer.toString(i + 3000, 36) + ":";
  }

  /**
   * Prints a table.
   *
   * @param args how many rounds, and how many calls in a round; by default 5 and 20; then, if not
   *     all, a part of the names of the kinds of lines
   */
  public static void main(String[] args) throws Exception {
    System.setProperty("jdk.http.maxHeaderSize", "0"); // no limit: the default stops at 384 KiB
    int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 5;
    int calls = args.length > 1 ? Integer.parseInt(args[1]) : 20;
    System.out.println(
        "CPU per answer: of the client alone, and how many times that with Steadfast");
    new HeaderCensus(rounds, calls).print(args.length > 2 ? args[2] : "");
    System.exit(0); // the clients' threads are no daemons
  }

  /** Prints the rows of the kinds whose name has that part. */
  void print(String part) throws Exception {
    for (Kind kind : KINDS) {
      if (kind.name().contains(part)) {
        okHttp(kind, Protocol.HTTP_1_1);
        okHttp(kind, Protocol.H2_PRIOR_KNOWLEDGE);
        jdk(kind, HttpClient.Version.HTTP_1_1);
        jdk(kind, HttpClient.Version.HTTP_2);
      }
    }
  }

  /** A way into the library, and the same call of the client alone. */
  private record Entry(String name, Callable<?> plain, Callable<?> steadfast) {}

  private void okHttp(Kind kind, Protocol protocol) throws Exception {
    List<Map.Entry<String, String>> lines = kind.lines(MOST_BYTES);
    try (HeaderServer server = kind.server(lines)) {
      HttpRetry retry = kind.retry().build();
      OkHttpClient client =
          Configurations.okHttp().newBuilder().protocols(List.of(protocol)).build();
      OkHttpClient within = RetryInterceptor.addTo(client.newBuilder(), retry).build();
      Call.Factory factory = RetryingCallFactory.wrap(client, retry);
      Request.Builder builder = new Request.Builder().url(server.uri().toString());
      kind.sent(lines).forEach(each -> builder.addHeader(each.getKey(), each.getValue()));
      Request request = builder.build();
      Callable<?> plain = () -> Async.read(client.newCall(request).execute());
      System.out.print(kind.title(lines, "OkHttp", protocol == Protocol.HTTP_1_1));
      print(
          server,
          new Entry("execute", plain, () -> Async.read(factory.newCall(request).execute())),
          new Entry("interceptor", plain, () -> Async.read(within.newCall(request).execute())),
          new Entry(
              "enqueue",
              () -> Async.enqueue(client.newCall(request)).join(),
              () -> Async.enqueue(factory.newCall(request)).join()));
      Configurations.close(client);
    }
  }

  private void jdk(Kind kind, HttpClient.Version version) throws Exception {
    List<Map.Entry<String, String>> lines = kind.lines(Integer.MAX_VALUE);
    try (HeaderServer server = kind.server(lines)) {
      HttpClient client = HttpClient.newBuilder().version(version).build();
      HttpClient steadfast = RetryingHttpClient.wrap(client, kind.retry().build());
      HttpRequest.Builder builder = HttpRequest.newBuilder(server.uri());
      kind.sent(lines).forEach(each -> builder.header(each.getKey(), each.getValue()));
      HttpRequest request = builder.build();
      System.out.print(kind.title(lines, "JDK", version == HttpClient.Version.HTTP_1_1));
      print(
          server,
          new Entry(
              "send",
              () -> client.send(request, BodyHandlers.ofByteArray()),
              () -> steadfast.send(request, BodyHandlers.ofByteArray())),
          new Entry(
              "sendAsync",
              () -> client.sendAsync(request, BodyHandlers.ofByteArray()).join(),
              () -> steadfast.sendAsync(request, BodyHandlers.ofByteArray()).join()));
    }
  }

  private void print(HeaderServer server, Entry... entries) throws Exception {
    for (Entry entry : entries) {
      double[] plains = new double[rounds];
      double[] ours = new double[rounds];
      millis(server, entry.plain()); // warm-up
      millis(server, entry.steadfast());
      for (int round = 0; round < rounds; round++) {
        plains[round] = millis(server, entry.plain());
        ours[round] = millis(server, entry.steadfast());
      }
      double plain = median(plains);
      System.out.printf(
          Locale.ROOT, "  %s %.1f ms x %.2f", entry.name(), plain, median(ours) / plain);
    }
    System.out.println();
  }

  private double millis(HeaderServer server, Callable<?> call) throws Exception {
    int answers = server.answers();
    long before = cpuNanos(server);
    for (int i = 0; i < calls; i++) {
      call.call();
    }
    return (cpuNanos(server) - before) / 1e6 / (server.answers() - answers);
  }

  private static long cpuNanos(HeaderServer server) {
    OperatingSystemMXBean process =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    return process.getProcessCpuTime() - server.cpuNanos();
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }
}
