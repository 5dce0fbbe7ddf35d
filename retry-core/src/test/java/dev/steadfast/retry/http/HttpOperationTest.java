package dev.steadfast.retry.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.steadfast.retry.AttemptReport;
import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.Guard;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.ServerDelay;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.Vectors;
import dev.steadfast.retry.Vectors.Vector;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.engine.Evidence;
import dev.steadfast.retry.http.HttpClassifier.OperationView;
import dev.steadfast.retry.testsupport.CapturedLog;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.event.Level;

/** One logical call, from its headers to its end, against a scripted wire. */
class HttpOperationTest {
  private static final Wire.Failure LOST =
      Wire.failure(FailureKind.CONNECTION_LOST, Disposition.UNKNOWN);
  private static final String AMZ = "amz-sdk-request";
  private static final Wire.Failure REFUSED = Wire.failure(FailureKind.CONNECT, Disposition.UNSENT);

  private final LeapingTime time = new LeapingTime();

  private HttpRetry.Builder retry() {
    return HttpRetry.builder()
        .environment(time.environment())
        .budget(RetryBudget.unlimited())
        .policy(policy().build());
  }

  private static RetryPolicy.Builder policy() {
    return RetryPolicy.builder().maxAttempts(4).backoff(Backoff.fixed(Duration.ofMillis(100)));
  }

  private static HttpOperation get(HttpRetry.Builder retry) {
    return retry.build().operation(TestRequest.of("GET"), RetryOptions.none());
  }

  private static HttpOperation post(HttpRetry.Builder retry) {
    return retry.build().operation(TestRequest.of("POST"), RetryOptions.none());
  }

  private static TestResponse status(int status) {
    return TestResponse.of(status);
  }

  private static List<Duration> waits(Wire wire) {
    return wire.report().attemptReports().stream()
        .skip(1)
        .map(AttemptReport::waitedBefore)
        .toList();
  }

  // Courses.

  @Test
  void aPostWithoutAKeyIsSentOnceOn429InStrictMode() {
    StandardRules strict = StandardRules.builder().strictThrottling(true).build();
    Wire wire = Wire.run(post(retry().classifier(strict)), status(429).header("Retry-After", "1"));
    assertEquals(1, wire.sent().size());
    assertEquals(StopReason.NOT_REPLAYABLE, wire.report().reason());
    Wire usual = Wire.run(post(retry()), status(429).header("Retry-After", "1"), status(201));
    assertEquals(2, usual.sent().size());
  }

  @Test
  void aPostWithoutAKeyIsSentAgainIfNothingWasSentBefore() {
    Wire wire = Wire.run(post(retry()), REFUSED, REFUSED, LOST);
    assertEquals(3, wire.sent().size());
    assertEquals(StopReason.NOT_REPLAYABLE, wire.report().reason());
    assertTrue(wire.report().serverMayHaveActed());
    assertFalse(wire.report().earlierAttemptMayHaveActed());
  }

  /** Where the rules retry a conflict, they take it for the same operation in progress. */
  @Test
  void aConflictLeavesTheOutcomeUnknown_ifTheRulesRetryIt() {
    for (boolean retried : new boolean[] {true, false}) {
      StandardRules rules = StandardRules.builder().retry409WhenKeyed(retried).build();
      HttpRetry.Builder once = retry().policy(policy().maxAttempts(1).build()).classifier(rules);
      Wire wire = Wire.run(post(once.idempotencyKeys(IdempotencyKeys.randomUuid())), status(409));
      assertEquals(retried, wire.report().outcomeUnknown(), wire.report().toString());
    }
  }

  @Test
  void aPostThatWasNeverProcessedIsReportedSo() {
    Wire.Failure stream = Wire.failure(FailureKind.REFUSED_STREAM, Disposition.REFUSED);
    TestResponse nack = status(503).header("finagle-http-nack", "true");
    Wire wire = Wire.run(post(retry()), REFUSED, stream, nack, status(425));
    assertEquals(StopReason.ATTEMPTS_EXHAUSTED, wire.report().reason());
    assertFalse(wire.report().serverMayHaveActed());
  }

