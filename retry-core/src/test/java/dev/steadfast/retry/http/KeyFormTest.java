package dev.steadfast.retry.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import dev.steadfast.retry.Vectors;
import dev.steadfast.retry.Vectors.Vector;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How a key is written and read. */
class KeyFormTest {
  static Stream<Vector> serialised() {
    return Vectors.group("idempotency_key_serialise");
  }

  @ParameterizedTest
  @MethodSource("serialised")
  void writesAsTheVectorsSay(Vector vector) {
    JsonObject input = vector.input();
    KeyForm form =
        input.get("mode").getAsString().equals("structured") ? KeyForm.QUOTED : KeyForm.BARE;
    String key = input.get("key").getAsString();
    int maxLength = input.get("maxLength").getAsInt();
    if (vector.expected().has("wire")) {
      assertEquals(vector.expected().get("wire").getAsString(), form.write(key, maxLength));
      return;
    }
    String message =
        assertThrows(IllegalArgumentException.class, () -> form.write(key, maxLength)).getMessage();
    String expected =
        switch (vector.expected().get("error").getAsString()) {
          case "too_long" ->
              "of " + key.length() + " characters (expected: 1 to " + maxLength + ")";
          case "non_printable_ascii" -> "(expected: printable ASCII)";
          case "surrounding_whitespace" -> "with surrounding spaces";
          default -> "an error of the vectors that is not known here";
        };
    assertTrue(message.contains(expected), message);
  }

  static Stream<Vector> parsed() {
    return Vectors.group("idempotency_key_parse");
  }

  @ParameterizedTest
  @MethodSource("parsed")
  void readsAsTheVectorsSay(Vector vector) {
    Optional<String> expected =
        vector.expected().has("key")
            ? Optional.of(vector.expected().get("key").getAsString())
            : Optional.empty();
    assertEquals(expected, KeyForm.parseQuoted(vector.input().get("wire").getAsString()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "\"",
        "a",
        "\"a",
        "a\"",
        "\"a\"b\"",
        "\"a\\\"",
        "\"a\\x\"",
        "\"\u00e9\"",
        "\"a\u007f\"",
        "\"a\tb\"",
        "\"a\u001fb\"",
        " \"a\"",
        "\"a\" ",
        "\"a\\"
      })
  void whatIsNoStructuredStringHasNoKey(String wire) {
    assertEquals(Optional.empty(), KeyForm.parseQuoted(wire));
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "", "~", " ", " a ", "a\"b", "a\\b", "\\\"", "\"\"", "\\\\"})
  void readsWhatItWrites(String key) {
    String wire = key.isEmpty() ? "\"\"" : KeyForm.QUOTED.write(key, 255);
    assertEquals(Optional.of(key), KeyForm.parseQuoted(wire));
  }

  @Test
  void everyPrintableCharacterMayBeInAKeyAndNoOther() {
    for (char c = 0; c < 0x250; c++) {
      String key = "a" + c + "b";
      if (c >= 0x20 && c <= 0x7e) {
        assertEquals(key, KeyForm.BARE.write(key, 3));
      } else {
        String message =
            assertThrows(IllegalArgumentException.class, () -> KeyForm.BARE.write(key, 3))
                .getMessage();
        assertEquals(
            String.format(
                "idempotency key: U+%04X at index 1 (expected: printable ASCII)", (int) c),
            message);
      }
    }
  }

  @Test
  void anEmptyKeyIsRefusedInBothForms() {
    for (KeyForm form : KeyForm.values()) {
      String message =
          assertThrows(IllegalArgumentException.class, () -> form.write("", 255)).getMessage();
      assertEquals("idempotency key: of 0 characters (expected: 1 to 255)", message);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {" a", "a ", " ", "  a  "})
  void aBareKeyWithSurroundingSpaceWouldChangeOnTheWay(String key) {
    String message =
        assertThrows(IllegalArgumentException.class, () -> KeyForm.BARE.write(key, 255))
            .getMessage();
    assertEquals(
        "idempotency key: with surrounding spaces (expected: none, they would be lost)", message);
    assertEquals('"' + key + '"', KeyForm.QUOTED.write(key, 255));
  }
}
