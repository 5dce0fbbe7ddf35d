package dev.steadfast.retry.jmh;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.engine.Evidence;
import dev.steadfast.retry.engine.Outcome;
import dev.steadfast.retry.http.HttpOperation;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RequestView;
import dev.steadfast.retry.http.ResponseView;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.limit.QuotaPacing;
import java.net.URI;
import java.net.http.HttpHeaders;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import okhttp3.Headers;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What pacing adds to a first success whose answer tells of no quota: the guard, and the look at
 * the names of its headers. The difference of the two outcomes is the price of that look.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(2)
@Warmup(iterations = 3, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
public class PacingBenchmark {
  private static final URI TARGET = URI.create("https://api.example.com/orders");

  private static final Evidence WIRE =
      Evidence.of(Disposition.ANSWERED, Evidence.Safety.IDEMPOTENT, 200, 1);

  private static final HttpHeaders HEADERS =
      HttpHeaders.of(
          Map.of(
              "cache-control", List.of("no-cache"),
              "content-length", List.of("120"),
              "content-type", List.of("application/json"),
              "date", List.of("Fri, 06 Jun 2014 12:30:00 GMT"),
              "etag", List.of("\"1\""),
              "server", List.of("nginx"),
              "strict-transport-security", List.of("max-age=300"),
              "vary", List.of("accept"),
              "x-frame-options", List.of("deny"),
              "x-request-id", List.of("4711")),
          (name, value) -> true);

  private final QuotaPacing pacing = QuotaPacing.perOrigin();
  private final HttpOperation paced = operation(HttpRetry.builder().guard(pacing).build());
  private final HttpOperation unpaced = operation(HttpRetry.builder().build());
  private ResponseView answer = new JdkHead(HEADERS);

  /** Whose headers: both clients keep them in another way. */
  @Param({"jdk", "okhttp"})
  String client;

  @Setup
  public void chooseClient() {
    answer = client.equals("jdk") ? new JdkHead(HEADERS) : new OkHttpHead(okHttp(HEADERS));
  }

  private static HttpOperation operation(HttpRetry retry) {
    return retry.operation(new Get(), RetryOptions.none());
  }

  private static Headers okHttp(HttpHeaders headers) {
    Headers.Builder lines = new Headers.Builder();
    headers.map().forEach((name, values) -> lines.add(name, values.get(0)));
    return lines.build();
  }

  @Benchmark
  public Object guardAlone() {
    Object permit = pacing.acquire(paced.info(), 1);
    pacing.operationEnded(paced.info());
    return permit;
  }

  @Benchmark
  public Outcome outcomePaced() {
    return paced.outcome(answer, WIRE);
  }

  @Benchmark
  public Outcome outcomeUnpaced() {
    return unpaced.outcome(answer, WIRE);
  }

  /** As the adapter of OkHttp looks at an answer. */
  private record OkHttpHead(Headers lines) implements ResponseView {
    @Override
    public int status() {
      return 200;
    }

    @Override
    public List<String> headers(String name) {
      return lines.values(name);
    }

    @Override
    public Map<String, List<String>> headerMap() {
      return lines.toMultimap();
    }

    @Override
    public boolean hasHeader(Predicate<String> name) {
      for (int i = 0; i < lines.size(); i++) {
        if (name.test(lines.name(i))) {
          return true;
        }
      }
      return false;
    }
  }

  /** As the adapter of java.net.http does. */
  private record JdkHead(HttpHeaders lines) implements ResponseView {
    @Override
    public int status() {
      return 200;
    }

    @Override
    public List<String> headers(String name) {
      return lines.allValues(name);
    }

    @Override
    public Map<String, List<String>> headerMap() {
      return lines.map();
    }
  }

  private record Get() implements RequestView {
    @Override
    public String method() {
      return "GET";
    }

    @Override
    public URI uri() {
      return TARGET;
    }

    @Override
    public List<String> headers(String name) {
      return List.of();
    }

    @Override
    public Optional<byte[]> body(int limit) {
      return Optional.of(new byte[0]);
    }
  }
}