  @Test
  void tooEarlyIsRetriedOnce() {
    Wire once = Wire.run(post(retry()), status(425), status(201));
    assertEquals(2, once.sent().size());
    Wire twice = Wire.run(post(retry()), status(425), status(425), status(201));
    assertEquals(2, twice.sent().size());
    assertEquals(StopReason.NOT_RETRYABLE, twice.report().reason());
    Wire between = Wire.run(get(retry()), status(425), status(503), status(425), status(200));
    assertEquals(3, between.sent().size(), "once per operation, whatever comes between");
  }

  @Test
  void aNameThatDoesNotResolveIsTriedOnceMore() {
    Wire.Failure unknown = Wire.failure(FailureKind.DNS, Disposition.UNSENT);
    Wire wire = Wire.run(post(retry()), unknown);
    assertEquals(2, wire.sent().size());
    assertEquals(StopReason.NOT_RETRYABLE, wire.report().reason());
  }

  /** A decision after a thrown attempt must not see the response before it. */
  @Test
  void anAnswerSaysNothingAboutTheFailureAfterIt() {
    TestResponse delayed = status(503).header("Retry-After", "5");
    Wire wire = Wire.run(get(retry()), delayed, LOST, status(200));
    assertEquals(List.of(Duration.ofSeconds(5), Duration.ofMillis(100)), waits(wire));
    assertEquals(ServerDelay.none(), wire.outcomes().get(1).verdict().serverDelay());
    AttemptReport second = wire.report().attemptReports().get(1);
    assertEquals(OptionalInt.empty(), second.status());
    assertEquals(Optional.of(FailureKind.CONNECTION_LOST), second.kind());
    Wire ended = Wire.run(get(retry().policy(policy().maxAttempts(2).build())), delayed, LOST);
    assertEquals(Optional.empty(), ended.report().serverDelay());
    assertFalse(ended.report().replayed());
  }

  // Junk in a server delay never ends a call, nor makes it wait backwards or for ever.

  static Stream<Vector> caps() {
    return Vectors.group("retry_after_cap")
        .filter(vector -> vector.input().get("client").getAsString().equals("library"));
  }

  @ParameterizedTest
  @MethodSource("caps")
  void waitsOrGivesUpAsTheVectorsSay(Vector vector) {
    JsonObject input = vector.input();
    long computed = input.has("computedMillis") ? input.get("computedMillis").getAsLong() : 0;
    RetryPolicy policy =
        RetryPolicy.builder()
            .backoff(Backoff.fixed(Duration.ofMillis(computed)))
            .maxServerDelay(Duration.ofMillis(input.get("capMillis").getAsLong()))
            .totalTimeout(Duration.ofMillis(input.get("remainingDeadlineMillis").getAsLong()))
            .build();
    long serverDelayMillis = input.get("retryAfterMillis").getAsLong();
    TestResponse delayed = status(503).header("retry-after-ms", Long.toString(serverDelayMillis));
    Wire wire = Wire.run(get(retry().policy(policy)), delayed, status(200));
    if (vector.expected().has("giveUp")) {
      assertEquals(
          vector.expected().get("giveUp").getAsString(), wire.report().reason().toString());
      assertEquals(Duration.ZERO, wire.report().elapsed(), "at once");
      assertEquals(Optional.of(Duration.ofMillis(serverDelayMillis)), wire.report().serverDelay());
    } else {
      Duration sleep = Duration.ofMillis(vector.expected().get("sleepMillis").getAsLong());
      assertEquals(List.of(sleep), waits(wire));
    }
  }

  // Headers that are the same on every attempt.

  @Test
  void aStableHeaderIsMadeOncePerOperation() {
    List<Instant> asked = new ArrayList<>();
    HttpRetry.Builder retry =
        retry()
            .oncePerOperation(
                "Repeatability-First-Sent",
                (request, start) -> {
                  asked.add(start);
                  return Optional.of(request.method() + " " + start);
                });
    Wire wire = Wire.run(post(retry), REFUSED, REFUSED, REFUSED, status(201));
    assertEquals(
        Collections.nCopies(4, "POST 2014-06-06T12:30:00Z"), wire.sent("Repeatability-First-Sent"));
    assertEquals(List.of(LeapingTime.START), asked);
  }

