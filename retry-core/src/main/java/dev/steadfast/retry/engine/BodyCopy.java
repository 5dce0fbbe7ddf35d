package dev.steadfast.retry.engine;

import dev.steadfast.retry.internal.Checks;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A copy of a request body that is read before the first attempt, such as for a key that is a hash
 * of its bytes. For authors of adapters.
 */
public final class BodyCopy extends OutputStream {
  private final int limit;
  private final SentBody.@Nullable Pass pass;
  private final byte[] single = new byte[1];
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  /** A request body that can be written again. */
  @FunctionalInterface
  public interface Source {
    /**
     * Writes all of its bytes.
     *
     * @param out where to
     * @throws IOException if it cannot be read, or the stream takes no more
     */
    void writeTo(OutputStream out) throws IOException;
  }

  private BodyCopy(int limit, SentBody.@Nullable Pass pass) {
    this.limit = limit;
    this.pass = pass;
  }

  /**
   * Reads a body. One that may change is read twice, because some bodies say that they can be
   * written again, and then yield nothing. Each time counts as a pass of {@link SentBody}: if the
   * body yields other bytes the second time, or when it is sent, the request is never completed.
   *
   * @param body the body
   * @param limit the most bytes that are kept, 0 or more
   * @param sent what is known of the body; null if it cannot change
   * @return its bytes; empty if they are more than the limit, or cannot be read
   * @throws IllegalArgumentException if the limit is negative
   */
  public static Optional<byte[]> of(Source body, int limit, @Nullable SentBody sent) {
    Checks.atLeast("limit", limit, 0);
    byte[] copy = read(body, limit, sent);
    if (sent != null) {
      // A second pass finds a change now. It may go unseen on the wire, because an interceptor may
      // compress the bytes.
      read(body, limit, sent);
    }
    return Optional.ofNullable(copy);
  }

  private static byte @Nullable [] read(Source body, int limit, @Nullable SentBody sent) {
    BodyCopy copy = new BodyCopy(limit, sent == null ? null : sent.passOfItself());
    try {
      body.writeTo(copy);
      if (copy.pass != null) {
        copy.pass.end();
      }
      return copy.bytes.toByteArray();
    } catch (IOException unreadable) {
      return null;
    }
  }

  @Override
  public void write(int one) throws IOException {
    single[0] = (byte) one;
    write(single, 0, 1);
  }

  /**
   * Takes bytes.
   *
   * @throws IOException if they are more than the limit, or differ from those that were read before
   */
  @Override
  public void write(byte[] data, int offset, int length) throws IOException {
    if (pass != null) {
      pass.take(data, offset, length);
    }
    if (length > limit - bytes.size()) {
      throw new IOException("more than " + limit + " bytes");
    }
    bytes.write(data, offset, length);
  }
}
