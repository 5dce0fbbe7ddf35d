package dev.steadfast.retry.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.internal.Digest;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A log line tells what broke, and no secret that the message of an exception may have. */
class FailureTextTest {
  private static String text(String message) {
    return FailureText.of(new IOException(message), FailureKind.CONNECTION_LOST, "order-4711");
  }

  @Test
  void classMessageAndKind_areNamed() {
    assertEquals("IOException \"broken pipe\" (connection lost)", text("broken pipe"));
    assertEquals(
        "IOException", FailureText.of(new IOException(), FailureKind.OTHER, null), "no message");
    assertEquals("IOException \"x\"", FailureText.of(new IOException("x"), null, null));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "GET https://a.example/pay?token=hush failed | GET https://a.example/pay?... failed",
        "GET \"https://me:hush@a.example/pay\"       | GET \"https://a.example/pay\"",
        "https://me:hu@sh@a.example/pay              | https://a.example/pay",
        "at https://a.example/#hush, stream #5       | at https://a.example/ stream #5",
        "/pay?token=hush                             | /pay?...",
        "is it down? nobody knows                    | is it down? nobody knows",
      })
  void aUrl_losesUserInfoQueryAndFragment(String message, String expected) {
    assertEquals("IOException \"" + expected + "\" (connection lost)", text(message));
  }

  @Test
  void theKey_isShownAsItsHash() {
    assertEquals(
        "IOException \"key#" + Digest.brief("order-4711") + " is locked\" (connection lost)",
        text("order-4711 is locked"));
  }

  @Test
  void aLongMessageOrOneOfManyLines_isOneShortLine() {
    assertEquals("IOException \"a b\" (connection lost)", text("a\r\n\tb"));
    String text = text("x".repeat(100_000));
    assertTrue(text.length() < 250, text);
    assertFalse(text.contains("\n"));
  }

  @Test
  void aMessageThatThrows_isLeftOut() {
    IOException broken =
        new IOException() {
          private static final long serialVersionUID = 1;

          @Override
          public String getMessage() {
            throw new IllegalStateException("broken");
          }
        };
    assertEquals(" (timeout)", FailureText.of(broken, FailureKind.TIMEOUT, null));
  }
}
