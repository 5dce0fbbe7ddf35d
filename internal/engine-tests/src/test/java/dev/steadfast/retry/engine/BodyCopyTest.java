package dev.steadfast.retry.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class BodyCopyTest {
  private static final Object OWN = new Object();

  private final SentBody body = new SentBody(OWN, () -> true);

  private SentBody.Pass pass() {
    return body.pass(OWN, this, -1);
  }

  @Test
  void itHasAllBytesUpToTheLimit() throws IOException {
    BodyCopy copy = new BodyCopy(3, null);
    copy.write(new byte[] {0, 1, 2, 0}, 1, 2);
    copy.write(3);
    assertArrayEquals(new byte[] {1, 2, 3}, copy.whole().orElseThrow());
    IOException refused = assertThrows(IOException.class, () -> copy.write(4));
    assertEquals("more than 3 bytes", refused.getMessage());
    assertThrows(IllegalArgumentException.class, () -> new BodyCopy(-1, null));
  }

  @Test
  void aBodyThatYieldsTheSameAgainMayBeSent() throws IOException {
    BodyCopy copy = new BodyCopy(3, pass());
    copy.write(new byte[] {1, 2, 3}, 0, 3);
    copy.whole();
    SentBody.Pass sent = pass();
    sent.take(new byte[] {1, 2, 3}, 0, 3);
    sent.end();
  }

  @Test
  void aBodyThatYieldsLessIsNot() throws IOException {
    BodyCopy copy = new BodyCopy(3, pass());
    copy.write(new byte[] {1, 2, 3}, 0, 3);
    copy.whole();
    SentBody.Pass sent = pass();
    assertThrows(RequestBodyChangedException.class, sent::end);
  }

  @Test
  void whatWasReadOfABodyThatIsTooLongCounts() {
    BodyCopy copy = new BodyCopy(2, pass());
    assertThrows(IOException.class, () -> copy.write(new byte[] {1, 2, 3}, 0, 3));
    SentBody.Pass rest = pass();
    assertThrows(RequestBodyChangedException.class, () -> rest.take(new byte[] {4, 5, 6}, 0, 3));
  }
}
