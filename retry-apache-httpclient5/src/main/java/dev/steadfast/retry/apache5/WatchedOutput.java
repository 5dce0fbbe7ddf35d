package dev.steadfast.retry.apache5;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.hc.core5.http.EntityDetails;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.nio.AsyncDataProducer;
import org.apache.hc.core5.http.nio.DataStreamChannel;
import org.jspecify.annotations.Nullable;

/**
 * Passes a request body on to the wire and keeps its length and checksum. When the body is sent
 * again, both are compared with those of the first time before the last byte goes out. Used by the
 * thread of the connection.
 */
final class WatchedOutput implements DataStreamChannel {
  private final AsyncWire wire;
  private final @Nullable BodyPass pass;
  private final long length;

  private @Nullable DataStreamChannel channel;
  private boolean begun;
  private long written;
  private volatile boolean failedOnWire;

  // A repetition holds back its last byte, and its end if that waits for room for the byte.
  private int held = -1;
  private volatile boolean ending;
  private volatile boolean whole;
  private @Nullable List<? extends Header> trailers;

  WatchedOutput(AsyncWire wire, @Nullable BodyPass pass, EntityDetails body) {
    this.wire = wire;
    this.pass = pass;
    this.length = body.getContentLength();
  }

  /** Whether its last byte waits for room on the connection. */
  boolean isEnding() {
    return ending;
  }

  /** Whether all of it was sent. */
  boolean isWhole() {
    return whole;
  }

  boolean failedOnWire() {
    return failedOnWire;
  }

  void produce(AsyncDataProducer client, DataStreamChannel to) throws IOException {
    channel = to;
    if (!begun) {
      begun = true;
      wire.trace().body().begun();
      wire.trace().attempt().bodyStarted();
    }
    if (ending) {
      finish();
      return;
    }
    try {
      client.produce(this);
    } catch (IOException | RuntimeException thrown) {
      if (!failedOnWire) {
        wire.trace().attempt().userCodeFailed(thrown);
      }
      ended();
      throw thrown;
    }
  }

  /** Nothing more is sent. */
  void ended() {
    if (begun) {
      wire.trace().attempt().bodyEnded();
    }
  }

  private DataStreamChannel to() throws IOException {
    DataStreamChannel to = channel;
    if (to == null || !wire.turn().isOf(wire.trace())) {
      throw new IOException("the attempt is over");
    }
    return to;
  }

  @Override
  public void requestOutput() {
    DataStreamChannel to = channel;
    if (to != null) {
      to.requestOutput();
    }
  }

  @Override
  public int write(ByteBuffer data) throws IOException {
    if (!data.hasRemaining()) {
      return 0;
    }
    if (pass == null || pass.before() == null) {
      return passOn(data);
    }
    if (!release()) {
      return 0;
    }
    int end = data.limit();
    data.limit(end - 1);
    int count = passOn(data);
    boolean all = !data.hasRemaining();
    data.limit(end);
    if (all) {
      held = data.get() & 0xff;
      pass.add(ByteBuffer.wrap(new byte[] {(byte) held}));
      count++;
    }
    return count;
  }

  private int passOn(ByteBuffer data) throws IOException {
    ByteBuffer seen = data.duplicate();
    int count = onWire(data);
    if (pass != null && count > 0) {
      seen.limit(seen.position() + count);
      pass.add(seen);
    }
    return count;
  }

  private int onWire(ByteBuffer data) throws IOException {
    if (written + data.remaining() == length) {
      ended(); // before the server has it all, and may answer
    }
    int before = data.position();
    try {
      to().write(data);
    } catch (IOException broken) {
      failedOnWire = true;
      throw broken;
    }
    int count = data.position() - before;
    written += count;
    return count;
  }

  /** Sends the byte that was held back; false if there is no room for it. */
  private boolean release() throws IOException {
    if (held >= 0 && onWire(ByteBuffer.wrap(new byte[] {(byte) held})) == 1) {
      held = -1;
    }
    return held < 0;
  }

  @Override
  public void endStream() throws IOException {
    endStream(null);
  }

  @Override
  public void endStream(@Nullable List<? extends Header> last) throws IOException {
    if (pass != null && !compared(pass)) {
      return;
    }
    trailers = last;
    ending = true;
    finish();
  }

  /** Whether the body is as it was; if not, the attempt ends before its last byte. */
  private boolean compared(BodyPass now) {
    BodyPass.Yield before = now.before();
    if (before == null) {
      wire.trace().body().ended(now, wire.trace());
    } else if (!now.yielded().equals(before)) {
      wire.trace().body().changed(now.yielded(), before);
      wire.trace().drop();
      return false;
    }
    return true;
  }

  private void finish() throws IOException {
    if (!release()) {
      to().requestOutput();
      return;
    }
    ending = false;
    ended();
    try {
      to().endStream(trailers);
      whole = true;
    } catch (IOException broken) {
      failedOnWire = true;
      throw broken;
    }
  }
}
