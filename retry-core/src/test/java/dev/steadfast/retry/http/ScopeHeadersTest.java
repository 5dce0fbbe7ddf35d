package dev.steadfast.retry.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.testsupport.CapturedLog;
import dev.steadfast.retry.testsupport.CapturedLog.Line;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.event.Level;

/** Headers from strangers: what is understood tightens, what is not is ignored. */
class ScopeHeadersTest {
  private static final ScopeHeaders STANDARD = ScopeHeaders.standard();

  private static Function<String, String> inbound(String... namesAndValues) {
    Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    for (int i = 0; i < namesAndValues.length; i += 2) {
      headers.put(namesAndValues[i], namesAndValues[i + 1]);
    }
    return headers::get;
  }

  private static Map<String, String> written(ScopeHeaders headers) {
    Map<String, String> written = new TreeMap<>();
    headers.writeDoNotRetry(written::put);
    headers.writeRemaining(2_500_000_000L, written::put);
    return written;
  }

  // Presets.

  @Test
  void standard() {
    assertEquals(
        Map.of("Do-Not-Retry", "true", "grpc-timeout", "2500000u", "X-Request-Timeout-Ms", "2500"),
        written(STANDARD));
    assertEquals(
        List.of("Do-Not-Retry", "grpc-timeout", "X-Request-Timeout-Ms"), STANDARD.outbound());
    assertEquals(Map.of("x-should-retry", "false"), STANDARD.responseHeaders());
    assertEquals("k", STANDARD.readKey(inbound("idempotency-key", "k")));
    assertEquals(OptionalInt.of(2), STANDARD.readAttempt(inbound("x-attempt", "2")));
  }

  @Test
  void envoy() {
    ScopeHeaders envoy = ScopeHeaders.envoy();
    assertEquals(
        Map.of("x-envoy-max-retries", "0", "x-envoy-expected-rq-timeout-ms", "2500"),
        written(envoy));
    assertTrue(envoy.readDoNotRetry(inbound("X-Envoy-Max-Retries", "0")));
    assertFalse(envoy.readDoNotRetry(inbound("X-Envoy-Max-Retries", "3")));
    assertFalse(envoy.readDoNotRetry(inbound("Do-Not-Retry", "true")));
    assertEquals(
        7_000_000, envoy.readRemainingNanos(inbound("x-envoy-expected-rq-timeout-ms", "7")));
    assertEquals(Long.MAX_VALUE, envoy.readRemainingNanos(inbound("grpc-timeout", "1n")));
    assertEquals(OptionalInt.of(3), envoy.readAttempt(inbound("x-envoy-attempt-count", "3")));
  }

  @Test
  void linkerd() {
    ScopeHeaders linkerd = ScopeHeaders.linkerd();
    assertEquals("0", written(linkerd).get("l5d-retry-limit"));
    assertTrue(linkerd.readDoNotRetry(inbound("l5d-retry-limit", "0")));
    assertEquals(7_000_000, linkerd.readRemainingNanos(inbound("X-Request-Timeout-Ms", "7")));
  }

