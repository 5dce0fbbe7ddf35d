package dev.steadfast.retry.spring;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import org.springframework.http.StreamingHttpOutputMessage.Body;

/**
 * A body that Spring can write again, such as that of a file: for a retry, a redirect or a
 * challenge.
 *
 * @param body writes it
 * @param length the declared length in bytes; negative for none
 */
record RepeatableBody(Body body, long length) {

  /**
   * Writes all of it.
   *
   * @throws IOException if it cannot be written, or has another length than declared
   */
  void writeTo(OutputStream out) throws IOException {
    Measured measured = new Measured(out);
    body.writeTo(measured);
    if (length >= 0 && measured.written < length) {
      throw otherLength(measured.written, length);
    }
    measured.flush();
  }

  static IOException otherLength(long written, long declared) {
    return new IOException(
        "request body: " + written + " bytes (expected: the " + declared + " of Content-Length)");
  }

  private final class Measured extends FilterOutputStream {
    private long written;

    Measured(OutputStream out) {
      super(out);
    }

    @Override
    public void write(int one) throws IOException {
      count(1);
      out.write(one);
    }

    @Override
    public void write(byte[] bytes, int offset, int count) throws IOException {
      count(count);
      out.write(bytes, offset, count);
    }

    private void count(int more) throws IOException {
      written += more;
      if (length >= 0 && written > length) {
        throw otherLength(written, length);
      }
    }

    // Converters may close what they write to.
    @Override
    public void close() {}
  }
}
