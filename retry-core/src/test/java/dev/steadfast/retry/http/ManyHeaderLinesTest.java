package dev.steadfast.retry.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.ServerDelay;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.engine.Evidence;
import dev.steadfast.retry.engine.Outcome;
import java.time.Duration;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A header is looked up once per answer, however many lines it has. */
class ManyHeaderLinesTest {
  private static final int LINES = 40_000;
  private static final int MOST_DELAYS = 16;
  private static final String DATE = "Fri, 06 Jun 2014 12:30:30 GMT";

  /** An answer that counts how often each header is looked up, and how many lines are read. */
  private static final class Counting implements ResponseView {
    private final int status;
    private final Map<String, List<String>> headers;
    private final Map<String, Integer> lookups = new TreeMap<>();
    private final Map<String, Integer> linesRead = new TreeMap<>();

    Counting(int status, Map<String, List<String>> headers) {
      this.status = status;
      this.headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
      this.headers.putAll(headers);
    }

    @Override
    public int status() {
      return status;
    }

    @Override
    public List<String> headers(String name) {
      String key = name.toLowerCase(Locale.ROOT);
      lookups.merge(key, 1, Integer::sum);
      List<String> lines = headers.getOrDefault(name, List.of());
      return new AbstractList<>() {
        @Override
        public String get(int index) {
          String line = lines.get(index);
          linesRead.merge(key, 1, Integer::sum);
          return line;
        }

        @Override
        public int size() {
          return lines.size();
        }
      };
    }

    @Override
    public Map<String, List<String>> headerMap() {
      throw new AssertionError("nothing here needs all of them");
    }
  }

  private static List<String> lines(String value) {
    return Collections.nCopies(LINES, value);
  }

  private static Outcome outcome(Counting answer) {
    return HttpRetry.builder()
        .signals(
            ResponseSignals.standard()
                .withRateLimitReset()
                .withShouldRetry("X-Should-Retry", "no", false)
                .withShouldRetry("X-Again", "yes", true))
        .build()
        .operation(TestRequest.of("GET"), RetryOptions.none())
        .outcome(
            answer,
            Evidence.of(Disposition.ANSWERED, Evidence.Safety.IDEMPOTENT, answer.status(), 1));
  }

  static Stream<Map<String, List<String>>> answers() {
    return Stream.of(
        Map.of(),
        Map.of("Retry-After", lines("7")),
        Map.of("Retry-After", lines(DATE)),
        Map.of("Retry-After", lines(DATE), "Date", List.of(DATE)),
        Map.of("Retry-After", lines("soon"), "X-RateLimit-Reset", lines("1402057830")),
        Map.of("Retry-After", List.of(DATE), "Date", lines(DATE), "Age", lines("1")),
        Map.of("retry-after-ms", lines("x"), "x-ms-retry-after-ms", lines("1.x")),
        Map.of("x-should-retry", lines("maybe"), "Stripe-Should-Retry", lines("maybe")),
        Map.of("x-should-retry", lines("true"), "X-Again", lines("no")),
        Map.of("Qos-Retry-Hint", lines("retry"), "finagle-http-nack", lines("true")),
        Map.of("grpc-retry-pushback-ms", lines("5")),
        Map.of("Idempotent-Replayed", lines("no"), "X-Idempotent-Replayed", lines("no")));
  }

  @ParameterizedTest
  @MethodSource("answers")
  void eachHeaderIsLookedUpOnce_andEachLineReadOnce(Map<String, List<String>> headers) {
    for (int status : new int[] {200, 404, 429, 500, 503}) {
      Counting answer = new Counting(status, headers);
      outcome(answer);
      answer.lookups.forEach(
          (name, times) -> assertEquals(1, times, status + ": lookups of " + name));
      answer.linesRead.forEach(
          (name, times) -> assertTrue(times <= LINES, status + ": " + times + " lines of " + name));
    }
  }

  @ParameterizedTest
  @MethodSource("answers")
  void noMoreThanSixteenLinesOfADelayAreRead(Map<String, List<String>> headers) {
    Counting answer = new Counting(503, headers);
    outcome(answer);
    for (String name :
        List.of(
            "retry-after", "retry-after-ms", "x-ms-retry-after-ms", "x-ratelimit-reset", "date")) {
      int read = answer.linesRead.getOrDefault(name, 0);
      assertTrue(read <= MOST_DELAYS, read + " lines of " + name);
    }
  }

  private static ServerDelay delay(String header, int lines, String last) {
    List<String> all = new ArrayList<>(Collections.nCopies(lines - 1, "1"));
    all.add(last);
    Verdict verdict = outcome(new Counting(503, Map.of(header, all))).verdict();
    return ((Verdict.Retryable) verdict).serverDelay();
  }

  @Test
  void ofSixteenDelaysTheLongestHolds() {
    assertEquals(
        ServerDelay.atLeast(Duration.ofSeconds(9)), delay("Retry-After", MOST_DELAYS, "9"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"Retry-After", "retry-after-ms", "x-ms-retry-after-ms", "X-RateLimit-Reset"})
  void aLineThatIsNotReadBringsNoRetryBeforeItsDelay(String header) {
    ServerDelay endless = ServerDelay.atLeast(Duration.ofNanos(Long.MAX_VALUE));
    assertEquals(endless, delay(header, MOST_DELAYS + 1, "9000"));
    assertEquals(endless, delay(header, LINES, "9000"));
  }

  // Any line may say not to retry, so here every line counts.
  @ParameterizedTest
  @CsvSource({"x-should-retry, true, false", "grpc-retry-pushback-ms, 5, -1"})
  void aStopOnTheLastLineHolds(String header, String others, String last) {
    List<String> lines = new ArrayList<>(Collections.nCopies(LINES, others));
    lines.set(LINES - 1, last);
    Verdict verdict = outcome(new Counting(503, Map.of(header, lines))).verdict();
    assertTrue(((Verdict.Retryable) verdict).doNotRetry(), verdict::toString);
  }
}
