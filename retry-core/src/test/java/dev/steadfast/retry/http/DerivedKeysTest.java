package dev.steadfast.retry.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.engine.Evidence;
import dev.steadfast.retry.scope.RetryScope;
import dev.steadfast.retry.scope.ScopeOptions;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys of calls that derive from the key of the request which they are made for. */
class DerivedKeysTest {
  // printf '\0\0\0\4acme\0\0\0\6orders\0\0\0\14POST /orders\0\0\0\7order-1\0\0\0\6charge' |
  // sha256sum
  private static final String OF_ACME =
      "2b9bfcd81c5afe21d325f874e0a57dd9adcba94e2586bef6038b51f41f2633b2";
  private static final String HASH = "[0-9a-f]{64}";
  private static final String UUID = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}";

  private static final ScopeOptions ORDERS =
      ScopeOptions.builder().service("orders").build().withOperation("POST /orders");

  private final HttpRetry.Builder retry =
      HttpRetry.builder()
          .budget(RetryBudget.unlimited())
          .environment(new LeapingTime().environment())
          .idempotencyKeys(IdempotencyKeys.randomUuid());

  private static RetryScope scope(String namespace, String key) {
    return RetryScope.enter(Map.of("Idempotency-Key", key)::get, namespace, ORDERS);
  }

  private static RetryScope bare() {
    return RetryScope.enter(name -> null);
  }

  private static RetryOptions derived(String name) {
    return RetryOptions.builder().derivedKey(name).build();
  }

  private static TestRequest post() {
    return TestRequest.of("POST").body("5");
  }

  private String key(TestRequest request, RetryOptions options) {
    Wire wire = Wire.run(retry.build().operation(request, options), TestResponse.of(200));
    return wire.sent("Idempotency-Key").get(0);
  }

  private String key(String namespace, String parent, String name) {
    try (RetryScope scope = scope(namespace, parent)) {
      assertEquals(Optional.of(parent), scope.parentKey());
      return key(post(), derived(name));
    }
  }

  @Test
  void isTheHashOfNamespaceServiceOperationParentKeyAndName() {
    assertEquals(OF_ACME, key("acme", "order-1", "charge"));
  }

  @Test
  void isTheSameOnEveryAttemptAndOnEveryRepetitionOfTheInboundRequest() {
    for (int inbound = 0; inbound < 2; inbound++) {
      try (RetryScope scope = scope("acme", "order-1")) {
        HttpOperation operation = retry.build().operation(post(), derived("charge"));
        Wire wire =
            Wire.run(operation, TestResponse.of(503), TestResponse.of(503), TestResponse.of(200));
        assertEquals(List.of(OF_ACME, OF_ACME, OF_ACME), wire.sent("Idempotency-Key"));
        assertEquals(Optional.of(OF_ACME), operation.info().idempotencyKey());
        assertFalse(scope.gaveUp());
      }
    }
  }

  /** Neither tenants nor keys nor names, whatever they are made of, ever share a key. */
  @Test
  void noTwoPrincipalsShareAKey() {
    List<String> parts =
        List.of("a", "b", "c", "ab", "bc", "abc", "a:b", "b:c", "a\u0000", "\u00e4");
    Set<String> keys = new HashSet<>();
    int derived = 0;
    for (String namespace : parts) {
      for (String parent : parts.subList(0, 8)) {
        for (String name : parts) {
          keys.add(key(namespace, parent, name));
          derived++;
        }
      }
    }
    assertEquals(800, derived);
    assertEquals(derived, keys.size());
    keys.forEach(each -> assertTrue(each.matches(HASH), each));
  }

  /** Half a character is none: all such strings are one string in UTF-8. */
  @Test
  void aNameThatIsNoTextIsRefused() {
    assertThrows(IllegalArgumentException.class, () -> key("tenant-\ud800", "order-1", "charge"));
    assertThrows(IllegalArgumentException.class, () -> key("acme", "order-1", "charge-\udc00"));
  }

  // Where none derives.

  @Test
  void withoutANamespaceNoneDerives() {
    ScopeOptions trusting = ScopeOptions.builder().trustInbound(true).build();
    try (RetryScope scope =
        RetryScope.enter(Map.of("Idempotency-Key", "order-1")::get, null, trusting)) {
      assertEquals(Optional.of("order-1"), scope.parentKey());
      assertTrue(key(post(), derived("charge")).matches(UUID));
    }
  }

  /** What an inbound request says never changes calls that do not ask for it. */
  @Test
  void aNameAloneDerivesNone() {
    RetryOptions named = RetryOptions.builder().name("charge").build();
    try (RetryScope scope = scope("acme", "order-1")) {
      assertTrue(scope.parentKey().isPresent());
      assertTrue(key(post(), RetryOptions.none()).matches(UUID));
      assertNotEquals(key(post(), named), key(post(), named));
      assertTrue(key(TestRequest.of("POST").body("6"), named).matches(UUID));
    }
  }

  /** One user may send one key to two operations, and to two services. */
  @Test
  void operationsAndServicesDoNotShareKeys() {
    Set<String> keys = new HashSet<>();
    for (String service : List.of("", "orders", "invoices", "ordersPOST")) {
      for (String operation : List.of("POST /orders", " /orders", "POST /refunds")) {
        ScopeOptions options =
            ScopeOptions.builder().service(service).build().withOperation(operation);
        try (RetryScope scope =
            RetryScope.enter(Map.of("Idempotency-Key", "order-1")::get, "acme", options)) {
          keys.add(key(post(), derived("charge")));
          assertFalse(scope.gaveUp());
        }
      }
    }
    assertEquals(12, keys.size());
  }

  @Test
  void withoutTheInboundOperationADerivedKeyIsRefused() {
    ScopeOptions unnamed = ScopeOptions.defaults();
    try (RetryScope scope =
        RetryScope.enter(Map.of("Idempotency-Key", "order-1")::get, "acme", unnamed)) {
      Exception refused =
          assertThrows(IllegalArgumentException.class, () -> key(post(), derived("charge")));
      assertTrue(refused.getMessage().startsWith("ScopeOptions.operation: none"));
      assertTrue(key(post(), RetryOptions.none()).matches(UUID));
      assertFalse(scope.gaveUp());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "order\u0001", "\u00e4"})
  void withoutAParentKeyNoneDerives(String junk) {
    try (RetryScope scope = scope("acme", junk)) {
      assertEquals(Optional.empty(), scope.parentKey());
      assertTrue(key(post(), derived("charge")).matches(UUID));
    }
  }

  /**
   * By asking for a derived key, the caller promises that the server honours keys, as with any key.
   */
  @Test
  void aClientThatAddsNoKeysDerivesOneWhereItIsAskedTo() {
    HttpRetry keyless = HttpRetry.builder().budget(RetryBudget.unlimited()).build();
    try (RetryScope scope = scope("acme", "order-1")) {
      HttpOperation operation = keyless.operation(post(), derived("charge"));
      assertEquals(Optional.of(OF_ACME), operation.info().idempotencyKey());
      assertEquals(Evidence.Safety.KEYED, operation.safety());
      assertFalse(scope.gaveUp());
    }
    assertEquals(Evidence.Safety.UNSAFE, keyless.operation(post(), derived("charge")).safety());
  }

  @ParameterizedTest
  @ValueSource(strings = {"GET", "HEAD", "PUT", "DELETE"})
  void methodsThatNeedNoKeyGetOneWhereTheyAreAskedTo(String method) {
    try (RetryScope scope = scope("acme", "order-1")) {
      assertTrue(scope.parentKey().isPresent());
      assertEquals(OF_ACME, key(TestRequest.of(method), derived("charge")));
      assertEquals("absent", key(TestRequest.of(method), RetryOptions.none()));
    }
  }

  @Test
  void outsideOfTheScopeNoneDerives() {
    scope("acme", "order-1").close();
    assertTrue(key(post(), derived("charge")).matches(UUID));
  }

  // One name, one request.

  @Test
  void theSameRequestAgainHasTheSameKey() {
    try (RetryScope scope = scope("acme", "order-1")) {
      assertEquals(key(post(), derived("charge")), key(post(), derived("charge")));
      assertFalse(scope.gaveUp());
    }
  }

  @Test
  void anotherRequestOfThatNameIsAMistake() {
    try (RetryScope scope = scope("acme", "order-1")) {
      key(post(), derived("charge"));
      List<TestRequest> others =
          List.of(
              TestRequest.of("POST").body("6"),
              TestRequest.of("PATCH").body("5"),
              TestRequest.of("POST", "https://api.example/refunds").body("5"),
              post().oneShot());
      for (TestRequest other : others) {
        Exception refused =
            assertThrows(
                IllegalArgumentException.class,
                () -> key(other, derived("charge")),
                other::toString);
        assertTrue(
            refused.getMessage().startsWith("derivedKey: \"charge\" (expected: a name of its own"));
      }
      assertNotEquals(key(post(), derived("refund")), key(post(), derived("charge")));
      assertFalse(scope.gaveUp());
    }
  }

  @Test
  void aBodyThatCannotBeComparedIsLikeNoOther() {
    try (RetryScope scope = scope("acme", "order-1")) {
      assertEquals(OF_ACME, key(post().oneShot(), derived("charge")));
      assertThrows(IllegalArgumentException.class, () -> key(post().oneShot(), derived("charge")));
      assertFalse(scope.gaveUp());
    }
  }

  // Precedence.

  @Test
  void ownHeaderThenOptionsThenDerivedThenMinted() {
    RetryOptions both =
        RetryOptions.builder().derivedKey("charge").idempotencyKey("of-options").build();
    try (RetryScope scope = scope("acme", "order-1")) {
      assertEquals("absent", key(post().header("Idempotency-Key", "own"), both)); // his stays
      HttpOperation own = retry.build().operation(post().header("idempotency-key", "own"), both);
      assertEquals(Optional.of("own"), own.info().idempotencyKey());
      assertEquals("of-options", key(post(), both));
      assertEquals(OF_ACME, key(post(), derived("charge")));
      retry.idempotencyKeys(IdempotencyKeys.from(request -> "of-function"));
      assertEquals(OF_ACME, key(post(), derived("charge")));
      assertEquals("of-function", key(post(), RetryOptions.none()));
      assertFalse(scope.gaveUp());
    }
  }

  // Nested scopes.

  @Test
  void aScopeWithinInherits() {
    try (RetryScope outer = scope("acme", "order-1");
        RetryScope inner = bare()) {
      assertEquals(OF_ACME, key(post(), derived("charge")));
      assertThrows(
          IllegalArgumentException.class,
          () -> key(TestRequest.of("POST").body("6"), derived("charge")));
      assertEquals(Optional.empty(), inner.parentKey());
      assertTrue(outer.parentKey().isPresent());
    }
  }

  @Test
  void aScopeWithinThatHasAKeyUsesItsOwn() {
    try (RetryScope outer = scope("acme", "order-1");
        RetryScope inner = scope("umbrella", "order-1")) {
      assertNotEquals(OF_ACME, key(post(), derived("charge")));
      assertFalse(inner.gaveUp() || outer.gaveUp());
    }
  }

  @Test
  void aScopeWithinOfAnotherPrincipalNeverUsesTheOutersKey() {
    try (RetryScope outer = scope("acme", "order-1");
        RetryScope inner = RetryScope.enter(name -> null, "umbrella", ORDERS)) {
      assertTrue(key(post(), derived("charge")).matches(UUID));
      assertFalse(inner.gaveUp() || outer.gaveUp());
    }
  }

  // Length.

  @Test
  void isCutToWhatTheServerTakes() {
    retry.idempotencyKeys(IdempotencyKeys.worldline());
    try (RetryScope scope = scope("acme", "order-1")) {
      Wire wire =
          Wire.run(retry.build().operation(post(), derived("charge")), TestResponse.of(200));
      assertEquals(List.of(OF_ACME.substring(0, 40)), wire.sent("X-GCS-Idempotence-Key"));
      retry.idempotencyKeys(IdempotencyKeys.randomUuid().quoted());
      assertEquals("\"" + OF_ACME + "\"", key(post(), derived("charge")));
      retry.idempotencyKeys(IdempotencyKeys.from(request -> "k").withMaxLength(32));
      assertEquals(OF_ACME.substring(0, 32), key(post(), derived("charge")));
      assertFalse(scope.gaveUp());
    }
  }

  @Test
  void tooShortAKeyWouldNoLongerTellCallsApart() {
    retry.idempotencyKeys(IdempotencyKeys.from(request -> "k").withMaxLength(31));
    try (RetryScope scope = scope("acme", "order-1")) {
      Exception refused =
          assertThrows(IllegalArgumentException.class, () -> key(post(), derived("charge")));
      assertEquals("maxLength: 31 (expected: 32 or more for derived keys)", refused.getMessage());
      assertFalse(scope.gaveUp());
    }
    assertEquals("k", key(post(), derived("charge")));
  }

  @Test
  void theKeyOfTheInboundRequestIsNeverShown() {
    Map<String, String> headers = new HashMap<>(Map.of("Idempotency-Key", "secret-parent"));
    try (RetryScope scope = RetryScope.enter(headers::get, "acme", ORDERS)) {
      retry.build().operation(post(), derived("charge"));
      Exception refused =
          assertThrows(
              IllegalArgumentException.class,
              () -> key(TestRequest.of("POST").body("6"), derived("charge")));
      assertFalse(refused.getMessage().contains("secret-parent"));
      assertFalse(scope.toString().contains("secret-parent"));
    }
  }
}
