package dev.steadfast.retry.apache5;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** One way of a request body to the wire: what it yields, and what it yielded before. */
final class BodyPass {
  private final Class<?> kind;
  private final @Nullable Yield before;
  private final CRC32C sum = new CRC32C();
  private long bytes;

  /**
   * The bytes that a body yields.
   *
   * @param bytes how many
   * @param sum their CRC-32C
   */
  record Yield(long bytes, long sum) {}

  BodyPass(Class<?> kind, @Nullable Yield before) {
    this.kind = kind;
    this.before = before;
  }

  Class<?> kind() {
    return kind;
  }

  @Nullable Yield before() {
    return before;
  }

  Yield yielded() {
    return new Yield(bytes, sum.getValue());
  }

  void add(byte[] data, int offset, int length) {
    bytes += length;
    sum.update(data, offset, length);
  }

  /** Takes what is left of the data. */
  void add(ByteBuffer data) {
    bytes += data.remaining();
    sum.update(data);
  }
}
