package dev.steadfast.retry.apache5;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.nio.AsyncEntityProducer;
import org.apache.hc.core5.http.nio.DataStreamChannel;
import org.jspecify.annotations.Nullable;

/** Reads a request body that can be sent again, where its bytes are needed beforehand. */
final class ProducedBytes implements DataStreamChannel {
  private final OutputStream out;
  private boolean written;
  private boolean ended;

  private ProducedBytes(OutputStream out) {
    this.out = out;
  }

  /**
   * Writes the bytes of a body.
   *
   * @throws IOException if they are not there yet, cannot be written, or the producer fails
   */
  static void write(AsyncEntityProducer producer, OutputStream out) throws IOException {
    ProducedBytes all = new ProducedBytes(out);
    try {
      do {
        all.written = false;
        producer.produce(all);
      } while (!all.ended && all.written);
    } finally {
      producer.releaseResources();
    }
    if (!all.ended) {
      throw new IOException("the producer has no bytes yet");
    }
  }

  @Override
  public void requestOutput() {}

  @Override
  public int write(ByteBuffer data) throws IOException {
    byte[] part = new byte[data.remaining()];
    data.get(part);
    out.write(part, 0, part.length);
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
