package dev.steadfast.retry.httpclient;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.Test;

/** A body that is collected for a hash is whole, or there is none. */
class BodyBytesTest {
  private final BodyBytes bytes = new BodyBytes(4);
  private int cancelled;

  /** Yields these, whatever the subscriber says: a publisher may go on for a while. */
  private void publish(String... parts) {
    bytes.onSubscribe(
        new Flow.Subscription() {
          @Override
          public void request(long n) {}

          @Override
          public void cancel() {
            cancelled++;
          }
        });
    for (String part : parts) {
      bytes.onNext(ByteBuffer.wrap(part.getBytes(UTF_8)));
    }
    bytes.onComplete();
  }

  @Test
  void aBodyUpToTheLimitIsWhole() {
    publish("12", "", "34");
    assertArrayEquals("1234".getBytes(UTF_8), bytes.ifWhole().orElseThrow());
    assertEquals(0, cancelled);
  }

  @Test
  void aBodyBeyondTheLimitIsNotWhole_howeverShortItsRestIs() {
    publish("12", "3456", "7", "");
    assertEquals(Optional.empty(), bytes.ifWhole());
  }

  @Test
  void aBodyThatEndsBeyondTheLimitIsNotWhole() {
    publish("1234", "5");
    assertEquals(Optional.empty(), bytes.ifWhole());
  }
}
