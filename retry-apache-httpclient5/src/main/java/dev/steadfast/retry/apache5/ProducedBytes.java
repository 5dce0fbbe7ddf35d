package dev.steadfast.retry.apache5;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.nio.AsyncEntityProducer;
import org.apache.hc.core5.http.nio.DataStreamChannel;
import org.jspecify.annotations.Nullable;

/** Reads a request body that can be sent again, where its bytes are needed beforehand. */
final class ProducedBytes implements DataStreamChannel {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private boolean ended;

  private ProducedBytes() {}

  /**
   * The bytes of a body.
   *
   * @return null if it is read once, is longer than the limit, or is not there yet
   */
  static byte @Nullable [] of(AsyncEntityProducer producer, int limit) throws IOException {
    if (!producer.isRepeatable()) {
      return null;
    }
    ProducedBytes all = new ProducedBytes();
    try {
      int before = -1;
      while (!all.ended && all.bytes.size() <= limit && all.bytes.size() > before) {
        before = all.bytes.size();
        producer.produce(all);
      }
    } finally {
      producer.releaseResources();
    }
    return all.ended && all.bytes.size() <= limit ? all.bytes.toByteArray() : null;
  }

  @Override
  public void requestOutput() {}

  @Override
  public int write(ByteBuffer data) {
    int count = data.remaining();
    byte[] part = new byte[count];
    data.get(part);
    bytes.write(part, 0, count);
    return count;
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
