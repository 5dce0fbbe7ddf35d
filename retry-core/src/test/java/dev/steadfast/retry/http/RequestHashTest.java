package dev.steadfast.retry.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The key that is a hash of its request. */
class RequestHashTest {
  private static final int MIB = 1 << 20;

  private static String hash(RequestView request, String... headers) {
    return RequestHash.of(request, RequestHash.names(headers), "");
  }

  /** Computed with Python's hashlib: keys outlive a release, so the form of the hash is fixed. */
  @Test
  void theFormOfTheHashIsFixed() {
    TestRequest request =
        TestRequest.of("POST", "https://api.example/pay?x=1")
            .header("Tenant", "t1")
            .header("Accept", "a")
            .header("Accept", "b")
            .body("{\"amount\":\u20ac5}");
    assertEquals(
        "82dcaf5f04ace4e1a90a8add254521fac3bcad431c54e26ca13132ff434e0677",
        RequestHash.of(request, RequestHash.names(new String[] {"Tenant", "ACCEPT"}), "17"));
  }

  @Test
  void noTwoDifferentRequestsWriteTheSameBytes() {
    String[] methods = {"P", "PO", "POST"};
    String[] uris = {"http://h/", "http://h/a", "http://h/ab", "http://h/a?b", "http://ha/"};
    List<List<String>> values =
        List.of(
            List.of(),
            List.of(""),
            List.of("", ""),
            List.of("a"),
            List.of("b"),
            List.of("ab"),
            List.of("a", "b"),
            List.of("b", "a"),
            List.of("a", "", "b"),
            List.of("a, b"));
    String[] buckets = {"", "1", "12"};
    String[] bodies = {"", "a", "ab", "1", "\0\0\0\1a", "\0\0\0\0", "1\0\0\0\1a"};
    Map<String, String> seen = new HashMap<>();
    for (String method : methods) {
      for (String uri : uris) {
        for (List<String> lines : values) {
          for (String bucket : buckets) {
            for (String body : bodies) {
              TestRequest request = TestRequest.of(method, uri).body(body);
              lines.forEach(line -> request.header("h", line));
              String what = request + " " + bucket + " " + body;
              String other = seen.put(RequestHash.of(request, List.of("h"), bucket), what);
              assertEquals(null, other, what);
            }
          }
        }
      }
    }
    assertEquals(3 * 5 * 10 * 3 * 7, seen.size());
  }

  @Test
  void aValueDoesNotMoveFromOneHeaderToAnother() {
    TestRequest first = TestRequest.of("POST").header("a", "x").header("b", "y");
    TestRequest second = TestRequest.of("POST").header("a", "y").header("b", "x");
    TestRequest third = TestRequest.of("POST").header("a", "x").header("a", "y");
    assertNotEquals(hash(first, "a", "b"), hash(second, "a", "b"));
    assertNotEquals(hash(first, "a", "b"), hash(third, "a", "b"));
  }

  @Test
  void theOrderAndTheCaseOfTheNamesChangeNothing() {
    TestRequest request = TestRequest.of("POST").header("Tenant", "t").header("Accept", "a");
    assertEquals(hash(request, "Tenant", "Accept"), hash(request, "accept", "TENANT", "tenant"));
    TestRequest swapped = TestRequest.of("POST").header("ACCEPT", "a").header("tenant", "t");
    assertEquals(hash(request, "Tenant", "Accept"), hash(swapped, "Tenant", "Accept"));
  }

  @Test
  void onlyTheNamedHeadersTakePart() {
    TestRequest plain = TestRequest.of("POST");
    TestRequest traced = TestRequest.of("POST").header("traceparent", "00-1-2-01");
    assertEquals(hash(plain), hash(traced));
    assertNotEquals(hash(plain, "traceparent"), hash(traced, "traceparent"));
  }

  @Test
  void aBodyOfOneMebibyteIsHashedAndALargerOneRefused() {
    assertEquals(64, hash(TestRequest.of("POST").body(new byte[MIB])).length());
    assertRefused(TestRequest.of("POST").body(new byte[MIB + 1]));
  }

  @Test
  void aBodyThatCanBeReadOnlyOnceIsRefused() {
    assertRefused(TestRequest.of("POST").oneShot());
  }

  private static void assertRefused(TestRequest request) {
    HttpRetry retry =
        HttpRetry.builder().idempotencyKeys(IdempotencyKeys.requestHash("Tenant")).build();
    String message =
        assertThrows(
                IllegalArgumentException.class, () -> retry.operation(request, RetryOptions.none()))
            .getMessage();
    assertEquals(
        "request body: read once or too long (expected: repeatable and at most 1 MiB for a key that"
            + " is a hash)",
        message);
  }

  @Test
  void aHashIsSixtyFourHexadecimalDigits() {
    assertTrue(hash(TestRequest.of("POST").body("x")).matches("[0-9a-f]{64}"));
  }

  @Test
  void textIsHashedAsUtf8() {
    byte[] utf8 = "\u00e9".getBytes(StandardCharsets.UTF_8);
    assertEquals(
        hash(TestRequest.of("POST").body("\u00e9")), hash(TestRequest.of("POST").body(utf8)));
  }
}
