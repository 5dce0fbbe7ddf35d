package dev.steadfast.retry.apache5;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Set;
import org.apache.hc.core5.http.nio.AsyncEntityProducer;
import org.apache.hc.core5.http.nio.DataStreamChannel;

/** A request body of unknown length. */
class TestProducer implements AsyncEntityProducer {
  private final byte[] bytes;
  private final boolean repeatable;
  private final boolean changes;
  private ByteBuffer left;
  private int times;

  TestProducer(byte[] bytes, boolean repeatable, boolean changes) {
    this.bytes = bytes;
    this.repeatable = repeatable;
    this.changes = changes;
  }

  @Override
  public boolean isRepeatable() {
    return repeatable;
  }

  @Override
  public int available() {
    return Integer.MAX_VALUE;
  }

  @Override
  public void produce(DataStreamChannel channel) throws IOException {
    if (left == null) {
      byte[] now = bytes.clone();
      if (changes && times > 0) {
        now[0] ^= 1;
      }
      times++;
      left = ByteBuffer.wrap(now);
    }
    channel.write(left);
    if (!left.hasRemaining()) {
      ends(channel);
    }
  }

  void ends(DataStreamChannel channel) throws IOException {
    channel.endStream();
  }

  @Override
  public void releaseResources() {
    left = null;
  }

  @Override
  public void failed(Exception cause) {
    releaseResources();
  }

  @Override
  public long getContentLength() {
    return -1;
  }

  @Override
  public String getContentType() {
    return null;
  }

  @Override
  public String getContentEncoding() {
    return null;
  }

  @Override
  public boolean isChunked() {
    return true;
  }

  @Override
  public Set<String> getTrailerNames() {
    return Set.of();
  }
}
