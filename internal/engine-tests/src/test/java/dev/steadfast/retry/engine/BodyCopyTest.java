package dev.steadfast.retry.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class BodyCopyTest {
  private static final Object OWN = new Object();
  private static final byte[] BYTES = {1, 2, 3};

  private final SentBody body = new SentBody(OWN, () -> true);

  private SentBody.Pass pass() {
    return body.pass(OWN, this, -1);
  }

  @Test
  void itHasAllBytesUpToTheLimit() {
    BodyCopy.Source source =
        out -> {
          out.write(new byte[] {0, 1, 2, 0}, 1, 2);
          out.write(3);
        };
    assertArrayEquals(BYTES, BodyCopy.of(source, 3, null).orElseThrow());
    assertEquals(Optional.empty(), BodyCopy.of(source, 2, null));
    assertThrows(IllegalArgumentException.class, () -> BodyCopy.of(source, -1, null));
  }

  @Test
  void aBodyThatYieldsTheSameAgainMayBeSent() throws IOException {
    assertArrayEquals(BYTES, BodyCopy.of(out -> out.write(BYTES), 3, body).orElseThrow());
    SentBody.Pass sent = pass();
    sent.take(BYTES, 0, 3);
    sent.end();
    assertNull(body.changed());
  }

  @Test
  void aBodyThatYieldsLessWhenItIsSentIsNotSent() {
    BodyCopy.of(out -> out.write(BYTES), 3, body);
    SentBody.Pass sent = pass();
    assertThrows(RequestBodyChangedException.class, sent::end);
  }

  /** Whatever an interceptor puts around it. */
  @Test
  void aStreamThatSaysThatItCanBeReadAgainIsNotSent() {
    InputStream stream = new ByteArrayInputStream(BYTES);
    assertArrayEquals(BYTES, BodyCopy.of(stream::transferTo, 3, body).orElseThrow());
    assertNotNull(body.changed());
    SentBody.Pass around = body.pass(new Object(), this, -1);
    assertThrows(RequestBodyChangedException.class, around::end);
  }

  @Test
  void whatWasReadOfABodyThatIsTooLongCounts() {
    InputStream stream = new ByteArrayInputStream(new byte[] {1, 2, 3, 4, 5, 6});
    BodyCopy.Source source =
        out -> {
          for (int next = stream.read(); next >= 0; next = stream.read()) {
            out.write(next);
          }
        };
    assertEquals(Optional.empty(), BodyCopy.of(source, 2, body));
    assertNotNull(body.changed());
  }

  @Test
  void aBodyThatIsTooLongMayBeSentIfItYieldsTheSame() {
    assertEquals(Optional.empty(), BodyCopy.of(out -> out.write(BYTES), 2, body));
    assertNull(body.changed());
  }
}
