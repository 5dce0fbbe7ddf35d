package dev.steadfast.retry.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PackedAnswerTest {
  private static Map<String, List<String>> again(Map<String, List<String>> headers) {
    return PackedAnswer.unpack(PackedAnswer.pack(headers));
  }

  @Test
  void whatIsPacked_comesOutAgain() {
    Map<String, List<String>> headers =
        Map.of(
            "Date", List.of("Mon, 02 Mar 2026 08:00:00 GMT"),
            "Set-Cookie", List.of("a=1", "b=2:3"),
            "Empty", List.of(""),
            "12:3", List.of("4:5\n\u00fc\u20ac"));
    assertEquals(headers, again(headers));
    assertEquals(Map.of(), again(Map.of()));
  }

  @Test
  void aNameIsFoundInAnyCase_andTwoSpellingsAreOneName() {
    Map<String, List<String>> headers = again(Map.of("retry-after", List.of("3")));
    assertEquals(List.of("3"), headers.get("Retry-After"));
    Map<String, List<String>> two = again(Map.of("X-a", List.of("1"), "x-A", List.of("1")));
    assertEquals(List.of("1", "1"), two.get("x-a"));
  }

  @Test
  void theMapDoesNotChange() {
    Map<String, List<String>> headers = again(Map.of("a", List.of("b")));
    assertThrows(UnsupportedOperationException.class, headers::clear);
    assertThrows(UnsupportedOperationException.class, () -> headers.get("a").add("c"));
  }
}
