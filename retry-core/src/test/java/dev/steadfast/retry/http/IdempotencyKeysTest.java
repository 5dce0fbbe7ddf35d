package dev.steadfast.retry.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.Vectors;
import dev.steadfast.retry.Vectors.Vector;
import dev.steadfast.retry.engine.Evidence;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Where keys come from, under which header and in which form they are sent, and when not. */
class IdempotencyKeysTest {
  private static HttpOperation operation(IdempotencyKeys keys, RequestView request) {
    return HttpRetry.builder()
        .idempotencyKeys(keys)
        .build()
        .operation(request, RetryOptions.none());
  }

  /** The headers of the first attempt. */
  private static Map<String, String> headers(HttpOperation operation) {
    Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    operation.headers(Long.MAX_VALUE, headers::put);
    return headers;
  }

  private static String wire(IdempotencyKeys keys, RequestView request) {
    return headers(operation(keys, request)).get(keys.header());
  }

  private static String refusal(Executable code) {
    return assertThrows(IllegalArgumentException.class, code).getMessage();
  }

  // Lifecycle.

  static Stream<Vector> lifecycle() {
    return Vectors.group("idempotency_key_lifecycle")
        .filter(vector -> !vector.input().has("redirect")); // a redirect is the adapters' affair
  }

  @ParameterizedTest
  @MethodSource("lifecycle")
  void livesAsTheVectorsSay(Vector vector) {
    JsonObject input = vector.input();
    String method = input.has("method") ? input.get("method").getAsString() : "POST";
    HttpRetry retry =
        HttpRetry.builder()
            .idempotencyKeys(IdempotencyKeys.randomUuid())
            .environment(new LeapingTime().environment())
            .build();
    HttpOperation operation = retry.operation(TestRequest.of(method), RetryOptions.none());
    Wire wire = Wire.run(operation, TestResponse.of(503));
    Set<String> keys = new HashSet<>(wire.sent("Idempotency-Key"));
    if (vector.expected().has("distinctKeys")) {
      assertEquals(input.get("attempts").getAsInt(), wire.sent().size());
      assertEquals(vector.expected().get("distinctKeys").getAsInt(), keys.size());
    } else {
      boolean present = !keys.equals(Set.of("absent"));
      assertEquals(vector.expected().get("headerPresent").getAsBoolean(), present);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"POST", "PATCH"})
  void aKeyIsMintedForPostAndPatch(String method) {
    HttpOperation operation = operation(IdempotencyKeys.randomUuid(), TestRequest.of(method));
    assertEquals(Set.of("Idempotency-Key"), headers(operation).keySet());
    assertEquals(Optional.of("Idempotency-Key"), operation.keyHeader());
    assertTrue(operation.safety() != Evidence.Safety.UNSAFE && operation.changesHeaders());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "QUERY", "post", "LOCK"})
  void noKeyIsMintedForOtherMethods(String method) {
    HttpOperation operation = operation(IdempotencyKeys.randomUuid(), TestRequest.of(method));
    assertEquals(Map.of(), headers(operation));
    assertEquals(Optional.empty(), operation.keyHeader());
    assertEquals(Optional.empty(), operation.info().idempotencyKey());
  }

  @ParameterizedTest
  @ValueSource(strings = {"GET", "HEAD", "PUT", "DELETE", "QUERY", "POST", "PATCH", "LOCK"})
  void aKeyIsMintedForEveryMethodWhereTheServerTakesThat(String method) {
    IdempotencyKeys keys = IdempotencyKeys.randomUuid().withEveryMethod();
    HttpOperation operation = operation(keys, TestRequest.of(method));
    assertEquals(Set.of("Idempotency-Key"), headers(operation).keySet());
    assertEquals(Optional.of("Idempotency-Key"), operation.keyHeader());
    assertTrue(operation.safety() != Evidence.Safety.UNSAFE && operation.changesHeaders());
  }

  /** A method that is safe as such needs no key that the server honours. */
  @Test
  void aKeyDoesNotMakeAnIdempotentMethodLessSafe() {
    IdempotencyKeys keys = IdempotencyKeys.randomUuid().withEveryMethod();
    for (String method : List.of("GET", "PUT", "DELETE", "QUERY")) {
      boolean reads = method.equals("GET") || method.equals("QUERY");
      Evidence.Safety safety = reads ? Evidence.Safety.READ_ONLY : Evidence.Safety.IDEMPOTENT;
      HttpOperation operation = operation(keys, TestRequest.of(method));
      assertEquals(safety, operation.safety(), method);
      assertEquals(safety, operation.safety(method, name -> List.of()), method);
    }
    assertEquals(Evidence.Safety.KEYED, operation(keys, TestRequest.of("LOCK")).safety());
  }

  @Test
  void aKeyIsMintedForTheMethodsThatAreNamed() {
    IdempotencyKeys keys = IdempotencyKeys.randomUuid().withMethods("PUT", "LOCK", "PUT");
    for (String method : List.of("PUT", "LOCK")) {
      assertTrue(operation(keys, TestRequest.of(method)).keyHeader().isPresent(), method);
    }
    for (String method : List.of("POST", "PATCH", "GET", "put")) {
      assertEquals(Map.of(), headers(operation(keys, TestRequest.of(method))), method);
    }
    assertEquals(
        Evidence.Safety.UNSAFE, operation(keys, TestRequest.of("POST")).safety(), "it has no key");
  }

  @Test
  void theMethodsAreIndependentOfHeaderFormAndLimit() {
    IdempotencyKeys keys = IdempotencyKeys.from(request -> "k").withMethods("PUT");
    for (IdempotencyKeys each :
        List.of(
            keys.withHeader("X-Key").quoted().withMaxLength(9),
            keys.withEveryMethod().withMethods("PUT"))) {
      assertTrue(each.areFor("PUT"));
      assertTrue(!each.areFor("POST"));
    }
    assertTrue(keys.withHeader("X-Key").withEveryMethod().quoted().withMaxLength(9).areFor("GET"));
    assertTrue(!keys.areFor("GET"), "the original is unchanged");
  }

  @Test
  void whatIsNoMethodIsRefused() {
    IdempotencyKeys keys = IdempotencyKeys.randomUuid();
    assertEquals("methods: none (expected: one or more)", refusal(keys::withMethods));
    for (String method : List.of("", " ", "PUT,POST", "PUT ", "P\nT", "G\u00cbT", "{PUT}")) {
      String message = refusal(() -> keys.withMethods("POST", method));
      assertTrue(message.startsWith("method: \""), message);
      assertTrue(message.contains("(expected: a method: letters, digits and"), message);
    }
  }

  @Test
  void noKeyIsMintedUnlessConfigured() {
    HttpOperation operation =
        HttpRetry.defaults().operation(TestRequest.of("POST"), RetryOptions.none());
    assertEquals(Map.of(), headers(operation));
    assertTrue(operation.safety() == Evidence.Safety.UNSAFE && !operation.changesHeaders());
  }

  @Test
  void theKeyIsOnTheFirstAttemptAlsoWithoutRetries() {
    HttpRetry retry = HttpRetry.builder().idempotencyKeys(IdempotencyKeys.randomUuid()).build();
    RetryOptions once = RetryOptions.builder().noRetry().build();
    assertEquals(1, headers(retry.operation(TestRequest.of("POST"), once)).size());
  }

  @Test
  void everyOperationHasAKeyOfItsOwn() {
    HttpRetry retry = HttpRetry.builder().idempotencyKeys(IdempotencyKeys.randomUuid()).build();
    TestRequest request = TestRequest.of("POST");
    Set<String> keys = new HashSet<>();
    for (int i = 0; i < 1000; i++) {
      HttpOperation operation = retry.operation(request, RetryOptions.none());
      keys.add(UUID.fromString(operation.info().idempotencyKey().orElseThrow()).toString());
    }
    assertEquals(1000, keys.size());
  }

  // The caller's own.

  @Test
  void theCallersHeaderWinsAndVouches() {
    TestRequest request = TestRequest.of("POST").header("idempotency-KEY", "mine");
    for (RetryOptions options :
        List.of(RetryOptions.none(), RetryOptions.builder().idempotencyKey("other").build())) {
      for (HttpRetry retry :
          List.of(
              HttpRetry.defaults(),
              HttpRetry.builder().idempotencyKeys(IdempotencyKeys.randomUuid()).build())) {
        HttpOperation operation = retry.operation(request, options);
        assertEquals(Map.of(), headers(operation), "sent as the caller wrote it");
        assertEquals(Optional.of("Idempotency-Key"), operation.keyHeader(), "stays at its origin");
        assertEquals(Optional.of("mine"), operation.info().idempotencyKey());
        assertTrue(operation.safety() != Evidence.Safety.UNSAFE);
      }
    }
  }

  @Test
  void theCallersHeaderMayBreakTheRulesForOurs() {
    for (String key : new String[] {"k".repeat(255), "cl\u00e9", " padded "}) {
      HttpOperation operation =
          operation(
              IdempotencyKeys.randomUuid(), TestRequest.of("POST").header("Idempotency-Key", key));
      assertEquals(Map.of(), headers(operation));
      assertEquals(Optional.of(key), operation.info().idempotencyKey());
    }
  }

  @Test
  void theCallersHeaderMayNotBeLongerThanOurs() {
    String key = "k".repeat(256);
    for (IdempotencyKeys keys :
        new IdempotencyKeys[] {IdempotencyKeys.randomUuid(), IdempotencyKeys.ietfDraft()}) {
      TestRequest request = TestRequest.of("POST").header("Idempotency-Key", key);
      IllegalArgumentException refused =
          assertThrows(IllegalArgumentException.class, () -> operation(keys, request));
      assertEquals("idempotency key: of 256 characters (expected: 1 to 255)", refused.getMessage());
    }
  }

  @Test
  void aQuotedHeaderOfTheCallersIsReadAsOne() {
    TestRequest quoted = TestRequest.of("POST").header("Idempotency-Key", "\"a\\\"b\"");
    IdempotencyKeys draft = IdempotencyKeys.ietfDraft();
    assertEquals(Optional.of("a\"b"), operation(draft, quoted).info().idempotencyKey());
    TestRequest bare = TestRequest.of("POST").header("Idempotency-Key", "a");
    assertEquals(Optional.of("a"), operation(draft, bare).info().idempotencyKey());
    assertEquals(
        Optional.of("\"a\\\"b\""),
        operation(IdempotencyKeys.randomUuid(), quoted).info().idempotencyKey());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "\"\""})
  void aBlankHeaderOfTheCallersIsNoKeyAndStillSentAsWritten(String value) {
    HttpOperation operation =
        operation(
            IdempotencyKeys.ietfDraft(), TestRequest.of("POST").header("Idempotency-Key", value));
    assertEquals(Map.of(), headers(operation));
    assertEquals(Optional.empty(), operation.info().idempotencyKey());
    assertTrue(operation.safety() == Evidence.Safety.UNSAFE);
  }

  @ParameterizedTest
  @ValueSource(chars = {'\0', '\t', '\r', '\n', '\u001f', '\u007f', '\u0085', '\u009f'})
  void controlCharactersAreRefused(char c) {
    TestRequest request = TestRequest.of("GET").header("Idempotency-Key", "secret" + c + "x");
    assertEquals(
        String.format(
            "idempotency key: U+%04X at index 6 (expected: no control characters)", (int) c),
        refusal(() -> HttpRetry.defaults().operation(request, RetryOptions.none())));
  }

  @Test
  void anotherHeaderThanTheConfiguredOneIsNoKey() {
    TestRequest request = TestRequest.of("POST").header("Idempotency-Key", "mine");
    HttpOperation operation = operation(IdempotencyKeys.payPal(), request);
    assertEquals(Set.of("PayPal-Request-Id"), headers(operation).keySet());
    assertNotEquals(Optional.of("mine"), operation.info().idempotencyKey());
  }

  @Test
  void aKeyInTheOptionsIsForAnyMethodAndUnderTheConfiguredHeader() {
    RetryOptions options = RetryOptions.builder().idempotencyKey("order-7").build();
    HttpRetry none = HttpRetry.defaults();
    HttpRetry payPal =
        HttpRetry.builder().idempotencyKeys(IdempotencyKeys.payPal().quoted()).build();
    for (String method : new String[] {"GET", "POST", "PUT", "LOCK"}) {
      TestRequest request = TestRequest.of(method);
      assertEquals(Map.of("Idempotency-Key", "order-7"), headers(none.operation(request, options)));
      assertEquals(
          Map.of("PayPal-Request-Id", "\"order-7\""), headers(payPal.operation(request, options)));
      assertTrue(none.operation(request, options).safety() != Evidence.Safety.UNSAFE);
    }
  }

  @Test
  void aKeyInTheOptionsKeepsToTheServersLimit() {
    RetryOptions options = RetryOptions.builder().idempotencyKey("k".repeat(65)).build();
    HttpRetry adyen = HttpRetry.builder().idempotencyKeys(IdempotencyKeys.adyen()).build();
    assertEquals(
        "idempotency key: of 65 characters (expected: 1 to 64)",
        refusal(() -> adyen.operation(TestRequest.of("POST"), options)));
  }

  // Kinds.

  @Test
  void aBusinessIdIsTheSameForTheSameRequest() {
    IdempotencyKeys keys =
        IdempotencyKeys.from(request -> request.headers("Order").get(0) + "-payment");
    TestRequest request = TestRequest.of("POST").header("Order", "7");
    assertEquals("7-payment", wire(keys, request));
    assertEquals("7-payment", wire(keys, request));
  }

  @ParameterizedTest
  @MethodSource("badKeys")
  void aFunctionIsHeldToTheRules(String key, String expected) {
    IdempotencyKeys keys = IdempotencyKeys.from(request -> key);
    assertEquals(expected, refusal(() -> operation(keys, TestRequest.of("POST"))));
  }

  static Stream<Arguments> badKeys() {
    return Stream.of(
        Arguments.of("", "idempotency key: of 0 characters (expected: 1 to 255)"),
        Arguments.of("k".repeat(256), "idempotency key: of 256 characters (expected: 1 to 255)"),
        Arguments.of("a\nb", "idempotency key: U+000A at index 1 (expected: printable ASCII)"),
        Arguments.of(
            "a ", "idempotency key: with surrounding spaces (expected: none, they would be lost)"));
  }

  @Test
  void aFunctionThatGivesNothingIsRefused() {
    AtomicReference<String> nothing = new AtomicReference<>();
    IdempotencyKeys keys = IdempotencyKeys.from(request -> nothing.get());
    assertEquals(
        "idempotency key: null (expected: a value)",
        assertThrows(NullPointerException.class, () -> operation(keys, TestRequest.of("POST")))
            .getMessage());
  }

  @Test
  void aCompositeJoinsItsParts() {
    assertEquals("user-7", IdempotencyKeys.composite("user-7"));
    assertEquals("user-7:2026:pay", IdempotencyKeys.composite("user-7", "2026", "pay"));
  }

  @Test
  void aPartMayNotContainTheSeparator() {
    assertEquals(
        "part 2: U+003A at index 3 (expected: no colon)",
        refusal(() -> IdempotencyKeys.composite("a", "top:secret")));
    assertEquals(
        "part 1: empty (expected: one character or more)",
        refusal(() -> IdempotencyKeys.composite("", "a")));
    assertEquals("parts: none (expected: one or more)", refusal(IdempotencyKeys::composite));
    assertEquals(
        "idempotency key: of 256 characters (expected: 1 to 255)",
        refusal(() -> IdempotencyKeys.composite("a", "b".repeat(254))));
    assertEquals(255, IdempotencyKeys.composite("a", "b".repeat(253)).length());
    assertEquals(
        "idempotency key: U+00E9 at index 2 (expected: printable ASCII)",
        refusal(() -> IdempotencyKeys.composite("a", "\u00e9")));
  }

  @Test
  void aHashIsTheSameForTheSameRequest() {
    IdempotencyKeys keys = IdempotencyKeys.requestHash("Tenant");
    TestRequest first = TestRequest.of("POST").header("Tenant", "a").body("x");
    TestRequest again = TestRequest.of("POST").header("tenant", "a").body("x").header("Trace", "1");
    TestRequest other = TestRequest.of("POST").header("Tenant", "b").body("x");
    assertEquals(wire(keys, first), wire(keys, again));
    assertNotEquals(wire(keys, first), wire(keys, other));
  }

  @Test
  void aBucketSeparatesEqualRequestsInTime() {
    IdempotencyKeys keys = IdempotencyKeys.requestHashWithin(Duration.ofSeconds(10), "Tenant");
    String first = wireAt(keys, "2026-11-21T10:00:00Z");
    assertEquals(first, wireAt(keys, "2026-11-21T10:00:09.999999999Z"));
    assertNotEquals(first, wireAt(keys, "2026-11-21T10:00:10Z"));
    assertNotEquals(first, wireAt(keys, "2026-11-21T09:59:59Z"));
    assertNotEquals(first, wire(IdempotencyKeys.requestHash("Tenant"), TestRequest.of("POST")));
    assertEquals(wireAt(keys, "1969-12-31T23:59:50Z"), wireAt(keys, "1969-12-31T23:59:59Z"));
    assertNotEquals(wireAt(keys, "1969-12-31T23:59:59Z"), wireAt(keys, "1970-01-01T00:00:00Z"));
  }

  private static String wireAt(IdempotencyKeys keys, String time) {
    RetryEnvironment system = RetryEnvironment.system();
    RetryEnvironment then =
        new RetryEnvironment(
            system.ticker(), () -> Instant.parse(time), system.random(), system.scheduler());
    HttpRetry retry = HttpRetry.builder().idempotencyKeys(keys).environment(then).build();
    return headers(retry.operation(TestRequest.of("POST"), RetryOptions.none()))
        .get("Idempotency-Key");
  }

  @Test
  void aBucketIsWholeSeconds() {
    for (Duration bad :
        List.of(
            Duration.ZERO,
            Duration.ofSeconds(-5),
            Duration.ofNanos(999_999_999),
            Duration.ofMillis(1500))) {
      assertEquals(
          "bucket: " + bad + " (expected: whole seconds, one or more)",
          refusal(() -> IdempotencyKeys.requestHashWithin(bad)));
    }
    IdempotencyKeys.requestHashWithin(Duration.ofSeconds(1));
    IdempotencyKeys.requestHashWithin(Duration.ofSeconds(Long.MAX_VALUE));
  }

  // Presets.

  private static void assertPreset(
      IdempotencyKeys keys, String header, boolean quoted, int maxLength) {
    assertEquals(header, keys.header());
    String wire = wire(keys, TestRequest.of("POST"));
    String key = quoted ? KeyForm.parseQuoted(wire).orElseThrow() : wire;
    assertEquals(36, UUID.fromString(key).toString().length());
    assertEquals(header + (quoted ? " QUOTED" : " BARE"), keys.toString());
    assertTrue(keys.write("k".repeat(maxLength)).length() >= maxLength);
    assertThrows(IllegalArgumentException.class, () -> keys.write("k".repeat(maxLength + 1)));
  }

  @Test
  void aPresetHasTheHeaderTheFormAndTheLimitOfItsApi() {
    assertPreset(IdempotencyKeys.randomUuid(), "Idempotency-Key", false, 255);
    assertPreset(IdempotencyKeys.stripe(), "Idempotency-Key", false, 255);
    assertPreset(IdempotencyKeys.ietfDraft(), "Idempotency-Key", true, 255);
    assertPreset(IdempotencyKeys.adyen(), "idempotency-key", false, 64);
    assertPreset(IdempotencyKeys.payPal(), "PayPal-Request-Id", false, 255);
    assertPreset(IdempotencyKeys.checkoutCom(), "Cko-Idempotency-Key", false, 255);
    assertPreset(IdempotencyKeys.worldline(), "X-GCS-Idempotence-Key", false, 40);
    assertPreset(IdempotencyKeys.ppro(), "Request-Idempotency-Key", false, 255);
    assertPreset(IdempotencyKeys.repeatableRequests(), "Repeatability-Request-ID", false, 255);
    IdempotencyKeys storage = IdempotencyKeys.googleCloudStorage();
    assertPreset(storage, "x-goog-gcs-idempotency-token", false, 255);
    assertTrue(storage.areFor("POST") && storage.areFor("GET") && storage.areFor("DELETE"));
  }

  @Test
  void headerFormAndLimitAreIndependentOfEachOther() {
    IdempotencyKeys keys = IdempotencyKeys.from(request -> "k");
    assertEquals(
        "\"k\"", wire(keys.withHeader("X-Key").quoted().withMaxLength(1), TestRequest.of("POST")));
    assertEquals(
        "\"k\"", wire(keys.withMaxLength(1).quoted().withHeader("X-Key"), TestRequest.of("POST")));
    assertEquals("k", wire(keys, TestRequest.of("POST")), "the original is unchanged");
    assertEquals("X-Key", keys.quoted().withHeader("X-Key").header());
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 256, Integer.MAX_VALUE})
  void theLimitHasARange(int maxLength) {
    assertEquals(
        "maxLength: " + maxLength + " (expected: 1 to 255)",
        refusal(() -> IdempotencyKeys.from(request -> "k").withMaxLength(maxLength)));
    assertEquals("k", IdempotencyKeys.from(request -> "k").withMaxLength(1).write("k"));
    assertEquals(255, IdempotencyKeys.adyen().withMaxLength(255).write("k".repeat(255)).length());
  }

  @Test
  void aLimitBelowTheKeysOwnLengthIsRefusedAtOnce() {
    assertEquals(
        "maxLength: 35 (expected: 36 to 255)",
        refusal(() -> IdempotencyKeys.randomUuid().withMaxLength(35)));
    assertEquals(
        "maxLength: 63 (expected: 64 to 255)",
        refusal(() -> IdempotencyKeys.requestHash().quoted().withMaxLength(63)));
    assertEquals(
        "maxLength: 63 (expected: 64 to 255)",
        refusal(() ->
            IdempotencyKeys.requestHashWithin(Duration.ofMinutes(1))
                .withHeader("K")
                .withMaxLength(63)));
    assertEquals(
        64, wire(IdempotencyKeys.requestHash().withMaxLength(64), TestRequest.of("POST")).length());
    assertEquals(
        36, wire(IdempotencyKeys.randomUuid().withMaxLength(36), TestRequest.of("POST")).length());
  }

  @Test
  void nullIsRefusedByName() {
    String[] none = {null};
    Map<String, Executable> cases =
        Map.of(
            "key", () -> IdempotencyKeys.from(null),
            "headers", () -> IdempotencyKeys.requestHash((String[]) null),
            "header", () -> IdempotencyKeys.requestHash(none),
            "bucket", () -> IdempotencyKeys.requestHashWithin(null),
            "parts", () -> IdempotencyKeys.composite((String[]) null),
            "part 1", () -> IdempotencyKeys.composite(none),
            "idempotency key header", () -> IdempotencyKeys.randomUuid().withHeader(null));
    cases.forEach((name, code) ->
        assertEquals(
            name + ": null (expected: a value)",
            assertThrows(NullPointerException.class, code).getMessage()));
  }
}
