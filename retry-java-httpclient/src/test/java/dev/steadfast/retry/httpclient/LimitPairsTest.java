package dev.steadfast.retry.httpclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.AttemptReport;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.TimeLimit;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.scope.RetryScope;
import dev.steadfast.retry.scope.ScopeOptions;
import dev.steadfast.retry.tck.Reply;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Of two limits the shorter one ends a silent attempt, and exception and report name it. */
class LimitPairsTest {
  private static final Duration SHORT = Duration.ofMillis(250);
  private static final Duration LONG = Duration.ofHours(1);

  @RegisterExtension private final Bench bench = new Bench();

  record Pair(Entry entry, TimeLimit shorter, TimeLimit longer) {
    Optional<Duration> length(TimeLimit limit) {
      if (limit == shorter) {
        return Optional.of(SHORT);
      }
      return limit == longer ? Optional.of(LONG) : Optional.empty();
    }
  }

  static Stream<Pair> pairs() {
    return Stream.of(Entry.values())
        .flatMap(entry ->
            limits().flatMap(shorter -> limits().map(longer -> new Pair(entry, shorter, longer))));
  }

  private static Stream<TimeLimit> limits() {
    return Stream.of(TimeLimit.values()).filter(each -> each != TimeLimit.BODY_IDLE_TIMEOUT);
  }

  private HttpClient client(Pair pair) {
    RetryPolicy.Builder policy = RetryPolicy.builder().noTotalTimeout().maxAttempts(1);
    pair.length(TimeLimit.ATTEMPT_TIMEOUT).ifPresent(policy::attemptTimeout);
    pair.length(TimeLimit.TOTAL_TIMEOUT).ifPresent(policy::totalTimeout);
    RetryOptions.Builder options = RetryOptions.builder();
    pair.length(TimeLimit.DEADLINE).ifPresent(options::deadline);
    return bench.client(bench.retry().policy(policy.build())).with(options.build());
  }

  private HttpRequest request(Pair pair) {
    HttpRequest.Builder request = HttpRequest.newBuilder(bench.server.uri("/"));
    pair.length(TimeLimit.CLIENT_TIMEOUT).ifPresent(request::timeout);
    return request.build();
  }

  private RetryScope scope(Pair pair) {
    ScopeOptions options = ScopeOptions.builder().environment(bench.time.environment()).build();
    Map<String, String> headers =
        pair.length(TimeLimit.SCOPE_DEADLINE)
            .map(each -> Map.of("X-Request-Timeout-Ms", "" + each.toMillis()))
            .orElse(Map.of());
    return RetryScope.enter(headers::get, null, options);
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void theShorterOneEndsTheAttemptAndIsNamed(Pair pair) {
    bench.server.defaultReply(Reply.stallAfterRequest());
    if (pair.shorter() != TimeLimit.CLIENT_TIMEOUT) { // the client keeps its own in real time
      bench.server.whenRequest(request -> bench.time.advance(SHORT));
    }
    HttpTimeoutException thrown;
    try (RetryScope scope = scope(pair)) {
      thrown =
          assertThrows(
              HttpTimeoutException.class,
              () -> pair.entry().call(client(pair), request(pair), BodyHandlers.ofString()));
    }
    RetryReport report = RetryReport.of(thrown).orElseThrow();
    assertEquals(Optional.of(pair.shorter()), report.last().flatMap(AttemptReport::endedBy));
    assertTrue(report.toString().endsWith(" by the " + pair.shorter() + "]"), report::toString);
    boolean byClient = pair.shorter() == TimeLimit.CLIENT_TIMEOUT;
    String expected = byClient ? "" : "(" + pair.shorter().setting() + ")";
    String message = String.valueOf(thrown.getMessage());
    assertTrue(message.startsWith("request timed out") && message.endsWith(expected), message);
  }
}
