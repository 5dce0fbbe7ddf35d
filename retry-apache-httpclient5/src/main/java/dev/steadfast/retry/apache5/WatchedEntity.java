package dev.steadfast.retry.apache5;

import dev.steadfast.retry.engine.SentBody;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.StreamClosedException;
import org.apache.hc.core5.http.io.entity.HttpEntityWrapper;
import org.jspecify.annotations.Nullable;

/** A request body on its way to the wire. */
final class WatchedEntity extends HttpEntityWrapper {
  private final SentBody.@Nullable Pass pass; // null: its bytes need not be watched
  private final WireTrace wire;

  WatchedEntity(HttpEntity entity, WireTrace wire) {
    super(entity);
    this.pass = wire.pass(entity);
    this.wire = wire;
  }

  @Override
  public void writeTo(OutputStream out) throws IOException {
    if (pass != null) {
      pass.begin();
    }
    wire.attempt().bodyStarted();
    ToWire toWire = new ToWire(out);
    try {
      super.writeTo(toWire);
      if (pass != null) {
        pass.end();
      }
    } catch (IOException | RuntimeException thrown) {
      if (!toWire.failed) {
        if (!wire.bodyChanged()) {
          wire.attempt().userCodeFailed(thrown);
        }
        wire.drop(); // HttpClient would write the end of the body, and the server would act on it
      }
      throw thrown;
    } finally {
      wire.attempt().bodyEnded();
    }
  }

  /** Shows bytes before they are sent, and knows whether an exception is the wire's. */
  private final class ToWire extends FilterOutputStream {
    private final byte[] one = new byte[1];
    private long written;
    private boolean closed; // by the body
    private boolean failed;

    ToWire(OutputStream out) {
      super(out);
    }

    @Override
    public void write(int next) throws IOException {
      one[0] = (byte) next;
      write(one, 0, 1);
    }

    @Override
    public void write(byte[] data, int offset, int length) throws IOException {
      if (closed) {
        throw new StreamClosedException();
      }
      if (pass != null) {
        pass.take(data, offset, length);
      }
      failed = true;
      out.write(data, offset, length);
      failed = false;
      written += length;
    }

    // Closing the connection's stream would complete the request. The body may still throw, or turn
    // out to have changed. HttpClient closes that stream as soon as writeTo has returned.
    @Override
    public void close() throws IOException {
      flush();
      closed = true;
    }

    @Override
    public void flush() throws IOException {
      if (closed) {
        return;
      }
      if (written == getContentLength()) {
        wire.attempt().bodyEnded(); // before the server has it all, and may answer
      }
      failed = true;
      out.flush();
      failed = false;
    }
  }
}
