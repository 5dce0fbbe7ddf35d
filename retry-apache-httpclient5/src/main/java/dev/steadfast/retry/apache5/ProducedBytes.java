package dev.steadfast.retry.apache5;

import dev.steadfast.retry.engine.BodyCopy;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.nio.AsyncEntityProducer;
import org.apache.hc.core5.http.nio.DataStreamChannel;
import org.jspecify.annotations.Nullable;

/** Reads a request body that can be sent again, where its bytes are needed beforehand. */
final class ProducedBytes implements DataStreamChannel {
  private final BodyCopy copy;
  private boolean written;
  private boolean ended;

  private ProducedBytes(BodyCopy copy) {
    this.copy = copy;
  }

  /**
   * Copies the bytes of a body.
   *
   * @return false if they are not there yet
   * @throws IOException if they are too many, or the producer fails
   */
  static boolean copy(AsyncEntityProducer producer, BodyCopy copy) throws IOException {
    ProducedBytes all = new ProducedBytes(copy);
    try {
      do {
        all.written = false;
        producer.produce(all);
      } while (!all.ended && all.written);
    } finally {
      producer.releaseResources();
    }
    return all.ended;
  }

  @Override
  public void requestOutput() {}

  @Override
  public int write(ByteBuffer data) throws IOException {
    byte[] part = new byte[data.remaining()];
    data.get(part);
    copy.write(part, 0, part.length);
    written |= part.length > 0;
    return part.length;
  }

  @Override
  public void endStream() {
    ended = true;
  }

  @Override
  public void endStream(@Nullable List<? extends Header> trailers) {
    ended = true;
  }
}
