package dev.steadfast.retry.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.steadfast.retry.ServerDelay;
import dev.steadfast.retry.Vectors;
import dev.steadfast.retry.Vectors.Vector;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ServerDelayParserTest {
  private static final Instant NOW = Instant.parse("2014-06-06T12:30:00Z");
  private static final ServerDelay ENDLESS = ServerDelay.atLeast(Duration.ofNanos(Long.MAX_VALUE));
  private static final ServerDelayParser PARSER = new ServerDelayParser(false);
  private static final ServerDelayParser WITH_RESET = new ServerDelayParser(true);

  private static ServerDelay parse(String... lines) {
    return PARSER.parse(TestResponse.of(503, List.of(lines)), NOW);
  }

  private static ServerDelay seconds(long seconds) {
    return ServerDelay.atLeast(Duration.ofSeconds(seconds));
  }

  private static ServerDelay millis(long millis) {
    return ServerDelay.atLeast(Duration.ofMillis(millis));
  }

  // The vectors.

  static Stream<Vector> retryAfter() {
    return Vectors.group("retry_after_parse");
  }

  @ParameterizedTest
  @MethodSource("retryAfter")
  void readsRetryAfterAsTheVectorsSay(Vector vector) {
    JsonObject input = vector.input();
    TestResponse response = TestResponse.of(503);
    if (input.has("value")) {
      response.header("Retry-After", input.get("value").getAsString());
    } else {
      for (JsonElement each : input.getAsJsonArray("values")) {
        response.header("Retry-After", each.getAsString());
      }
    }
    if (input.has("dateHeader")) {
      response.header("Date", input.get("dateHeader").getAsString());
    }
    assertExpected(vector, PARSER.parse(response, Instant.parse(input.get("now").getAsString())));
  }

  static Stream<Vector> competing() {
    return Vectors.group("retry_after_headers");
  }

  @ParameterizedTest
  @MethodSource("competing")
  void choosesBetweenHeadersAsTheVectorsSay(Vector vector) {
    TestResponse response = TestResponse.of(503);
    JsonObject headers = vector.input().getAsJsonObject("headers");
    headers
        .entrySet()
        .forEach(each -> response.header(each.getKey(), each.getValue().getAsString()));
    ServerDelayParser parser = vector.name().contains("opt-in") ? WITH_RESET : PARSER;
    assertExpected(vector, parser.parse(response, NOW));
  }

  private static void assertExpected(Vector vector, ServerDelay serverDelay) {
    JsonObject expected = vector.expected();
    if (expected.has("delayMillis")) {
      assertEquals(millis(expected.get("delayMillis").getAsLong()), serverDelay, vector.source());
    } else if (expected.has("saturated")) {
      assertEquals(ENDLESS, serverDelay, vector.source());
    } else {
      assertTrue(expected.has("invalid") || expected.has("none"), vector.toString());
      assertEquals(ServerDelay.none(), serverDelay, vector.source());
    }
  }

  // Defects that other clients have had (a negative sleep, NaN and Infinity read as numbers, an
  // exception out of the parser, an int that overflows).

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-1",
        "-0",
        "+5",
        "NaN",
        "Infinity",
        "-Infinity",
        "1e3",
        "1e400",
        "0x10",
        "1.5",
        "1,2",
        "10, 20",
        "5s",
        "1_000",
        "1 0",
        "\u0661\u0662",
        "\uff15",
        "\u00b2",
        "soon",
        "",
        "\u00a05",
        "5\u00a0",
        "5;6",
        "\"5\"",
        "1402057830Z"
      })
  void junkIsNoServerDelay(String value) {
    assertEquals(ServerDelay.none(), parse("Retry-After: " + value));
    assertEquals(ServerDelay.none(), parse("Retry-After: " + value, "retry-after-ms: x"));
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "00, 0",
    "007, 7",
    "2147483647, 2147483647",
    "2147483648, 2147483648",
    "99999999999, 9223372036",
    "9223372036, 9223372036",
  })
  void anyNumberOfDigitsIsRead(String value, long expectedAtLeastSeconds) {
    Duration delay = parse("Retry-After: " + value).delay().orElseThrow();
    assertEquals(expectedAtLeastSeconds, delay.toSeconds());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "99999999999",
        "9223372036854775807",
        "9223372036854775808",
        "18446744073709551617"
      })
  void anOverflowSaturates(String value) {
    assertEquals(ENDLESS, parse("Retry-After: " + value));
  }

  @Test
  void aHugeNumberSaturates() {
    assertEquals(ENDLESS, parse("Retry-After: " + "9".repeat(1_000_000)));
    assertEquals(ENDLESS, parse("retry-after-ms: " + "9".repeat(1_000_000)));
    assertEquals(ENDLESS, parse("Retry-After: Fri, 31 Dec 9999 23:59:59 GMT"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Thu, 01 Jan 1970 00:00:00 GMT",
        "Fri, 06 Jun 2014 12:29:59 GMT",
        "Fri, 06 Jun 2014 12:30:00 GMT",
        "Friday, 06-Jun-14 12:29:59 GMT",
        "Sat, 01 Jan 0000 00:00:00 GMT",
      })
  void thePastIsZero(String date) {
    assertEquals(seconds(0), parse("Retry-After: " + date));
  }

  @Test
  void leadingZerosChangeNothing() {
    assertEquals(seconds(5), parse("Retry-After: " + "0".repeat(40) + "5"));
    assertEquals(millis(5), parse("retry-after-ms: " + "0".repeat(40) + "5"));
  }

  // Milliseconds.

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "250, 250",
    "250.0, 250",
    "250.000, 250",
    "250.001, 251",
    "0.9, 1",
    "1.10, 2"
  })
  void aFractionOfAMillisecondIsNeverEarly(String value, long expectedMillis) {
    assertEquals(millis(expectedMillis), parse("retry-after-ms: " + value));
    assertEquals(millis(expectedMillis), parse("x-ms-retry-after-ms: " + value));
  }

  @ParameterizedTest
  @ValueSource(strings = {"-5", ".5", "5.", ".", "1.2.3", "1.5e3", "00:00:00.033", "1.x", "x.1"})
  void junkInMillisecondsFallsThrough(String value) {
    assertEquals(seconds(2), parse("x-ms-retry-after-ms: " + value, "Retry-After: 2"));
    assertEquals(ServerDelay.none(), parse("retry-after-ms: " + value));
  }

  @Test
  void aFractionOfAnOverflowStaysSaturated() {
    assertEquals(ENDLESS, parse("retry-after-ms: 9223372036854775807.5"));
    assertEquals(ENDLESS, parse("retry-after-ms: 9223372036854775808.5"));
  }

  // Lines.

  @Test
  void theLargestOfSeveralLinesHolds() {
    assertEquals(seconds(30), parse("Retry-After: 10", "Retry-After: 30", "Retry-After: 20"));
    assertEquals(millis(9), parse("retry-after-ms: 9", "retry-after-ms: x", "retry-after-ms: 8"));
    assertEquals(
        seconds(60), parse("Retry-After: 1", "Retry-After: Fri, 06 Jun 2014 12:31:00 GMT"));
  }

  @ParameterizedTest
  @ValueSource(strings = {" 7", "7 ", "\t7", "7\t", " \t 7 \t "})
  void optionalWhiteSpaceIsNoPartOfTheValue(String value) {
    assertEquals(seconds(7), parse("Retry-After: " + value));
  }

  @ParameterizedTest
  @ValueSource(strings = {"\u000b7", "7\u0000", "\n7", "7\r", "\u20077", " ", "\t"})
  void otherWhiteSpaceIsJunk(String value) {
    assertEquals(ServerDelay.none(), parse("Retry-After: " + value));
  }

  // The clock of the server.

  private static final String DATE_30_S_AHEAD = "Retry-After: Fri, 06 Jun 2014 12:30:30 GMT";

  @Test
  void aDateIsMeasuredAgainstTheServersOwnClock() {
    assertEquals(seconds(25), parse(DATE_30_S_AHEAD, "Date:  Friday, 06-Jun-14 12:30:05 GMT\t"));
    assertEquals(seconds(3630), parse(DATE_30_S_AHEAD, "Date: Fri, 06 Jun 2014 11:30:00 GMT"));
    assertEquals(seconds(0), parse(DATE_30_S_AHEAD, "Date: Fri, 06 Jun 2014 12:45:00 GMT"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Date: Fri, 06 Jun 2014 11:30:00 GMT|Age: 0",
        "Date: Fri, 06 Jun 2014 11:30:00 GMT|Age: junk",
        "Date: yesterday",
        "Date: ",
        "Date: Fri, 06 Jun 2014 11:30:00 GMT|Date: Fri, 06 Jun 2014 11:30:00 GMT",
      })
  void theLocalClockHoldsWhereTheServersIsNotKnown(String others) {
    TestResponse response = TestResponse.of(503, List.of(others.split("\\|")));
    response.header("Retry-After", "Fri, 06 Jun 2014 12:30:30 GMT");
    assertEquals(seconds(30), PARSER.parse(response, NOW));
  }

  @Test
  void theClocksDoNotMatterForSeconds() {
    assertEquals(seconds(5), parse("Retry-After: 5", "Date: Fri, 06 Jun 2014 11:30:00 GMT"));
  }

  // X-RateLimit-Reset.

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "30, 30",
    "999999999, 999999999",
    "1000000000, 0",
    "1402057829, 29",
    "1402057830, 30",
    "999999999999, 9223372036",
    "1000000000000, 0",
    "1402057830000, 30",
    "999999999999999, 9223372036",
  })
  void theUnitOfARateLimitResetIsGuessedByItsSize(String value, long expectedSeconds) {
    TestResponse response = TestResponse.of(429).header("X-RateLimit-Reset", value);
    Duration delay = WITH_RESET.parse(response, NOW).delay().orElseThrow();
    assertEquals(expectedSeconds, delay.toSeconds());
    assertEquals(ServerDelay.none(), PARSER.parse(response, NOW), "off by default");
  }

  @ParameterizedTest
  @ValueSource(strings = {"-1", "soon", "", "1.5", "1402057830000000"})
  void junkInARateLimitResetIsNoServerDelay(String value) {
    TestResponse response = TestResponse.of(429).header("X-RateLimit-Reset", value);
    assertEquals(ServerDelay.none(), WITH_RESET.parse(response, NOW));
  }

  @Test
  void aRateLimitResetIsMeasuredAgainstTheServersOwnClock() {
    TestResponse response =
        TestResponse.of(429)
            .header("X-RateLimit-Reset", "1402057830") // 12:30:30
            .header("Date", "Fri, 06 Jun 2014 12:30:20 GMT");
    assertEquals(seconds(10), WITH_RESET.parse(response, NOW));
  }

  @Test
  void retryAfterBeatsARateLimitReset() {
    TestResponse response =
        TestResponse.of(429).header("X-RateLimit-Reset", "60").header("Retry-After", "10");
    assertEquals(seconds(10), WITH_RESET.parse(response, NOW));
  }

  // Anything at all.

  private static final String[] NAMES = {
    "Retry-After", "retry-after-ms", "x-ms-retry-after-ms", "X-RateLimit-Reset", "Date", "Age"
  };
  private static final String[] SEEDS = {
    "Fri, 06 Jun 2014 12:30:30 GMT",
    "Friday, 06-Jun-14 12:30:30 GMT",
    "Fri Jun  6 12:30:30 2014",
    "120",
    "0.5",
    "1e400",
    "99999999999",
    "9223372036854775808",
    "-1",
    "\u0661\u0662\u0663",
    "",
  };
  private static final String ALPHABET =
      "0123456789 ,:-+.eE\t\r\n\u0000\u0661\uff10\ud835\udfcf\u00a0GMTFriJunx\"";

  private static String junk(Random random) {
    StringBuilder text = new StringBuilder(SEEDS[random.nextInt(SEEDS.length)]);
    for (int edits = random.nextInt(4); edits > 0; edits--) {
      int at = random.nextInt(text.length() + 1);
      char c = ALPHABET.charAt(random.nextInt(ALPHABET.length()));
      if (at < text.length() && random.nextBoolean()) {
        text.setCharAt(at, c);
      } else {
        text.insert(at, c);
      }
    }
    return text.toString();
  }

  @Test
  void noHeaderEverThrowsOrAsksForANegativeDelay() {
    Random random = new Random(7);
    int serverDelays = 0;
    for (int i = 0; i < 100_000; i++) {
      TestResponse response = TestResponse.of(503);
      for (int lines = 1 + random.nextInt(4); lines > 0; lines--) {
        response.header(NAMES[random.nextInt(NAMES.length)], junk(random));
      }
      ServerDelay serverDelay = WITH_RESET.parse(response, NOW);
      assertFalse(serverDelay.delay().orElse(Duration.ZERO).isNegative(), response::toString);
      serverDelays += serverDelay.present() ? 1 : 0;
    }
    assertTrue(
        serverDelays > 10_000 && serverDelays < 90_000,
        "the junk is worth its name: " + serverDelays);
  }
}