  @Test
  void aStableHeaderMayBeLeftOut() {
    HttpOperation operation =
        get(retry().oncePerOperation("X-First", (request, start) -> Optional.empty()));
    assertFalse(operation.changesHeaders());
    assertEquals(List.of(Map.of()), Wire.run(operation, status(200)).sent());
  }

  @Test
  void aStableHeaderNeverTakesThePlaceOfTheKey() {
    HttpRetry.Builder retry =
        retry()
            .idempotencyKeys(IdempotencyKeys.from(request -> "key"))
            .oncePerOperation("idempotency-key", (request, start) -> Optional.of("other"));
    assertEquals(
        List.of(Map.of("Idempotency-Key", "key")), Wire.run(post(retry), status(201)).sent());
  }

  @Test
  void theSecondOfTwoStableHeadersOfOneNameHolds() {
    HttpRetry.Builder retry =
        retry()
            .oncePerOperation("X-First", (request, start) -> Optional.of("a"))
            .oncePerOperation("x-first", (request, start) -> Optional.of("b"));
    HttpOperation operation = get(retry);
    List<String> set = new ArrayList<>();
    operation.headers(Long.MAX_VALUE, (name, value) -> set.add(value));
    assertEquals(List.of("b"), set);
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\r\nInjected: 1", "a\nb", "\u00e9", " a", "a ", "a\u0000"})
  void aStableHeaderIsHeldToTheRules(String value) {
    HttpRetry.Builder retry =
        retry().oncePerOperation("X-First", (request, start) -> Optional.of(value));
    String message = assertThrows(IllegalArgumentException.class, () -> get(retry)).getMessage();
    assertTrue(message.startsWith("X-First: \""), message);
    assertTrue(message.endsWith("(expected: printable ASCII without surrounding spaces)"), message);
    assertEquals(-1, message.indexOf('\n'), "nothing to forge a log with");
  }

  @Test
  void aHeaderPerAttemptNeverTakesThePlaceOfTheKey() {
    HttpRetry.Builder retry =
        retry()
            .idempotencyKeys(IdempotencyKeys.from(request -> "key"))
            .oncePerAttempt("idempotency-key", (operation, number) -> Optional.of("other"));
    assertEquals(
        List.of(Map.of("Idempotency-Key", "key")), Wire.run(post(retry), status(201)).sent());
  }

  @Test
  void aHeaderPerAttemptIsTheOperations_unlessTheCallerSetIt() {
    HttpRetry retry =
        retry().oncePerAttempt("X-Each", (operation, number) -> Optional.empty()).build();
    HttpOperation adding = retry.operation(TestRequest.of("GET"), RetryOptions.none());
    assertTrue(adding.changesHeaders() && adding.adds("x-each") && !adding.adds("X-Other"));
    TestRequest own = TestRequest.of("GET").header("x-each", "7");
    assertFalse(retry.operation(own, RetryOptions.none()).adds("X-Each"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\r\nInjected: 1", "\u00e9", " a"})
  void aHeaderPerAttemptThatBreaksTheRulesIsLoggedAndLeftOut(String value) {
    HttpRetry.Builder retry =
        retry().oncePerAttempt("X-Each", (operation, number) -> Optional.of(value));
    List<Wire> ran = new ArrayList<>();
    List<CapturedLog.Line> lines = CapturedLog.of(() -> ran.add(Wire.run(get(retry), status(200))));
    assertEquals(List.of(Map.of()), ran.get(0).sent());
    assertEquals(1, lines.size());
    assertEquals(Level.WARN, lines.get(0).level());
    assertTrue(
        lines.get(0).text().contains("the attempt goes without it"), () -> lines.get(0).text());
  }

  // The number of the attempt.

  static Stream<Vector> attemptHeaders() {
    return Vectors.group("request_attempt_header");
  }

  @ParameterizedTest
  @MethodSource("attemptHeaders")
  void numbersAttemptsAsTheVectorsSay(Vector vector) {
    JsonObject input = vector.input();
    if (input.has("max")) {
      int max = input.get("max").getAsInt();
      int last = input.get("attempt").getAsInt();
      RetryPolicy policy = policy().maxAttempts(max).build();
      HttpRetry.Builder told =
          retry()
              .policy(policy)
              .oncePerAttempt(
                  AMZ, (operation, number) -> Optional.of("attempt=" + number + "; max=" + max));
      String value = Wire.run(get(told), status(503)).sent(AMZ).get(last - 1);
      assertEquals(
          vector.expected().getAsJsonArray("pairs").asList().stream()
              .map(JsonElement::getAsString)
              .toList(),
          Arrays.asList(value.split("; ")));
      return;
    }
    String name = input.get("header").getAsString();
    BiFunction<OperationInfo, Integer, Optional<String>> value =
        switch (name) {
          case "X-Stainless-Retry-Count" ->
              (operation, number) -> Optional.of(Integer.toString(number - 1));
          case "x-envoy-attempt-count" ->
              (operation, number) -> Optional.of(Integer.toString(number));
          default ->
              (operation, number) ->
                  number == 1 ? Optional.empty() : Optional.of(Integer.toString(number - 1));
        };
    RetryPolicy policy = policy().maxAttempts(input.get("attempts").getAsInt()).build();
    Wire wire = Wire.run(get(retry().policy(policy).oncePerAttempt(name, value)), status(503));
    List<String> expected =
        vector.expected().getAsJsonArray("values").asList().stream()
            .map(each -> each.isJsonNull() ? "absent" : each.getAsString())
            .toList();
    assertEquals(expected, wire.sent(name));
  }

  // Replays.

  @ParameterizedTest
  @ValueSource(strings = {"Idempotent-Replayed", "X-IDEMPOTENT-replayed", "Request-Idempotency"})
  void aReplayedAnswerIsRecognised(String header) {
    HttpRetry.Builder retry =
        retry().signals(ResponseSignals.standard().withReplayMarker("Request-Idempotency"));
    Wire wire = Wire.run(get(retry), status(201).header(header, " TRUE "));
    assertTrue(wire.report().replayed());
    assertEquals(1, wire.report().attempts());
    Wire error = Wire.run(get(retry), status(404).header(header, "true"));
    assertTrue(error.report().replayed());
  }

  @ParameterizedTest
  @ValueSource(strings = {"false", "", "1", "yes", "true, true"})
  void anyOtherValueIsNoReplay(String value) {
    Wire wire =
        Wire.run(get(retry()), status(500), status(201).header("Idempotent-Replayed", value));
    assertFalse(wire.report().replayed());
    Wire unknown = Wire.run(get(retry()), status(500), status(201).header("X-Replay", "true"));
    assertFalse(unknown.report().replayed());
  }

  @Test
  void oneLineOfSeveralIsEnoughForAReplay() {
    TestResponse response =
        status(200).header("Idempotent-Replayed", "no").header("Idempotent-Replayed", "true");
    assertTrue(Wire.outcome(get(retry()), response).evidence().replayed());
  }

  // The user's own classifier.

  private record Rules(Verdict answer, Verdict failure) implements HttpClassifier {
    @Override
    public Verdict onResponse(OperationView operation, ResponseView response, Signals signals) {
      return answer;
    }

    @Override
    public Verdict onFailure(OperationView operation, TransportFailure cause) {
      return failure;
    }
  }

  private static Rules rules(Verdict answer) {
    return new Rules(answer, Verdict.permanent(StopReason.NOT_RETRYABLE));
  }

  @Test
  void aClassifierReplacesTheRules() {
    Verdict again = Verdict.retryable(FailureKind.OTHER);
    Wire polling = Wire.run(get(retry().classifier(rules(again))), status(202));
    assertEquals(4, polling.sent().size());
    Wire reckless = Wire.run(post(retry().classifier(rules(again))), status(202));
    assertEquals(StopReason.NOT_REPLAYABLE, reckless.report().reason());
    Verdict claim = Verdict.retryable(FailureKind.OTHER).withNothingDone();
    Wire claiming = Wire.run(post(retry().classifier(rules(claim))), status(202));
    assertEquals(4, claiming.sent().size());
    Wire never = Wire.run(get(retry().classifier(rules(Verdict.accepted()))), status(503));
    assertEquals(1, never.sent().size());
    Wire failed = Wire.run(get(retry().classifier(rules(again))), LOST);
    assertEquals(StopReason.NOT_RETRYABLE, failed.report().reason());
  }

  @Test
  void serverDelayAndStopAreAddedToItsVerdict() {
    Verdict.Retryable again = Verdict.retryable(FailureKind.OTHER);
    HttpOperation operation = get(retry().classifier(rules(again)));
    ServerDelay seven = ServerDelay.atLeast(Duration.ofSeconds(7));
    assertEquals(
        again.withServerDelay(seven).withDoNotRetry(),
        Wire.outcome(
                operation, status(404).header("Retry-After", "7").header("x-should-retry", "false"))
            .verdict());
    ServerDelay own = ServerDelay.atLeast(Duration.ofSeconds(1));
    HttpOperation delaying = get(retry().classifier(rules(again.withServerDelay(own))));
    assertEquals(
        again.withServerDelay(own),
        Wire.outcome(delaying, status(404).header("Retry-After", "7")).verdict());
  }

  @Test
  void whatAClassifierThrowsEndsTheOperation() {
    IllegalStateException own = new IllegalStateException("broken rule");
    HttpClassifier broken =
        new HttpClassifier() {
          @Override
          public Verdict onResponse(
              OperationView operation, ResponseView response, Signals signals) {
            throw own;
          }

          @Override
          public Verdict onFailure(OperationView operation, TransportFailure failure) {
            return Verdict.retryable(failure.kind());
          }
        };
    Wire wire = Wire.run(get(retry().classifier(broken)), LOST, status(503), status(200));
    assertSame(own, wire.thrown());
    assertEquals(2, wire.sent().size());
    RetryReport report = RetryReport.of(own).orElseThrow();
    assertEquals(StopReason.USER_CODE_FAILED, report.reason());
    assertEquals(2, report.attempts());
  }

  @Test
  void aClassifierSeesTheRequestAndWhatIsKnownOfIt() {
    TestRequest request = TestRequest.of("POST").header("Idempotency-Key", "k");
    List<OperationView> seen = new ArrayList<>();
    HttpClassifier nosy =
        new HttpClassifier() {
          @Override
          public Verdict onResponse(
              OperationView operation, ResponseView response, Signals signals) {
            seen.add(operation);
            return Verdict.accepted();
          }

          @Override
          public Verdict onFailure(OperationView operation, TransportFailure failure) {
            seen.add(operation);
            return Verdict.retryable(failure.kind());
          }
        };
    HttpOperation operation =
        retry().classifier(nosy).build().operation(request, RetryOptions.none());
    Wire.run(operation, LOST, status(200));
    OperationView view = new OperationView(request, true);
    assertEquals(List.of(view, view), seen);
    assertEquals("POST https://api.example:443/orders keyed=true", view.toString());
  }

  @Test
  void aClassifierThatSaysNothingEndsTheOperation() {
    HttpOperation operation = get(retry().classifier(new Rules(null, null)));
    for (Object outcome : List.of(status(200), status(503), LOST)) {
      Throwable thrown = Wire.run(operation, outcome).thrown();
      assertEquals(
          "verdict: null (expected: a value)",
          assertInstanceOf(NullPointerException.class, thrown).getMessage());
    }
  }

  // Guards and listeners.

  @Test
  void attemptsPassTheGuardsInTheirOrderAndListenersHear() {
    List<String> events = new ArrayList<>();
    HttpRetry.Builder retry =
        retry()
            .guard(guard("breaker", events))
            .guard(guard("bulkhead", events))
            .listener(
                new RetryListener() {
                  @Override
                  public void attemptStarted(OperationInfo operation, int attempt, Object request) {
                    events.add(operation.label());
                  }
                });
    Wire.run(get(retry), status(200));
    assertEquals(
        List.of(
            "breaker https://api.example:443",
            "bulkhead https://api.example:443",
            "GET https://api.example:443/orders"),
        events);
  }

  private static Guard guard(String name, List<String> events) {
    return new Guard() {
      @Override
      public long admitsInNanos(OperationInfo operation, long nowNanos) {
        return 0;
      }

      @Override
      public Permit acquire(OperationInfo operation, long nowNanos) {
        events.add(name + " " + operation.origin());
        return new Permit() {
          @Override
          public void succeeded(long elapsedNanos) {}

          @Override
          public void failed(Guard.Failure how, Throwable failure) {}

          @Override
          public void released() {}
        };
      }
    };
  }

  // Options.

  @Test
  void theOptionsShapeTheOperation() {
    RetryPolicy own = policy().maxAttempts(2).build();
    RetryOptions options =
        RetryOptions.builder()
            .policy(own)
            .deadline(Duration.ofMillis(2500))
            .name("payment")
            .replayable(true)
            .build();
    HttpOperation operation = retry().build().operation(TestRequest.of("POST"), options);
    assertEquals(own, operation.plan().policy());
    assertEquals(2_500_000_000L, operation.boundNanos());
    assertEquals(Optional.of("payment"), operation.info().name());
    assertEquals("payment: POST https://api.example:443/orders", operation.toString());
    Wire wire = Wire.run(operation, status(503));
    assertEquals(2, wire.sent().size());
  }

  @Test
  void withoutOptionsTheClientsConfigurationHolds() {
    HttpRetry retry = retry().build();
    HttpOperation operation = retry.operation(TestRequest.of("GET"), RetryOptions.none());
    assertSame(retry.policy(), operation.plan().policy());
    assertEquals(Long.MAX_VALUE, operation.boundNanos());
    assertEquals(Optional.empty(), operation.info().name());
    assertEquals("https://api.example:443", operation.info().origin());
  }

  @Test
  void aDeadlineBeyondTheRangeOfNanosecondsIsNone() {
    RetryOptions options =
        RetryOptions.builder().deadline(Duration.ofSeconds(Long.MAX_VALUE)).build();
    HttpOperation operation = retry().build().operation(TestRequest.of("GET"), options);
    assertEquals(Long.MAX_VALUE, operation.boundNanos());
  }

  @Test
  void anAttemptThatItsClientCancelledEndsTheOperation() {
    Wire wire =
        Wire.run(
            get(retry()),
            new Wire.Failure(
                TransportFailure.permanent(FailureKind.OTHER, StopReason.CANCELLED),
                Disposition.UNKNOWN),
            status(200));
    assertEquals(StopReason.CANCELLED, wire.report().reason());
    assertTrue(wire.report().serverMayHaveActed());
  }

  @Test
  void aStaleConnectionIsALostOneForARequestThatNothingProtects() {
    TransportFailure stale = TransportFailure.of(FailureKind.STALE_CONNECTION);
    HttpOperation post = retry().build().operation(TestRequest.of("POST"), RetryOptions.none());
    for (Evidence.Safety safety : Evidence.Safety.values()) {
      boolean unsafe = safety == Evidence.Safety.UNSAFE;
      Evidence lost = Evidence.of(Disposition.UNKNOWN, safety, -1, 1);
      assertEquals(
          unsafe ? FailureKind.CONNECTION_LOST : FailureKind.STALE_CONNECTION,
          post.outcome(stale, lost).verdict().kind());
      Evidence unsent = Evidence.of(Disposition.UNSENT, safety, -1, 0);
      assertEquals(FailureKind.STALE_CONNECTION, post.outcome(stale, unsent).verdict().kind());
    }
  }

  @Test
  void anAdapterLearnsWhetherItHasHeadersToSet() {
    assertFalse(get(retry()).changesHeaders());
    assertTrue(
        get(retry().oncePerOperation("X-First", (request, start) -> Optional.of("a")))
            .changesHeaders());
    assertEquals(
        Optional.empty(),
        get(retry().oncePerOperation("X-First", (request, start) -> Optional.of("a"))).keyHeader());
  }
}
