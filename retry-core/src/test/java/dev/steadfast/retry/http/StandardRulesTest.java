package dev.steadfast.retry.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.ServerDelay;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.Vectors;
import dev.steadfast.retry.Vectors.Vector;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.engine.Evidence;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What answers and failures mean: status by method, key, server delay, signal and option. */
class StandardRulesTest {

  // What a server says beside its status: the columns of the table.
  private static final Map<String, List<String>> SAYS = new LinkedHashMap<>();

  static {
    SAYS.put("nothing", List.of());
    SAYS.put("delay", List.of("Retry-After: 2"));
    SAYS.put("go", List.of("x-should-retry: true"));
    SAYS.put("stop", List.of("x-should-retry: false"));
    SAYS.put("both", List.of("Stripe-Should-Retry: true", "x-should-retry: false"));
    SAYS.put("nack", List.of("finagle-http-nack: true", "Retry-After: 0"));
    SAYS.put("final", List.of("finagle-http-nonretryable-nack: true"));
    SAYS.put("push", List.of("grpc-retry-pushback-ms: 500"));
    SAYS.put("pull", List.of("grpc-retry-pushback-ms: -1", "x-should-retry: true"));
  }

  /**
   * Three letters a cell: GET, POST, POST with a key.
   *
   * <pre>
   * A accepted               N not retryable      K key reused
   * R retried                P not replayable     T retried, had the server not said otherwise
   * 1 retried once
   * </pre>
   */
  private static final String TABLE =
      """
               nothing delay   go  stop both nack final push pull
      101      NNN     NNN  NNN NNN  NNN  NNN  NNN   NNN  NNN
      200      AAA     AAA  AAA AAA  AAA  AAA  AAA   AAA  AAA
      202      AAA     AAA  AAA AAA  AAA  AAA  AAA   AAA  AAA
      301      AAA     AAA  AAA AAA  AAA  AAA  AAA   AAA  AAA
      308      AAA     AAA  AAA AAA  AAA  AAA  AAA   AAA  AAA
      399      AAA     AAA  AAA AAA  AAA  AAA  AAA   AAA  AAA
      400      NNN     NNN  RPR NNN  NNN  NNN  NNN   NNN  NNN
      401      NNN     NNN  RRR NNN  NNN  NNN  NNN   NNN  NNN
      403      NNN     NNN  RPR NNN  NNN  NNN  NNN   NNN  NNN
      404      NNN     NNN  RPR NNN  NNN  NNN  NNN   NNN  NNN
      408      RPR     RPR  RPR TPT  TPT  RPR  RPR   RPR  TPT
      409      NNN     RPR  RPR NNN  NNN  RPR  NNN   RPR  NNN
      412      NNN     NNN  RPR NNN  NNN  NNN  NNN   NNN  NNN
      413      NNN     NNN  RPR NNN  NNN  NNN  NNN   NNN  NNN
      417      NNN     NNN  NNN NNN  NNN  NNN  NNN   NNN  NNN
      421      NNN     NNN  RRR NNN  NNN  NNN  NNN   NNN  NNN
      422      NNK     NNK  RPK NNK  NNK  NNK  NNK   NNK  NNK
      423      NNN     NNN  RPR NNN  NNN  NNN  NNN   NNN  NNN
      425      111     111  111 TTT  TTT  111  111   111  TTT
      429      RRR     RRR  RRR TTT  TTT  RRR  RRR   RRR  TTT
      499      NNN     NNN  RPR NNN  NNN  NNN  NNN   NNN  NNN
      500      RPR     RPR  RPR TPT  TPT  RPR  RPR   RPR  TPT
      501      NNN     NNN  RPR NNN  NNN  NNN  NNN   NNN  NNN
      502      RPR     RPR  RPR TPT  TPT  RPR  RPR   RPR  TPT
      503      RPR     RPR  RPR TPT  TPT  RRR  TTT   RPR  TPT
      504      RPR     RPR  RPR TPT  TPT  RPR  RPR   RPR  TPT
      505      NNN     NNN  RPR NNN  NNN  NNN  NNN   NNN  NNN
      507      NNN     NNN  RPR NNN  NNN  NNN  NNN   NNN  NNN
      508      NNN     NNN  RPR NNN  NNN  NNN  NNN   NNN  NNN
      511      NNN     NNN  RPR NNN  NNN  NNN  NNN   NNN  NNN
      519      NNN     NNN  RPR NNN  NNN  NNN  NNN   NNN  NNN
      520      RPR     RPR  RPR TPT  TPT  RPR  RPR   RPR  TPT
      521      RPR     RPR  RPR TPT  TPT  RPR  RPR   RPR  TPT
      522      RPR     RPR  RPR TPT  TPT  RPR  RPR   RPR  TPT
      523      RPR     RPR  RPR TPT  TPT  RPR  RPR   RPR  TPT
      524      RPR     RPR  RPR TPT  TPT  RPR  RPR   RPR  TPT
      525      NNN     NNN  RPR NNN  NNN  NNN  NNN   NNN  NNN
      526      NNN     NNN  RPR NNN  NNN  NNN  NNN   NNN  NNN
      527      NNN     NNN  RPR NNN  NNN  NNN  NNN   NNN  NNN
      529      RPR     RPR  RPR TPT  TPT  RPR  RPR   RPR  TPT
      530      NNN     NNN  RPR NNN  NNN  NNN  NNN   NNN  NNN
      598      RPR     RPR  RPR TPT  TPT  RPR  RPR   RPR  TPT
      599      NNN     NNN  RPR NNN  NNN  NNN  NNN   NNN  NNN
      999      NNN     NNN  RPR NNN  NNN  NNN  NNN   NNN  NNN
      """;

