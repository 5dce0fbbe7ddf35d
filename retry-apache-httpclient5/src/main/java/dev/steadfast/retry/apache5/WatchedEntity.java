package dev.steadfast.retry.apache5;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.io.entity.HttpEntityWrapper;
import org.jspecify.annotations.Nullable;

/** A request body on its way to the wire. */
final class WatchedEntity extends HttpEntityWrapper {
  private final @Nullable BodyPass pass;
  private final WireTrace wire;

  WatchedEntity(HttpEntity entity, @Nullable BodyPass pass, WireTrace wire) {
    super(entity);
    this.pass = pass;
    this.wire = wire;
  }

  @Override
  public void writeTo(OutputStream out) throws IOException {
    wire.body().begun();
    wire.attempt().bodyStarted();
    ToWire toWire = new ToWire(out, pass, getContentLength(), wire.attempt()::bodyEnded);
    try {
      super.writeTo(toWire);
      end(toWire);
    } catch (IOException | RuntimeException thrown) {
      if (!toWire.failed) {
        wire.attempt().userCodeFailed(thrown);
        wire.drop(); // HttpClient would write the end of the body, and the server would act on it
      }
      throw thrown;
    } finally {
      wire.attempt().bodyEnded();
    }
  }

  private void end(ToWire toWire) throws IOException {
    if (pass == null) {
      return;
    }
    BodyPass.Yield before = pass.before();
    if (before == null) {
      wire.body().ended(pass, wire);
    } else if (pass.yielded().equals(before)) {
      toWire.release();
    } else {
      toWire.failed = true;
      wire.drop();
      throw wire.body().changed(pass.yielded(), before);
    }
  }

  /** Counts, knows whether an exception is the wire's, and keeps the last byte of a repetition. */
  private static final class ToWire extends FilterOutputStream {
    private final @Nullable BodyPass pass;
    private final boolean holdsLast;
    private final long length;
    private final Runnable whenWhole;
    private int held = -1;
    private long written;
    private boolean failed;

    ToWire(OutputStream out, @Nullable BodyPass pass, long length, Runnable whenWhole) {
      super(out);
      this.pass = pass;
      this.length = length;
      this.whenWhole = whenWhole;
      this.holdsLast = pass != null && pass.before() != null;
    }

    @Override
    public void write(int one) throws IOException {
      write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] data, int offset, int length) throws IOException {
      if (length <= 0) {
        return;
      }
      if (pass != null) {
        pass.add(data, offset, length);
      }
      if (!holdsLast) {
        passOn(data, offset, length);
        return;
      }
      release();
      passOn(data, offset, length - 1);
      held = data[offset + length - 1] & 0xff;
    }

    void release() throws IOException {
      if (held >= 0) {
        byte[] last = {(byte) held};
        held = -1;
        passOn(last, 0, 1);
      }
    }

    private void passOn(byte[] data, int offset, int count) throws IOException {
      try {
        out.write(data, offset, count);
        written += count;
      } catch (IOException broken) {
        failed = true;
        throw broken;
      }
    }

    @Override
    public void flush() throws IOException {
      try {
        if (written == length) {
          whenWhole.run(); // before the server has it all, and may answer
        }
        out.flush();
      } catch (IOException broken) {
        failed = true;
        throw broken;
      }
    }
  }
}
