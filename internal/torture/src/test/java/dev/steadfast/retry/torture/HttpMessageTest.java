package dev.steadfast.retry.torture;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class HttpMessageTest {
  private static final String PAYMENT =
      "POST /payments HTTP/1.1\r\nHost: a\r\ncontent-length: 17\r\n\r\nintent=i1&amount=";

  private static HttpMessage read(String text) throws IOException {
    return HttpMessage.read(stream(text)).orElseThrow();
  }

  private static ByteArrayInputStream stream(String text) {
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  @Test
  void aMessageIsTheSameAfterReadingAndWriting() throws IOException {
    assertArrayEquals(PAYMENT.getBytes(StandardCharsets.ISO_8859_1), read(PAYMENT).bytes());
    assertEquals(Optional.of("i1"), read(PAYMENT).intent());
    assertEquals(Optional.empty(), read("GET /payments/i1 HTTP/1.1\r\nHost: a\r\n\r\n").intent());
  }

  @Test
  void oneMessageFollowsAnother() throws IOException {
    ByteArrayInputStream two = stream(PAYMENT + PAYMENT);
    assertEquals(Optional.of("i1"), HttpMessage.read(two).flatMap(HttpMessage::intent));
    assertEquals(Optional.of("i1"), HttpMessage.read(two).flatMap(HttpMessage::intent));
    assertTrue(HttpMessage.read(two).isEmpty());
  }

  @Test
  void aMessageThatIsCutShortIsNone() {
    for (int length = 1; length < PAYMENT.length(); length++) {
      String cut = PAYMENT.substring(0, length);
      assertThrows(EOFException.class, () -> read(cut), cut);
    }
  }

  @Test
  void headersAreReplacedInAnyCase() throws IOException {
    HttpMessage message = read(PAYMENT).with("HOST", "b");
    assertEquals(Optional.of("b"), message.header("Host"));
    assertEquals(Optional.empty(), message.without("host").header("Host"));
  }
}
