package dev.steadfast.retry.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryBudget.Withdrawal;
import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.engine.Replayable;
import dev.steadfast.retry.http.HttpClassifier.OperationView;
import dev.steadfast.retry.internal.Checks;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What may be configured, and what is refused with its name, its value and its range. */
class HttpRetryTest {
  private static String refusal(Executable code) {
    return assertThrows(IllegalArgumentException.class, code).getMessage();
  }

  @Test
  void theDefaultsAreSafe() {
    HttpRetry retry = HttpRetry.defaults();
    assertEquals(RetryPolicy.defaults(), retry.policy());
    assertEquals(Optional.empty(), retry.idempotencyKeys());
    assertEquals(0, retry.bufferBodiesUpTo());
    assertFalse(retry.refuseRedirectedKeys());
    assertSame(RetryEnvironment.system(), retry.environment());
    assertFalse(retry.operation(TestRequest.of("POST"), RetryOptions.none()).changesHeaders());
  }

  @Test
  void theDefaultsAreOneConfigurationWithOneBudget() {
    assertSame(HttpRetry.defaults(), HttpRetry.defaults());
  }

  @Test
  void aBuilderMadeOfAConfigurationStartsWithAllOfIt() throws ReflectiveOperationException {
    HttpRetry.Builder given =
        HttpRetry.builder()
            .policy(RetryPolicy.noRetry())
            .idempotencyKeys(IdempotencyKeys.payPal())
            .budget(RetryBudget.unlimited())
            .guard(new Shut())
            .listener(new RetryListener() {})
            .classifier(StandardRules.builder().neverRetry(500).build())
            .context(() -> () -> () -> {})
            .environment(new LeapingTime().environment())
            .oncePerOperation("X-First", (request, start) -> Optional.of("a"))
            .oncePerAttempt("X-Each", (operation, attempt) -> Optional.of("a"))
            .signals(
                ResponseSignals.standard()
                    .withReplayMarker("X-Replayed")
                    .withShouldRetry("X-Stop", "1", false)
                    .withShouldRetry("X-Go", "1", true)
                    .withDoNotRetry("X-Limited")
                    .withRateLimitReset())
            .bufferBodiesUpTo(5)
            .refuseRedirectedKeys(true)
            .serverDelayGate(true)
            .leaveDeadConnections(false)
            .propagation(
                Propagation.to("https://stock.internal:8443")
                    .owningRetries()
                    .withHeaders(ScopeHeaders.envoy()));
    HttpRetry.Builder copy = given.build().toBuilder();
    for (Field field : HttpRetry.Builder.class.getDeclaredFields()) {
      field.setAccessible(true);
      assertEquals(field.get(given), field.get(copy), field.getName());
      assertNotEquals(field.get(HttpRetry.builder()), field.get(copy), field.getName());
    }
    copy.signals(ResponseSignals.standard().withShouldRetry("X-Other", "1", false));
    assertNotEquals(given.build().signals(), copy.build().signals());
  }

  @Test
  void followingRateLimitsPaysForAllButThrottling() {
    HttpRetry retry = HttpRetry.followingRateLimits(Duration.ofMinutes(2)).build();

    assertEquals(Optional.of(Duration.ofMinutes(2)), retry.policy().totalTimeout());
    assertEquals(Duration.ofMinutes(2), retry.policy().maxServerDelay());
    RetryBudget.Account account = retry.plan().budget().account("https://api.example:443");
    for (int i = 0; i < 100; i++) {
      Withdrawal free = account.tryWithdraw(FailureKind.THROTTLED, 0);
      assertTrue(free.granted());
      account.refund(free, 0);
    }
    for (int i = 0; i < 10; i++) {
      assertTrue(account.tryWithdraw(FailureKind.UNAVAILABLE, 0).granted());
    }
    Withdrawal last = Withdrawal.of(1);
    assertFalse(account.tryWithdraw(FailureKind.UNAVAILABLE, 0).granted());
    account.refund(last, 0);
    assertTrue(account.tryWithdraw(FailureKind.UNAVAILABLE, 0).granted());
    assertThrows(
        IllegalArgumentException.class, () -> HttpRetry.followingRateLimits(Duration.ZERO));
  }

