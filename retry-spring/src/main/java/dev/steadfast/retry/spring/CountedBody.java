package dev.steadfast.retry.spring;

import dev.steadfast.retry.engine.UnwantedBody;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** The body of an answer, which knows how much of it is left. Used by one thread. */
final class CountedBody extends FilterInputStream {
  private long left;

  /**
   * Nothing is read yet.
   *
   * @param length in bytes, negative if it is not known
   */
  CountedBody(InputStream body, long length) {
    super(body);
    this.left = length;
  }

  @Override
  public int read() throws IOException {
    int one = in.read();
    count(one < 0 ? -1 : 1);
    return one;
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    int count = in.read(bytes, offset, length);
    count(count);
    return count;
  }

  @Override
  public long skip(long most) throws IOException {
    long count = in.skip(most);
    count(count);
    return count;
  }

  private void count(long count) {
    if (count < 0) {
      left = 0;
    } else if (left > 0) {
      left = Math.max(0, left - count);
    }
  }

  @Override
  public boolean markSupported() {
    return false; // a byte would be counted twice
  }

  /**
   * Nobody wants the rest. A short and quick one is read, because a connection can be used again
   * only if the body was read to its end.
   *
   * @param giveUp closes the connection; may be called more than once
   */
  void end(Runnable giveUp) {
    try {
      if (UnwantedBody.read(in, left, giveUp) != null) {
        in.close(); // the end of a compressed body may come before that of its chunks
      }
    } catch (IOException broken) {
      giveUp.run();
    }
  }
}
