package dev.steadfast.retry.okhttp;

import java.io.IOException;
import okhttp3.MediaType;
import okhttp3.Request;
import okhttp3.RequestBody;
import okio.BufferedSink;
import org.jspecify.annotations.Nullable;

/**
 * Stands in for a request body on a connection that is known to be dead. OkHttp takes another
 * connection only if writing to this one fails, and the real body must not be read for that: it may
 * be a stream that can be read once.
 */
final class UnsentBody extends RequestBody {
  private final RequestBody delegate;

  private UnsentBody(RequestBody delegate) {
    this.delegate = delegate;
  }

  static Request inPlaceOf(Request request, @Nullable CallersBody watched) {
    RequestBody body = request.body();
    return body == null || watched == null
        ? request
        : request.newBuilder().method(request.method(), new UnsentBody(body)).build();
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
  public void writeTo(BufferedSink sink) throws IOException {
    if (contentLength() != 0) {
      sink.writeByte(0).flush();
    }
  }
}
