package dev.steadfast.retry.okhttp;

import java.io.IOException;
import okhttp3.MediaType;
import okhttp3.RequestBody;
import okio.BufferedSink;
import org.jspecify.annotations.Nullable;

/** A body that can be written once, and knows whether it was. */
final class OneShotBody extends RequestBody {
  private final RequestBody delegate;
  private volatile boolean consumed;

  OneShotBody(RequestBody delegate) {
    this.delegate = delegate;
  }

  boolean consumed() {
    return consumed;
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
    return true;
  }

  @Override
  public void writeTo(BufferedSink sink) throws IOException {
    consumed = true;
    delegate.writeTo(sink);
  }
}