  @Test
  void optionsAreMergedAndTheLaterOnesWin() {
    RetryOptions key = RetryOptions.builder().idempotencyKey("a").name("pay").noRetry().build();
    RetryOptions later =
        RetryOptions.builder()
            .name("refund")
            .replayable(true)
            .bodyRepeatable(true)
            .optional()
            .deadline(Duration.ofSeconds(3))
            .policy(RetryPolicy.valueOf("maxAttempts=7"))
            .build();
    assertEquals(
        "RetryOptions(name=refund, key=set, derivedKey=null, deadline=PT3S, replayable=ALWAYS,"
            + " policy=no retry, optional)",
        key.with(later).toString());
    assertEquals(
        "RetryOptions(name=pay, key=set, derivedKey=null, deadline=PT3S, replayable=ALWAYS,"
            + " policy=no retry, optional)",
        later.with(key).toString());
    assertEquals(Optional.of(true), later.with(key).bodyRepeatable());
    assertEquals(7, later.with(RetryOptions.none()).policy(RetryPolicy.defaults()).maxAttempts());
  }

  @Test
  void forAiApis_knowsWhatNoWaitMends() {
    HttpRetry retry = HttpRetry.forAiApis(Duration.ofMinutes(30)).build();
    assertEquals(Duration.ofMinutes(30), retry.policy().totalTimeout().orElseThrow());
    assertEquals(Optional.of(Duration.ofMinutes(10)), retry.policy().attemptTimeout(1));
    assertEquals(Optional.of(Duration.ofMinutes(2)), retry.policy().bodyIdleTimeout());
    assertEquals(Set.of(429), retry.classifier().readsBodyOf());
    assertThrows(IllegalArgumentException.class, () -> HttpRetry.forAiApis(Duration.ZERO));
  }

  @Test
  void aCostIsANumberOrAFunctionOfTheRequest() {
    HttpRetry retry = HttpRetry.defaults();
    RetryOptions options = RetryOptions.builder().cost(800).build();
    TestRequest request = TestRequest.of("POST").body("four words of text");
    assertEquals(800, retry.operation(request, options).info().cost());
    assertEquals(0, retry.operation(request, RetryOptions.none()).info().cost());
    RetryOptions byBody =
        RetryOptions.builder()
            .cost(asked -> asked.body(1000).map(bytes -> bytes.length).orElse(1))
            .build();
    assertEquals(18, retry.operation(request, options.with(byBody)).info().cost());
    assertEquals(18, retry.operation(request, byBody.with(RetryOptions.none())).info().cost());
    RetryOptions broken = RetryOptions.builder().cost(asked -> 0).build();
    IllegalArgumentException bad =
        assertThrows(IllegalArgumentException.class, () -> retry.operation(request, broken));
    assertEquals("cost: 0 (expected: 1 to 1000000000)", bad.getMessage());
    assertThrows(IllegalArgumentException.class, () -> RetryOptions.builder().cost(0));
    assertThrows(NullPointerException.class, () -> RetryOptions.builder().cost(null));
  }

  @Test
  void everySettingArrives() {
    RetryPolicy policy = RetryPolicy.builder().maxAttempts(7).build();
    IdempotencyKeys keys = IdempotencyKeys.payPal();
    RetryEnvironment environment = new LeapingTime().environment();
    HttpRetry retry =
        HttpRetry.builder()
            .policy(policy)
            .idempotencyKeys(keys)
            .environment(environment)
            .bufferBodiesUpTo(1 << 24)
            .refuseRedirectedKeys(true)
            .build();
    assertSame(policy, retry.policy());
    assertSame(keys, retry.idempotencyKeys().orElseThrow());
    assertSame(environment, retry.environment());
    assertEquals(1 << 24, retry.bufferBodiesUpTo());
    assertTrue(retry.refuseRedirectedKeys());
    assertTrue(retry.toString().startsWith("HttpRetry("), retry::toString);
    assertTrue(retry.toString().contains("keys=PayPal-Request-Id BARE"), retry::toString);
  }

  @Test
  void aConfigurationDoesNotChangeWithItsBuilder() {
    HttpRetry.Builder builder = HttpRetry.builder();
    HttpRetry before = builder.build();
    builder
        .signals(
            ResponseSignals.standard()
                .withShouldRetry("X-Done", "1", false)
                .withRateLimitReset()
                .withReplayMarker("X-Replayed"))
        .oncePerOperation("X-First", (request, start) -> Optional.of("a"));
    HttpOperation get = before.operation(TestRequest.of("GET"), RetryOptions.none());
    TestResponse response =
        TestResponse.of(429)
            .header("X-Done", "1")
            .header("X-Replayed", "true")
            .header("X-RateLimit-Reset", "5");
    assertEquals(
        Verdict.retryable(FailureKind.THROTTLED).withNothingDone(),
        Wire.outcome(get, response).verdict());
    assertFalse(Wire.outcome(get, response).evidence().replayed());
    assertFalse(get.changesHeaders());
    HttpOperation after = builder.build().operation(TestRequest.of("GET"), RetryOptions.none());
    assertTrue(
        Wire.outcome(after, response).verdict().toString().contains("at least 5s"),
        () -> "" + Wire.outcome(after, response).verdict());
    assertTrue(Wire.outcome(after, response).evidence().replayed());
    assertTrue(after.changesHeaders());
  }

