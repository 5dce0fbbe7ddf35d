package dev.steadfast.retry.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The names that a JSON body gives to its error, whatever a server sends. */
final class ErrorTypesTest {
  private static final String OVERLOADED =
      "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}";

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '\'',
      delimiter = '|',
      textBlock =
          """
          '{"type":"error","error":{"type":"overloaded_error","message":"m"}}' | overloaded_error
          '{"error" : {"message":"m", "code" : "insufficient_quota"}}' | insufficient_quota
          '[{"error":{"code":503,"status":"UNAVAILABLE"}}]' | UNAVAILABLE
          '{"error":{"type":"a","details":{"error_code":"b","type":"c"}}}' | a b
          '{"error":{"details":[{"type":"c"}],"type":"a"}}' | a
          '{"outer":{"error":{"type":"a"}}}' | a
          '{"error":{"message":"\\"type\\":\\"a\\""}}' | ''
          '{"error":{"message":"{\\"error\\":{\\"type\\":\\"a\\"}}"}}' | ''
          '{"error":"a","type":"b"}' | ''
          '{"type":"overloaded_error"}' | ''
          '{"error":{"m":1},"type":"b"}' | ''
          '{"error":{"type":["a","b"]}}' | ''
          '{"error":{"type":"a' | ''
          '{"error":{"type":"a"' | a
          '<html>error type</html>' | ''
          """)
  void theTypes_areThoseOfTheError(String body, String types) {
    Set<String> expected = types.isEmpty() ? Set.of() : Set.of(types.split(" ", -1));
    assertEquals(expected, ErrorTypes.of(body));
  }

  @Test
  void anyPartOfABody_orNonsense_isTaken() {
    for (int end = 0; end <= OVERLOADED.length(); end++) {
      Set<String> part = ErrorTypes.of(OVERLOADED.substring(0, end));
      assertTrue(part.isEmpty() || part.equals(Set.of("overloaded_error")), () -> part.toString());
    }
    SplittableRandom random = new SplittableRandom(20_261_126);
    String alphabet = "{}[]\":,\\ error type";
    for (int i = 0; i < 20_000; i++) {
      StringBuilder text = new StringBuilder();
      for (int j = random.nextInt(60); j > 0; j--) {
        text.append(alphabet.charAt(random.nextInt(alphabet.length())));
      }
      assertTrue(ErrorTypes.of(text.toString()).size() <= 60);
    }
  }

  @Test
  void deepNesting_needsNoStack() {
    String deep = "[".repeat(65_000) + OVERLOADED;
    Set<String> found =
        assertTimeoutPreemptively(Duration.ofSeconds(60), () -> ErrorTypes.of(deep));
    assertEquals(Set.of("overloaded_error"), found);
  }
}
