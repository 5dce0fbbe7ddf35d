package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.AttemptReport;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.TimeLimit;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.scope.RetryScope;
import dev.steadfast.retry.scope.ScopeOptions;
import dev.steadfast.retry.tck.Reply;
import dev.steadfast.retry.tck.ScriptedServer;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import okhttp3.Call;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Of two limits the shorter one ends a silent attempt, and exception and report name it. */
class LimitPairsTest {
  private static final Duration SHORT = Duration.ofMillis(250);
  private static final Duration LONG = Duration.ofHours(1);

  @RegisterExtension private final Rig rig = new Rig();
  private final ScriptedServer server = rig.server();

  /** OkHttp has two timeouts that end an attempt which gets no answer. */
  enum Limit {
    ATTEMPT(TimeLimit.ATTEMPT_TIMEOUT),
    TOTAL(TimeLimit.TOTAL_TIMEOUT),
    DEADLINE(TimeLimit.DEADLINE),
    SCOPE(TimeLimit.SCOPE_DEADLINE),
    CALL(TimeLimit.CLIENT_TIMEOUT),
    READ(TimeLimit.CLIENT_TIMEOUT);

    private final TimeLimit named;

    Limit(TimeLimit named) {
      this.named = named;
    }
  }

  record Pair(Way way, Limit shorter, Limit longer) {
    Optional<Duration> length(Limit limit) {
      if (limit == shorter) {
        return Optional.of(SHORT);
      }
      return limit == longer ? Optional.of(LONG) : Optional.empty();
    }

    /** OkHttp ends it, in real time. */
    boolean byOkHttp() {
      boolean interceptor = way == Way.INTERCEPTOR || way == Way.INTERCEPTOR_ENQUEUE;
      return shorter == Limit.READ
          || (interceptor && (shorter == Limit.ATTEMPT || shorter == Limit.CALL));
    }
  }

  static Stream<Pair> pairs() {
    return Stream.of(Way.EXECUTE, Way.ENQUEUE, Way.INTERCEPTOR)
        .flatMap(way ->
            Stream.of(Limit.values())
                .flatMap(shorter ->
                    Stream.of(Limit.values()).map(longer -> new Pair(way, shorter, longer))));
  }

  private Call.Factory calls(Pair pair) {
    RetryPolicy.Builder policy = RetryPolicy.builder().noTotalTimeout().maxAttempts(1);
    pair.length(Limit.ATTEMPT).ifPresent(policy::attemptTimeout);
    pair.length(Limit.TOTAL).ifPresent(policy::totalTimeout);
    OkHttpClient.Builder client = Rig.builder();
    client.readTimeout(pair.length(Limit.READ).orElse(Duration.ZERO));
    pair.length(Limit.CALL).ifPresent(client::callTimeout);
    return pair.way().calls(rig, client, rig.retry().policy(policy.build()).build());
  }

  private Request request(Pair pair) {
    RetryOptions.Builder options = RetryOptions.builder();
    pair.length(Limit.DEADLINE).ifPresent(options::deadline);
    return Calls.get(server).newBuilder().tag(RetryOptions.class, options.build()).build();
  }

  private RetryScope scope(Pair pair) {
    ScopeOptions options = ScopeOptions.builder().environment(rig.time.environment()).build();
    Map<String, String> headers =
        pair.length(Limit.SCOPE)
            .map(each -> Map.of("X-Request-Timeout-Ms", "" + each.toMillis()))
            .orElse(Map.of());
    return RetryScope.enter(headers::get, null, options);
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void theShorterOneEndsTheAttemptAndIsNamed(Pair pair) {
    server.defaultReply(Reply.stallAfterRequest());
    if (pair.shorter() != Limit.READ) {
      server.whenRequest(request -> rig.time.advance(SHORT));
    }
    Entry.Outcome got;
    try (RetryScope scope = scope(pair)) {
      got = pair.way().make(calls(pair).newCall(request(pair)));
    }
    assertInstanceOf(InterruptedIOException.class, got.failure());
    TimeLimit named = pair.shorter().named;
    // The interceptor sees a call timeout of OkHttp's as a cancellation.
    boolean seen = pair.shorter() != Limit.CALL || pair.way() != Way.INTERCEPTOR;
    assertEquals(
        seen ? Optional.of(named) : Optional.empty(),
        got.report().last().flatMap(AttemptReport::endedBy));
    String message = String.valueOf(got.failure().getMessage());
    if (pair.byOkHttp()) {
      assertTrue(message.equals("timeout") || message.equals("Read timed out"), message);
    } else if (pair.shorter() == Limit.CALL) {
      assertEquals("timeout", message);
    } else {
      assertTrue(message.startsWith("timeout: the "), message);
      assertTrue(message.endsWith("(" + named.setting() + ")"), message);
    }
  }
}