  private static HttpOperation operation(StandardRules rules, RequestView request) {
    return HttpRetry.builder()
        .classifier(rules)
        .environment(new LeapingTime().environment())
        .budget(RetryBudget.unlimited())
        .build()
        .operation(request, RetryOptions.none());
  }

  private static TestRequest keyed(String method) {
    return TestRequest.of(method).header("Idempotency-Key", "order-7");
  }

  /** What follows an end of the first attempt, if the second one would be accepted. */
  private static String letter(HttpOperation operation, Object end) {
    Wire wire = Wire.run(operation, end, TestResponse.of(200));
    if (wire.sent().size() == 2) {
      return ((Verdict.Retryable) wire.outcomes().get(0).verdict()).once() ? "1" : "R";
    }
    return switch (wire.report().reason()) {
      case ACCEPTED -> "A";
      case NOT_RETRYABLE -> "N";
      case NOT_REPLAYABLE -> "P";
      case KEY_REUSED -> "K";
      case DO_NOT_RETRY -> "T";
      default -> "?";
    };
  }

  private static String letter(StandardRules rules, RequestView request, ResponseView response) {
    return letter(operation(rules, request), response);
  }

  private static String cell(StandardRules rules, int status, String says) {
    TestResponse response = TestResponse.of(status, SAYS.get(says));
    return letter(rules, TestRequest.of("GET"), response)
        + letter(rules, TestRequest.of("POST"), response)
        + letter(rules, keyed("POST"), response);
  }

  static Stream<Arguments> cells() {
    List<String> lines = TABLE.lines().toList();
    String[] columns = lines.get(0).trim().split(" +");
    assertEquals(List.copyOf(SAYS.keySet()), List.of(columns));
    return lines.stream()
        .skip(1)
        .map(line -> line.split(" +"))
        .flatMap(row ->
            IntStream.range(0, columns.length)
                .mapToObj(i -> Arguments.of(Integer.valueOf(row[0]), columns[i], row[i + 1])));
  }

  @ParameterizedTest(name = "{0} saying {1}: {2}")
  @MethodSource("cells")
  void followsTheTable(int status, String says, String expected) {
    assertEquals(expected, cell(StandardRules.defaults(), status, says));
    assertEquals(expected, cell(StandardRules.builder().build(), status, says));
  }

