package dev.steadfast.retry.apache5;

import dev.steadfast.retry.engine.RequestBodyChangedException;
import dev.steadfast.retry.engine.SentBody;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.hc.core5.http.EntityDetails;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.nio.AsyncDataProducer;
import org.apache.hc.core5.http.nio.DataStreamChannel;
import org.jspecify.annotations.Nullable;

/**
 * A request body on its way to the wire. One that is sent again, and has changed, is not sent to
 * its end. Used by the thread of the connection.
 */
final class WatchedOutput implements DataStreamChannel {
  private final WireTrace wire;
  private final SentBody.@Nullable Pass pass; // null: it is not the caller's
  private final long length;

  private @Nullable DataStreamChannel channel;
  private boolean begun;
  private long written;
  private volatile boolean failedOnWire;
  private volatile boolean whole;

  WatchedOutput(WireTrace wire, EntityDetails body) {
    this.wire = wire;
    this.pass = wire.pass(body);
    this.length = body.getContentLength();
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
      if (pass != null) {
        pass.begin();
      }
      wire.attempt().bodyStarted();
    }
    try {
      client.produce(this);
    } catch (IOException | RuntimeException thrown) {
      if (!failedOnWire) {
        wire.attempt().userCodeFailed(thrown);
      }
      ended();
      throw thrown;
    }
  }

  /** Nothing more is sent. */
  void ended() {
    if (begun) {
      wire.attempt().bodyEnded();
    }
  }

  private DataStreamChannel to() throws IOException {
    DataStreamChannel to = channel;
    if (to == null || !wire.isCurrent()) {
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
    if (!mayPass(data)) {
      int count = data.remaining();
      data.position(data.limit()); // as if it were sent: the producer need not know
      return count;
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
    if (written == length) {
      ended(); // the answer comes on this thread, later
    }
    return count;
  }

  private boolean mayPass(ByteBuffer data) {
    if (pass == null) {
      return true;
    }
    ByteBuffer unseen = data.duplicate(); // without bytes that found no room before
    long seen = Math.min(pass.bytes() - written, data.remaining());
    unseen.position(unseen.position() + (int) seen);
    try {
      pass.take(unseen);
      return true;
    } catch (RequestBodyChangedException changed) {
      wire.drop();
      return false;
    }
  }

  @Override
  public void endStream() throws IOException {
    endStream(null);
  }

  @Override
  public void endStream(@Nullable List<? extends Header> trailers) throws IOException {
    try {
      if (pass != null) {
        pass.end();
      }
    } catch (RequestBodyChangedException changed) {
      wire.drop();
      return;
    }
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