  @Test
  void nullIsRefusedByName() {
    HttpRetry.Builder retry = HttpRetry.builder();
    RetryOptions.Builder options = RetryOptions.builder();
    Map<String, Executable> cases = new LinkedHashMap<>();
    cases.put("policy", () -> retry.policy(null));
    cases.put("idempotencyKeys", () -> retry.idempotencyKeys(null));
    cases.put("budget", () -> retry.budget(null));
    cases.put("guard", () -> retry.guard(null));
    cases.put("listener", () -> retry.listener(null));
    cases.put("classifier", () -> retry.classifier(null));
    cases.put("environment", () -> retry.environment(null));
    cases.put("header", () -> retry.oncePerOperation(null, (request, now) -> Optional.empty()));
    cases.put("value", () -> retry.oncePerOperation("X-First", null));
    cases.put("signals", () -> retry.signals(null));
    cases.put("propagation", () -> retry.propagation(null));
    cases.put("replay marker", () -> ResponseSignals.standard().withReplayMarker(null));
    cases.put(
        "signal header", () -> ResponseSignals.standard().withShouldRetry(null, "true", false));
    cases.put("methods", () -> IdempotencyKeys.randomUuid().withMethods((String[]) null));
    cases.put("method", () -> IdempotencyKeys.randomUuid().withMethods("PUT", null));
    cases.put(
        "signal value", () -> ResponseSignals.standard().withShouldRetry("X-Again", null, true));
    cases.put("idempotency key", () -> options.idempotencyKey(null));
    cases.put("deadline", () -> options.deadline(null));
    cases.put("name", () -> options.name(null));
    cases.put("kind", () -> TransportFailure.of(null));
    cases.put("serverDelay", () -> new Signals(null, null, false, false));
    cases.put("request", () -> new OperationView(null, true));
    cases.forEach((name, code) ->
        assertEquals(
            name + ": null (expected: a value)",
            assertThrows(NullPointerException.class, code, name).getMessage()));
    assertThrows(NullPointerException.class, () -> options.policy(null));
    assertThrows(NullPointerException.class, () -> ResponseSignals.standard().withDoNotRetry(null));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "X First",
        "X-First:",
        "X\r\nInjected",
        "X\n",
        "X\r",
        "X\t",
        "X\u0000",
        "X\u007f",
        "\u00dcber",
        "(X)",
        "X,Y",
        "\"X\"",
        "X/Y",
        "X=Y",
        "X@Y",
        "{X}"
      })
  void whatIsNoHeaderNameIsRefused(String name) {
    HttpRetry.Builder retry = HttpRetry.builder();
    Map<String, Consumer<String>> places = new HashMap<>();
    places.put("header", each -> retry.oncePerOperation(each, (request, now) -> Optional.empty()));
    places.put("replay marker", ResponseSignals.standard()::withReplayMarker);
    places.put(
        "signal header", each -> ResponseSignals.standard().withShouldRetry(each, "true", false));
    places.put("idempotency key header", IdempotencyKeys.randomUuid()::withHeader);
    places.forEach((what, place) -> {
      String message = refusal(() -> place.accept(name));
      assertTrue(message.startsWith(what + ": \""), message);
      assertTrue(message.contains("(expected: a header name"), message);
      assertTrue(message.chars().allMatch(c -> c >= 0x20 && c <= 0x7e), message);
    });
    refusal(() -> ResponseSignals.standard().withShouldRetry(name, "true", true));
    refusal(() -> retry.oncePerAttempt(name, (operation, attempt) -> Optional.empty()));
    refusal(() -> ResponseSignals.standard().withDoNotRetry(name));
    refusal(() -> IdempotencyKeys.requestHash(name));
    refusal(() -> IdempotencyKeys.requestHashWithin(Duration.ofHours(1), "Tenant", name));
  }

  @Test
  void aMessageShowsWhatCannotBePrinted() {
    assertEquals(
        "replay marker: \"X\\u000d\\u000aY\" (expected: a header name: letters, digits and"
            + " !#$%&'*+-.^_`|~)",
        refusal(() -> ResponseSignals.standard().withReplayMarker("X\r\nY")));
    String message =
        refusal(() -> ResponseSignals.standard().withReplayMarker("\n" + "x".repeat(1000)));
    assertEquals(
        "replay marker: \"\\u000a"
            + "x".repeat(63)
            + "...\" (expected: a header name: letters,"
            + " digits and !#$%&'*+-.^_`|~)",
        message);
    assertEquals("\" ~\\u001f\\u007f\"", Checks.printable(" ~\u001f\u007f"));
    assertEquals('"' + "x".repeat(64) + '"', Checks.printable("x".repeat(64)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"X", "x-9", "!#$%&'*+-.^_`|~", "azAZ09"})
  void everyTokenIsAHeaderName(String name) {
    ResponseSignals signals =
        ResponseSignals.standard()
            .withReplayMarker(name)
            .withShouldRetry(name, "true", false)
            .withShouldRetry(name, "", true)
            .withDoNotRetry(name);
    HttpRetry.builder()
        .signals(signals)
        .oncePerAttempt(name, (operation, attempt) -> Optional.empty());
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\nb", "\r", "\u00e9", " true", "true ", "\u007f"})
  void aSignalValueIsAHeaderValue(String value) {
    String message =
        refusal(() -> ResponseSignals.standard().withShouldRetry("X-Done", value, false));
    assertTrue(message.startsWith("signal value: \""), message);
    refusal(() -> ResponseSignals.standard().withShouldRetry("X-Again", value, true));
    ResponseSignals.standard().withShouldRetry("X-Done", "a b ~", false);
  }

  @ParameterizedTest
  @ValueSource(ints = {Integer.MIN_VALUE, -1, (1 << 24) + 1, Integer.MAX_VALUE})
  void bufferBodiesUpToHasARange(int bytes) {
    assertEquals(
        "bufferBodiesUpTo: " + bytes + " (expected: 0 to 16777216)",
        refusal(() -> HttpRetry.builder().bufferBodiesUpTo(bytes)));
    HttpRetry.builder().bufferBodiesUpTo(0);
  }

  // Options of one operation.

  @Test
  void aDeadlineIsMoreThanZero() {
    for (Duration bad : new Duration[] {Duration.ZERO, Duration.ofNanos(-1)}) {
      assertEquals(
          "deadline: " + bad + " (expected: more than zero)",
          refusal(() -> RetryOptions.builder().deadline(bad)));
    }
    assertEquals(
        Optional.of(Duration.ofNanos(1)),
        RetryOptions.builder().deadline(Duration.ofNanos(1)).build().deadline());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "\t", "\n"})
  void aNameIsNotBlank(String name) {
    String message = refusal(() -> RetryOptions.builder().name(name));
    assertEquals("name: " + Checks.printable(name) + " (expected: not empty)", message);
  }

  @Test
  void aKeyOfTheOptionsHasItsRange() {
    RetryOptions.Builder options = RetryOptions.builder();
    assertEquals(
        "idempotency key: of 0 characters (expected: 1 to 255)",
        refusal(() -> options.idempotencyKey("")));
    assertEquals(
        "idempotency key: of 256 characters (expected: 1 to 255)",
        refusal(() -> options.idempotencyKey("k".repeat(256))));
    assertEquals(
        "idempotency key: U+000D at index 1 (expected: printable ASCII)",
        refusal(() -> options.idempotencyKey("a\r\nb")));
    options.idempotencyKey("k".repeat(255)).idempotencyKey("~ !");
  }

  @Test
  void aBadOptionLeavesTheBuilderAsItWas() {
    RetryOptions.Builder options = RetryOptions.builder().idempotencyKey("k");
    assertThrows(IllegalArgumentException.class, () -> options.idempotencyKey("\n"));
    assertEquals(Optional.of("k"), options.build().idempotencyKey());
  }

  @Test
  void withoutOptionsNothingIsSaid() {
    RetryOptions none = RetryOptions.none();
    assertEquals(Optional.empty(), none.idempotencyKey());
    assertEquals(Optional.empty(), none.bodyRepeatable());
    assertEquals(Replayable.BY_REQUEST, none.replayable());
    assertEquals(Optional.empty(), none.deadline());
    assertEquals(null, none.name());
    assertSame(none, RetryOptions.none());
    assertEquals(
        "RetryOptions(name=null, key=none, derivedKey=null, deadline=null,"
            + " replayable=BY_REQUEST, policy=null)",
        none.toString());
  }

  @Test
  void whatTheCallerSaysOfTheBodyIsKept() {
    assertEquals(
        Optional.of(true), RetryOptions.builder().bodyRepeatable(true).build().bodyRepeatable());
    assertEquals(
        Optional.of(false), RetryOptions.builder().bodyRepeatable(false).build().bodyRepeatable());
  }
}