  /** Any status outside the table is retried only if the server says so and it is replayable. */
  @Test
  void anyOtherStatusIsFinalUnlessTheServerSaysToRetry() {
    List<String> listed = TABLE.lines().skip(1).map(line -> line.substring(0, 3)).toList();
    for (int status = 400; status <= 999; status++) {
      if (!listed.contains(Integer.toString(status))) {
        assertEquals("NNN", cell(StandardRules.defaults(), status, "nothing"), "status " + status);
        assertEquals("NNN", cell(StandardRules.defaults(), status, "delay"), "status " + status);
        // A challenge of a proxy is a refusal: nothing was processed.
        String go = status == 407 ? "RRR" : "RPR";
        assertEquals(go, cell(StandardRules.defaults(), status, "go"), "status " + status);
      }
    }
  }

  // Options. Each changes the cells that are listed, and no other cell of the whole table.

  private static List<String> changes(UnaryOperator<StandardRules.Builder> option) {
    StandardRules rules = option.apply(StandardRules.builder()).build();
    List<String> changes = new ArrayList<>();
    for (int status = 100; status <= 620; status++) {
      for (String says : SAYS.keySet()) {
        String before = cell(StandardRules.defaults(), status, says);
        String after = cell(rules, status, says);
        if (!before.equals(after)) {
          changes.add(status + " " + says + " " + before + " " + after);
        }
      }
    }
    return changes;
  }

  @Test
  void strictThrottling() {
    assertEquals(
        List.of(
            "429 nothing RRR RPR",
            "429 delay RRR RPR",
            "429 go RRR RPR",
            "429 stop TTT TPT",
            "429 both TTT TPT",
            "429 nack RRR RPR",
            "429 final RRR RPR",
            "429 push RRR RPR",
            "429 pull TTT TPT"),
        changes(rules -> rules.strictThrottling(true)));
    assertEquals(List.of(), changes(rules -> rules.strictThrottling(true).strictThrottling(false)));
  }

  @Test
  void trust503WithRetryAfter() {
    assertEquals(
        List.of("503 delay RPR RRR", "503 push RPR RRR"),
        changes(rules -> rules.trust503WithRetryAfter(true)));
    assertEquals(
        List.of(),
        changes(rules -> rules.trust503WithRetryAfter(true).trust503WithRetryAfter(false)));
  }

  @Test
  void trustShouldRetryForUnsafeMethods() {
    List<String> changes = changes(rules -> rules.trustShouldRetryForUnsafeMethods(true));
    for (String change : changes) {
      assertTrue(change.matches("\\d+ go RP[RK] RR[RK]"), change);
    }
    // Every failure but 417, which is final, and those that a POST may repeat anyway.
    assertEquals(620 - 400 + 1 - 6, changes.size());
    assertTrue(changes.contains("422 go RPK RRK"));
    assertEquals(
        List.of(),
        changes(rules ->
            rules.trustShouldRetryForUnsafeMethods(true).trustShouldRetryForUnsafeMethods(false)));
  }

  @Test
  void retry409WhenKeyed() {
    assertEquals(
        List.of(
            "409 nothing NNN NNR",
            "409 stop NNN NNT",
            "409 both NNN NNT",
            "409 final NNN NNR",
            "409 pull NNN NNT"),
        changes(rules -> rules.retry409WhenKeyed(true)));
    assertEquals(
        List.of(), changes(rules -> rules.retry409WhenKeyed(true).retry409WhenKeyed(false)));
  }

  @Test
  void alsoRetryTakesAStatusIntoTheReplayableOnes() {
    List<String> changes = changes(rules -> rules.alsoRetry(404).alsoRetry(501));
    assertEquals(2 * 8, changes.size(), "all columns but go, which was there before");
    assertTrue(
        changes.containsAll(
            List.of("404 nothing NNN RPR", "501 delay NNN RPR", "404 stop NNN TPT")),
        changes::toString);
  }

