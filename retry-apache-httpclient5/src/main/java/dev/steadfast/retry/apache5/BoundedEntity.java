package dev.steadfast.retry.apache5;

import dev.steadfast.retry.RetryScheduler;
import dev.steadfast.retry.TimeLimit;
import dev.steadfast.retry.engine.BodyDeadline;
import dev.steadfast.retry.threads.TimerScheduler;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.SocketTimeoutException;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.io.entity.HttpEntityWrapper;
import org.jspecify.annotations.Nullable;

/** A response body whose connection is closed at the deadline of its operation. */
final class BoundedEntity extends HttpEntityWrapper {
  private final RetryScheduler.Task timer;
  private volatile boolean timeUp;

  BoundedEntity(HttpEntity entity, WireTrace wire, BodyDeadline deadline) {
    super(entity);
    this.timer =
        deadline.schedule(() -> {
          timeUp = true;
          TimerScheduler.system().cancelOnWire(wire::drop);
        });
  }

  /** The exception with which reading ends at the deadline. */
  static IOException exceeded(@Nullable Exception broken) {
    IOException timeout = new SocketTimeoutException("timeout: " + TimeLimit.DEADLINE);
    timeout.initCause(broken);
    return timeout;
  }

  @Override
  public InputStream getContent() throws IOException {
    return new BoundedStream(super.getContent());
  }

  @Override
  public void writeTo(OutputStream out) throws IOException {
    try (InputStream content = getContent()) {
      content.transferTo(out);
    }
  }

  @Override
  public void close() throws IOException {
    timer.cancel();
    super.close();
  }

  private final class BoundedStream extends FilterInputStream {
    private final byte[] one = new byte[1];

    BoundedStream(InputStream content) {
      super(content);
    }

    @Override
    public int read() throws IOException {
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      try {
        int read = in.read(into, offset, length);
        if (read < 0) {
          timer.cancel();
        }
        return read;
      } catch (IOException broken) {
        throw timeUp ? exceeded(broken) : broken;
      }
    }

    @Override
    public void close() throws IOException {
      timer.cancel();
      in.close();
    }
  }
}
