package dev.steadfast.retry.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HeaderTextTest {
  @Test
  void whatWasWrittenIsRead() {
    Map<String, List<String>> headers =
        Map.of("Prefer", List.of("a: b", "", " c "), ":status", List.of("200"));
    assertEquals(headers, HeaderText.read(HeaderText.write(headers)));
  }

  @Test
  void aValueIsOneLine() {
    String text = HeaderText.write(Map.of("X-Odd", List.of("a\r\nCookie: b\0c\rd\ne")));
    assertEquals(Map.of("X-Odd", List.of("a  Cookie: b c d e")), HeaderText.read(text));
  }

  @Test
  void whatNobodyWroteIsRefused() {
    assertThrows(IllegalArgumentException.class, () -> HeaderText.read("no colon\n"));
  }
}