  @Test
  void alsoRetryDoesNotBeatWhatIsFinal() {
    assertEquals(List.of(), changes(rules -> rules.alsoRetry(417)));
    for (String change : changes(rules -> rules.alsoRetry(422))) {
      assertTrue(change.endsWith("K"), change);
    }
  }

  @Test
  void neverRetryBeatsEverySignal() {
    List<String> changes = changes(rules -> rules.neverRetry(503).neverRetry(429).neverRetry(404));
    assertEquals(9 + 9 + 1, changes.size());
    for (String change : changes) {
      assertTrue(change.endsWith(" NNN"), change);
    }
  }

  @Test
  void refusedByClaimsThatNothingWasDone() {
    List<String> changes = changes(rules -> rules.refusedBy(529, 404));
    assertTrue(
        changes.containsAll(List.of("529 nothing RPR RRR", "404 nothing NNN RRR")),
        changes::toString);
    // Told not to retry, an answer still proves that nothing was done.
    assertTrue(changes.contains("404 stop NNN TTT"), changes::toString);
    for (String change : changes) {
      assertTrue(change.startsWith("529 ") || change.startsWith("404 "), change);
    }
    assertEquals(List.of(), changes(rules -> rules.refusedBy(417)), "417 stays final");
  }

  @Test
  void refusedByNeedsAStatusOfAFailure() {
    StandardRules.Builder rules = StandardRules.builder();
    assertEquals(
        "number of statuses: 0 (expected: >= 1)",
        assertThrows(IllegalArgumentException.class, rules::refusedBy).getMessage());
    assertEquals(
        "status: 200 (expected: 400 to 599)",
        assertThrows(IllegalArgumentException.class, () -> rules.refusedBy(529, 200)).getMessage());
  }

