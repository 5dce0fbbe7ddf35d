package dev.steadfast.retry.engine;

import dev.steadfast.retry.internal.Checks;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A copy of a request body that is read before the first attempt, such as for a key that is a hash
 * of its bytes. Reading counts as a pass of {@link SentBody}: if the body yields other bytes when
 * it is sent, the request is never completed. For authors of adapters; not safe for use by several
 * threads.
 */
public final class BodyCopy extends OutputStream {
  private final int limit;
  private final SentBody.@Nullable Pass pass;
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  /**
   * A copy of which nothing was read yet.
   *
   * @param limit the most bytes that are kept, 0 or more
   * @param pass to which the bytes are shown; null if the body cannot change
   * @throws IllegalArgumentException if the limit is negative
   */
  public BodyCopy(int limit, SentBody.@Nullable Pass pass) {
    this.limit = Checks.atLeast("limit", limit, 0);
    this.pass = pass;
  }

  @Override
  public void write(int one) throws IOException {
    write(new byte[] {(byte) one}, 0, 1);
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

  /**
   * Ends the copy, when the body has yielded all of its bytes.
   *
   * @return the bytes
   * @throws IOException if they are fewer than those that were read before
   */
  public Optional<byte[]> whole() throws IOException {
    if (pass != null) {
      pass.end();
    }
    return Optional.of(bytes.toByteArray());
  }
}
