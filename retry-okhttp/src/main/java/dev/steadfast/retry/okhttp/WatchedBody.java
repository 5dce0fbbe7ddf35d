package dev.steadfast.retry.okhttp;

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
 * A request body that is watched while it is sent. A body that can be written only once is watched
 * to know whether it was written. A body that may take long is watched because the total timeout
 * does not run while it is sent. Both may throw the failure of another call, from which they copy.
 */
final class WatchedBody extends RequestBody {
  // What fits into the buffers of a connection counts as sent at once.
  private static final long SHORT_BYTES = 64 * 1024;

  private final RequestBody delegate;
  private final OkHttpTransport transport;
  private volatile boolean written;

  WatchedBody(RequestBody delegate, OkHttpTransport transport) {
    this.delegate = delegate;
    this.transport = transport;
  }

  static boolean worthIt(@Nullable RequestBody body) {
    return body != null && (body.isOneShot() || !isShort(body));
  }

  private static boolean isShort(RequestBody body) {
    try {
      long length = body.contentLength();
      return length >= 0 && length <= SHORT_BYTES;
    } catch (IOException unknown) {
      return false; // OkHttp asks again, and fails the attempt
    }
  }

  /** Whether it cannot be written again. */
  boolean spent() {
    return written && isOneShot();
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
    written = true;
    WireTrace wire = transport.wire();
    if (wire == null) {
      delegate.writeTo(sink);
      return;
    }
    WatchedSink watched = new WatchedSink(sink);
    BufferedSink buffered = Okio.buffer(watched);
    wire.bodyStarted();
    try {
      delegate.writeTo(buffered);
      buffered.emit();
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
    private boolean failed;

    WatchedSink(Sink connection) {
      super(connection);
    }

    @Override
    public void write(Buffer source, long byteCount) throws IOException {
      failed = true;
      super.write(source, byteCount);
      failed = false;
    }

    @Override
    public void flush() throws IOException {
      failed = true;
      super.flush();
      failed = false;
    }
  }
}
