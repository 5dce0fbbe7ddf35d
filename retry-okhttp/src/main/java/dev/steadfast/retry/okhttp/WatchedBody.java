package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.engine.SentBody;
import java.io.IOException;
import okhttp3.MediaType;
import okhttp3.RequestBody;
import okio.Buffer;
import okio.BufferedSink;
import okio.ForwardingSink;
import okio.Okio;
import okio.Sink;
import org.jspecify.annotations.Nullable;

/**
 * A request body on its way to the wire. The total timeout does not run while it is sent, and its
 * bytes are compared with those of the attempt before. The body may throw the failure of another
 * call, from which it copies, and may close its sink, which closes OkHttp's own.
 */
final class WatchedBody extends RequestBody {
  // Why it is like this: docs/decisions/okhttp-wire.md#request-bodies-on-okhttp
  /** The attempt that sends the body. */
  interface Wire {
    /** Whether an attempt with the same body came before. */
    boolean repeats();

    /** The request body begins to be written. */
    void bodyStarted();

    void bodyEnded();

    /** The body has thrown, and not the connection. */
    void leaveBody(IOException reason);
  }

  private final RequestBody delegate;
  private final SentBody sent;
  private final Wire wire;

  WatchedBody(RequestBody delegate, SentBody sent, Wire wire) {
    this.delegate = delegate;
    this.sent = sent;
    this.wire = wire;
  }

  @Override
  public @Nullable MediaType contentType() {
    return delegate.contentType();
  }

  @Override
  public long contentLength() throws IOException {
    return delegate.contentLength();
  }

  @Override
  public boolean isOneShot() {
    return delegate.isOneShot();
  }

  @Override
  public void writeTo(BufferedSink sink) throws IOException {
    // An interceptor may read the body before it is sent, such as one that logs it.
    SentBody.Pass pass = sent.pass(delegate, wire, contentLength());
    pass.begin();
    WatchedSink watched = new WatchedSink(sink, pass);
    BufferedSink buffered = Okio.buffer(watched);
    wire.bodyStarted();
    try {
      delegate.writeTo(buffered);
      if (buffered.isOpen()) {
        buffered.emit();
      }
      pass.end();
    } catch (IOException failure) {
      if (!watched.failed) {
        wire.leaveBody(failure);
      }
      throw failure;
    } finally {
      wire.bodyEnded();
    }
  }

  /** Knows whether it was the connection that failed, or the code that writes to it. */
  private static final class WatchedSink extends ForwardingSink {
    private final Buffer.UnsafeCursor cursor = new Buffer.UnsafeCursor();
    private final SentBody.Pass pass;
    private boolean failed;

    WatchedSink(Sink connection, SentBody.Pass pass) {
      super(connection);
      this.pass = pass;
    }

    @Override
    public void write(Buffer source, long byteCount) throws IOException {
      take(source, byteCount);
      failed = true;
      super.write(source, byteCount);
      failed = false;
    }

    private void take(Buffer source, long byteCount) throws IOException {
      try (Buffer.UnsafeCursor part = source.readUnsafe(cursor)) {
        long left = byteCount;
        while (left > 0 && part.next() > 0) {
          int count = (int) Math.min(part.end - part.start, left);
          pass.take(part.data, part.start, count);
          left -= count;
        }
      }
    }

    @Override
    public void flush() throws IOException {
      failed = true;
      super.flush();
      failed = false;
    }

    /** Closing completes the request, so a body that has changed fails before that. */
    @Override
    public void close() throws IOException {
      pass.checkEnd();
      failed = true;
      super.close();
      failed = false;
    }
  }
}