  @Test
  void theLastWordOnAStatusHolds() {
    assertEquals(
        "RRR",
        cell(StandardRules.builder().neverRetry(404).refusedBy(404).build(), 404, "nothing"));
    assertEquals(
        "NNN",
        cell(StandardRules.builder().refusedBy(404).neverRetry(404).build(), 404, "nothing"));
    assertEquals(
        "RPR", cell(StandardRules.builder().refusedBy(404).alsoRetry(404).build(), 404, "nothing"));
    assertEquals(
        "RPR",
        cell(StandardRules.builder().neverRetry(404).alsoRetry(404).build(), 404, "nothing"));
    assertEquals(
        "NNN",
        cell(StandardRules.builder().alsoRetry(503).neverRetry(503).build(), 503, "nothing"));
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 100, 200, 399, 600, Integer.MAX_VALUE})
  void onlyAFailureCanBeAddedOrTakenAway(int status) {
    StandardRules.Builder rules = StandardRules.builder();
    String expected = "status: " + status + " (expected: 400 to 599)";
    assertEquals(
        expected,
        assertThrows(IllegalArgumentException.class, () -> rules.alsoRetry(status)).getMessage());
    assertEquals(
        expected,
        assertThrows(IllegalArgumentException.class, () -> rules.neverRetry(status)).getMessage());
  }

  @ParameterizedTest
  @ValueSource(ints = {400, 599})
  void theEndsOfTheRangeBelongToIt(int status) {
    assertEquals("RPR", cell(StandardRules.builder().alsoRetry(status).build(), status, "nothing"));
    assertEquals("NNN", cell(StandardRules.builder().neverRetry(status).build(), status, "go"));
  }

  // Methods.

  @ParameterizedTest
  @ValueSource(strings = {"GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "QUERY"})
  void anIdempotentMethodIsReplayable(String method) {
    boolean writes = method.equals("PUT") || method.equals("DELETE");
    assertEquals(
        writes ? Evidence.Safety.IDEMPOTENT : Evidence.Safety.READ_ONLY,
        operation(StandardRules.defaults(), TestRequest.of(method)).safety());
    assertEquals(
        "R", letter(StandardRules.defaults(), TestRequest.of(method), TestResponse.of(503)));
  }

  @ParameterizedTest
  @CsvSource({
    "PUT, If-Match, P",
    "PUT, if-none-match, P",
    "DELETE, If-Unmodified-Since, P",
    "PUT, If-Modified-Since, R",
    "GET, If-Match, R",
    "HEAD, If-None-Match, R",
    "QUERY, If-Unmodified-Since, R"
  })
  void aWriteUnderAConditionIsNotReplayable(String method, String condition, String expected) {
    TestRequest request = TestRequest.of(method).header(condition, "x");
    assertEquals(expected, letter(StandardRules.defaults(), request, TestResponse.of(503)));
  }

  @Test
  void aKeyMakesAWriteUnderAConditionReplayable() {
    TestRequest put = keyed("PUT").header("If-Match", "x");
    assertEquals("R", letter(StandardRules.defaults(), put, TestResponse.of(503)));
  }

  @Test
  void aConditionThatTheClientAddsIsOne() {
    HttpRetry retry =
        HttpRetry.builder().oncePerOperation("if-match", (r, now) -> Optional.of("x")).build();
    HttpOperation operation = retry.operation(TestRequest.of("PUT"), RetryOptions.none());
    assertEquals(Evidence.Safety.UNSAFE, operation.safety());
  }

  @ParameterizedTest
  @ValueSource(strings = {"POST", "PATCH", "CONNECT", "LOCK", "get", "Delete", "PURGE"})
  void anyOtherMethodIsReplayableWithAKeyAlone(String method) {
    StandardRules rules = StandardRules.defaults();
    assertEquals("P", letter(rules, TestRequest.of(method), TestResponse.of(503)));
    assertEquals("R", letter(rules, keyed(method), TestResponse.of(503)));
  }

  @Test
  void aKeyOnAnIdempotentMethodStillMakes422Final() {
    assertEquals("K", letter(StandardRules.defaults(), keyed("PUT"), TestResponse.of(422)));
    assertEquals(
        "N", letter(StandardRules.defaults(), TestRequest.of("PUT"), TestResponse.of(422)));
  }

  @Test
  void theCallersWordBeatsMethodAndKey() {
    HttpRetry retry = HttpRetry.defaults();
    RetryOptions yes = RetryOptions.builder().replayable(true).build();
    RetryOptions no = RetryOptions.builder().replayable(false).build();
    TestResponse broken = TestResponse.of(500);
    assertEquals("R", letter(retry.operation(TestRequest.of("POST"), yes), broken));
    assertEquals("P", letter(retry.operation(TestRequest.of("GET"), no), broken));
    assertEquals("P", letter(retry.operation(keyed("POST"), no), broken));
    assertEquals("K", letter(retry.operation(keyed("POST"), no), TestResponse.of(422)));
  }

  // Kinds and server delays.

  @Test
  void theKindSaysWhatTheStatusMeant() {
    Map<Integer, FailureKind> expected =
        Map.of(
            409, FailureKind.CONFLICT,
            425, FailureKind.TOO_EARLY,
            429, FailureKind.THROTTLED,
            503, FailureKind.UNAVAILABLE,
            500, FailureKind.ERROR_STATUS,
            404, FailureKind.ERROR_STATUS);
    HttpOperation get = operation(StandardRules.defaults(), TestRequest.of("GET"));
    expected.forEach((status, kind) -> {
      Verdict verdict = Wire.outcome(get, TestResponse.of(status)).verdict();
      FailureKind found =
          verdict instanceof Verdict.Retryable retryable
              ? retryable.kind()
              : ((Verdict.Permanent) verdict).kind();
      assertEquals(kind, found, "status " + status);
    });
  }

  @ParameterizedTest
  @ValueSource(ints = {404, 417, 422, 503})
  void aFinalAnswerStillExposesTheDelayThatItAskedFor(int status) {
    TestResponse response = TestResponse.of(status).header("Retry-After", "7");
    Wire wire = Wire.run(operation(StandardRules.defaults(), TestRequest.of("POST")), response);
    assertEquals(1, wire.sent().size());
    assertEquals(Optional.of(Duration.ofSeconds(7)), wire.report().serverDelay());
  }

  @Test
  void aRetryableAnswerCarriesItsServerDelay() {
    HttpOperation get = operation(StandardRules.defaults(), TestRequest.of("GET"));
    TestResponse response = TestResponse.of(503).header("Retry-After", "7");
    Verdict.Retryable verdict = (Verdict.Retryable) Wire.outcome(get, response).verdict();
    assertEquals(ServerDelay.atLeast(Duration.ofSeconds(7)), verdict.serverDelay());
    assertEquals(
        ServerDelay.none(), Wire.outcome(get, TestResponse.of(503)).verdict().serverDelay());
  }

  @Test
  void anAnswerSaysWhatBecameOfTheRequest() {
    assertEquals(Disposition.ANSWERED, disposition(TestResponse.of(200)));
    assertEquals(Disposition.ANSWERED, disposition(TestResponse.of(404)));
    assertEquals(Disposition.ANSWERED, disposition(TestResponse.of(503)));
    assertEquals(Disposition.REFUSED, disposition(TestResponse.of(401)));
    assertEquals(Disposition.REFUSED, disposition(TestResponse.of(425)));
    assertEquals(Disposition.REFUSED, disposition(TestResponse.of(503, SAYS.get("nack"))));
    assertEquals(Disposition.REFUSED, disposition(TestResponse.of(503, SAYS.get("final"))));
    assertEquals(Disposition.REFUSED, disposition(TestResponse.of(429)), "the rules claim it");
  }

  private static Disposition disposition(TestResponse response) {
    HttpOperation post = operation(StandardRules.defaults(), TestRequest.of("POST"));
    return Wire.outcome(post, response).evidence().last();
  }

  // Vectors.

  static Stream<Vector> statuses() {
    return Vectors.group("status_library_default");
  }

  /**
   * How the reasons of the vectors map to ours:
   *
   * <pre>
   * retried      request_timeout, server_error   kind ERROR_STATUS
   *              throttled                       kind THROTTLED
   *              unavailable                     kind UNAVAILABLE
   *              conflict_retry_after            kind CONFLICT, with a server delay
   * not retried  not_retryable                   NOT_RETRYABLE; for 422 after a key KEY_REUSED
   *              not_replayable                  NOT_REPLAYABLE
   *              conflict                        kind CONFLICT, either of the two
   * </pre>
   */
  private static String vectorReason(Wire wire) {
    Verdict verdict = wire.outcomes().get(0).verdict();
    if (wire.sent().size() == 2) {
      return switch (((Verdict.Retryable) verdict).kind()) {
        case ERROR_STATUS -> "request_timeout or server_error";
        case THROTTLED -> "throttled";
        case UNAVAILABLE -> "unavailable";
        case CONFLICT -> verdict.serverDelay().present() ? "conflict_retry_after" : "conflict";
        default -> verdict.toString();
      };
    }
    if (verdict.kind() == FailureKind.CONFLICT) {
      return "conflict";
    }
    return switch (wire.report().reason()) {
      case NOT_RETRYABLE, KEY_REUSED -> "not_retryable";
      case NOT_REPLAYABLE -> "not_replayable";
      default -> wire.report().reason().toString();
    };
  }

  @ParameterizedTest
  @MethodSource("statuses")
  void judgesStatusesAsTheVectorsSay(Vector vector) {
    JsonObject input = vector.input();
    String method = input.get("method").getAsString();
    boolean key = input.get("idempotencyKey").getAsBoolean();
    TestResponse response = TestResponse.of(input.get("status").getAsInt());
    if (!input.get("retryAfter").isJsonNull()) {
      response.header("Retry-After", input.get("retryAfter").getAsString());
    }
    Wire wire =
        Wire.run(
            operation(StandardRules.defaults(), key ? keyed(method) : TestRequest.of(method)),
            response,
            TestResponse.of(200));
    assertEquals(vector.expected().get("retry").getAsBoolean(), wire.sent().size() == 2);
    String reason = vector.expected().get("reason").getAsString();
    assertTrue(
        List.of(vectorReason(wire).split(" or ")).contains(reason),
        () -> wire.outcomes() + " (expected: " + reason + ")");
  }

  static Stream<Vector> failures() {
    return Vectors.group("failure_classification");
  }

  /** Which exception means what is the adapters' affair; what follows from it is the core's. */
  @ParameterizedTest
  @MethodSource("failures")
  void judgesFailuresAsTheVectorsSay(Vector vector) {
    Disposition last =
        switch (vector.expected().get("requestSent").getAsString()) {
          case "no" -> Disposition.UNSENT;
          case "unprocessed" -> Disposition.REFUSED;
          case "maybe" -> Disposition.UNKNOWN;
          default -> Disposition.ANSWERED;
        };
    boolean permanent = vector.expected().has("retry");
    TransportFailure what =
        permanent
            ? TransportFailure.permanent(FailureKind.TLS, StopReason.NOT_RETRYABLE)
            : TransportFailure.of(FailureKind.OTHER);
    Wire.Failure failure = new Wire.Failure(what, last);
    boolean safe = !permanent && vector.expected().get("safeForNonIdempotent").getAsBoolean();
    StandardRules rules = StandardRules.defaults();
    assertEquals(safe, letter(operation(rules, TestRequest.of("POST")), failure).equals("R"));
    assertEquals(!permanent, letter(operation(rules, TestRequest.of("GET")), failure).equals("R"));
  }

  // Failures: kind by what became of the request.

  @ParameterizedTest
  @EnumSource(FailureKind.class)
  void aFailureIsRetriedIfItIsUnprocessedOrTheRequestIsReplayable(FailureKind kind) {
    String retried = kind == FailureKind.DNS ? "1" : "R";
    for (Disposition state : Disposition.values()) {
      Wire.Failure failure = Wire.failure(kind, state);
      boolean proven = !state.mayHaveActed();
      StandardRules rules = StandardRules.defaults();
      HttpOperation get = operation(rules, TestRequest.of("GET"));
      assertEquals(
          retried + (proven ? retried : "P") + retried,
          letter(get, failure)
              + letter(operation(rules, TestRequest.of("POST")), failure)
              + letter(operation(rules, keyed("POST")), failure),
          kind + " " + state);
      assertEquals(kind, Wire.outcome(get, failure).verdict().kind());
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = StopReason.class,
      names = {"NOT_RETRYABLE", "CANCELLED", "BODY_CHANGED", "BODY_NOT_REPEATABLE"})
  void aPermanentFailureEndsTheOperationForItsOwnReason(StopReason reason) {
    TransportFailure what = TransportFailure.permanent(FailureKind.OTHER, reason);
    Wire.Failure failure = new Wire.Failure(what, Disposition.UNSENT);
    assertEquals(
        new Verdict.Permanent(reason, FailureKind.OTHER, ServerDelay.none()),
        Wire.outcome(operation(StandardRules.defaults(), TestRequest.of("GET")), failure)
            .verdict());
  }

  @Test
  void retryBrokenBody() {
    StandardRules off = StandardRules.builder().retryBrokenBody(false).build();
    StandardRules on = StandardRules.builder().retryBrokenBody(false).retryBrokenBody(true).build();
    Wire.Failure broken = Wire.failure(FailureKind.BROKEN_BODY, Disposition.ANSWERED);
    assertEquals("N", letter(operation(off, TestRequest.of("GET")), broken));
    assertEquals("N", letter(operation(off, keyed("POST")), broken));
    assertEquals("R", letter(operation(on, TestRequest.of("GET")), broken));
    Wire.Failure lost = Wire.failure(FailureKind.CONNECTION_LOST, Disposition.UNKNOWN);
    assertEquals("R", letter(operation(off, TestRequest.of("GET")), lost));
  }
}
