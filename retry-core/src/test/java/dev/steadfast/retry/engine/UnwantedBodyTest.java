package dev.steadfast.retry.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class UnwantedBodyTest {
  private final AtomicInteger givenUp = new AtomicInteger();

  private byte[] read(ByteArrayInputStream content, long length) throws IOException {
    return UnwantedBody.read(content, length, givenUp::incrementAndGet);
  }

  @Test
  void aShortBodyIsReadToItsEnd() throws IOException {
    for (int size : new int[] {0, 1, 8 * 1024, UnwantedBody.MOST_BYTES}) {
      assertArrayEquals(
          new byte[size], read(new ByteArrayInputStream(new byte[size]), size), "" + size);
      assertArrayEquals(
          new byte[size], read(new ByteArrayInputStream(new byte[size]), -1), "" + size);
    }
    assertEquals(0, givenUp.get());
  }

  @Test
  void nothingIsReadOfABodyThatSaysThatItIsLong() throws IOException {
    ByteArrayInputStream content = new ByteArrayInputStream(new byte[10]);
    assertNull(read(content, UnwantedBody.MOST_BYTES + 1));
    assertEquals(1, givenUp.get());
    assertEquals(10, content.available());
  }

  @Test
  void aBodyThatTurnsOutToBeLongIsGivenUp() throws IOException {
    ByteArrayInputStream content = new ByteArrayInputStream(new byte[1 << 20]);
    assertNull(read(content, -1));
    assertEquals(1, givenUp.get());
  }
}