  @Test
  void ownNames() {
    ScopeHeaders own =
        STANDARD
            .withDoNotRetry("X-No-Retry", "Yes")
            .withGrpcTimeout(null)
            .withTimeoutMillis("X-Left")
            .withKey("X-Key")
            .withAttempt("X-Try")
            .withGaveUp("Qos-Retry-Hint", "do-not-retry");
    assertEquals(Map.of("X-No-Retry", "Yes", "X-Left", "2500"), written(own));
    assertTrue(own.readDoNotRetry(inbound("X-No-Retry", " yES ")));
    assertEquals("k", own.readKey(inbound("X-Key", "k")));
    assertEquals(OptionalInt.of(4), own.readAttempt(inbound("X-Try", "attempt=4; max=9")));
    assertEquals(Map.of("Qos-Retry-Hint", "do-not-retry"), own.responseHeaders());
    assertEquals(
        Map.of("X-No-Retry", "Yes", "te", "2500000u"),
        written(own.withTimeoutMillis(null).withGrpcTimeout("te")));
    assertEquals(STANDARD.toString(), ScopeHeaders.standard().toString()); // a copy was changed
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "a b", "a:b", "a\r\nb", "\u00e4"})
  void badNamesAreRefused(String name) {
    assertThrows(IllegalArgumentException.class, () -> STANDARD.withDoNotRetry(name, "true"));
    assertThrows(IllegalArgumentException.class, () -> STANDARD.withGrpcTimeout(name));
    assertThrows(IllegalArgumentException.class, () -> STANDARD.withTimeoutMillis(name));
    assertThrows(IllegalArgumentException.class, () -> STANDARD.withKey(name));
    assertThrows(IllegalArgumentException.class, () -> STANDARD.withAttempt(name));
    Exception bad =
        assertThrows(IllegalArgumentException.class, () -> STANDARD.withGaveUp(name, "false"));
    assertTrue(bad.getMessage().startsWith("header: \""), bad.getMessage());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", " true", "tr\nue", "tr\u00fce"})
  void badValuesAreRefused(String value) {
    assertThrows(IllegalArgumentException.class, () -> STANDARD.withDoNotRetry("X", value));
    assertThrows(IllegalArgumentException.class, () -> STANDARD.withGaveUp("X", value));
  }

  // Reading.

  @ParameterizedTest
  @CsvSource({
    "true, true",
    "TRUE, true",
    "' true ', true",
    "false, false",
    "1, false",
    "'', false"
  })
  void doNotRetry(String value, boolean read) {
    assertEquals(read, STANDARD.readDoNotRetry(inbound("do-not-retry", value)));
  }

  @Test
  void whatIsAbsentSaysNothing() {
    List<Line> lines =
        CapturedLog.of(() -> {
          assertFalse(STANDARD.readDoNotRetry(inbound()));
          assertEquals(Long.MAX_VALUE, STANDARD.readRemainingNanos(inbound()));
          assertNull(STANDARD.readKey(inbound()));
          assertEquals(OptionalInt.empty(), STANDARD.readAttempt(inbound()));
        });
    assertEquals(List.of(), lines);
  }

  @ParameterizedTest
  @CsvSource({
    "250m, 300, 250000000",
    "300m, 250, 250000000",
    "junk, 250, 250000000",
    "250m, junk, 250000000",
    "250m, -1, 250000000",
    "99999999H, 250, 250000000",
    "0n, 250, 0"
  })
  void ofTwoDeadlinesTheShorterHolds(String grpc, String millis, long nanos) {
    assertEquals(
        nanos,
        STANDARD.readRemainingNanos(inbound("grpc-timeout", grpc, "X-Request-Timeout-Ms", millis)));
  }

  @Test
  void nothingIsWrittenWhereThereIsNoDeadline() {
    Map<String, String> written = new TreeMap<>();
    STANDARD.writeRemaining(Long.MAX_VALUE, written::put);
    assertEquals(Map.of(), written);
    STANDARD.writeRemaining(0, written::put);
    assertEquals(Map.of("grpc-timeout", "0n", "X-Request-Timeout-Ms", "0"), written);
  }

  static List<String> hostile() {
    return List.of(
        "-1",
        "-9223372036854775808",
        "99999999999999999999999999",
        "${jndi:ldap://evil}",
        "1; DROP TABLE",
        "evil\r\nX-Injected: 1",
        "evil\u0000",
        "evil\u001b[31m",
        "\u0661\u0662",
        "NaN",
        "evil".repeat(2_500),
        "9".repeat(10_000));
  }

  @ParameterizedTest
  @MethodSource("hostile")
  void hostileDeadlinesAreIgnoredWithOneLineThatDoesNotRepeatThem(String value) {
    for (String name : List.of("grpc-timeout", "X-Request-Timeout-Ms")) {
      assertIgnored(
          name,
          value,
          () -> assertEquals(Long.MAX_VALUE, STANDARD.readRemainingNanos(inbound(name, value))));
    }
  }

  @ParameterizedTest
  @MethodSource("hostile")
  void soAreTheOthers(String value) {
    assertIgnored(
        "Do-Not-Retry",
        value,
        () -> assertFalse(STANDARD.readDoNotRetry(inbound("Do-Not-Retry", value))));
    assertIgnored(
        "X-Attempt",
        value,
        () -> assertEquals(OptionalInt.empty(), STANDARD.readAttempt(inbound("X-Attempt", value))));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "a\u0000b", "a\r\nX-Injected: 1", "a\tb", "\u00e4", "a\u007f"})
  void aKeyThatNoServerWouldTakeIsNone(String value) {
    assertIgnored(
        "Idempotency-Key",
        value.isBlank() ? "(nothing to repeat)" : value,
        () -> assertNull(STANDARD.readKey(inbound("Idempotency-Key", value))));
  }

  @Test
  void aKeyMayHave255Characters() {
    String longest = "k".repeat(255);
    assertEquals(longest, STANDARD.readKey(inbound("Idempotency-Key", longest)));
    String longer = "k".repeat(256);
    assertIgnored(
        "Idempotency-Key",
        longer,
        () -> assertNull(STANDARD.readKey(inbound("Idempotency-Key", longer))));
  }

  @ParameterizedTest
  @ValueSource(strings = {"attempt=", "attempt=;", "attempt=x; max=3", ";", "2147483648", "-1"})
  void noAttempt(String value) {
    assertEquals(OptionalInt.empty(), STANDARD.readAttempt(inbound("X-Attempt", value)));
  }

  private static void assertIgnored(String name, String value, Runnable reading) {
    List<Line> lines = CapturedLog.of(reading);
    assertEquals(1, lines.size(), lines::toString);
    assertEquals(Level.DEBUG, lines.get(0).level());
    String text = lines.get(0).text();
    assertTrue(text.contains(name), text);
    assertFalse(text.contains(value.substring(0, Math.min(value.length(), 12))), text);
    assertTrue(text.length() < 120, text);
  }
}
