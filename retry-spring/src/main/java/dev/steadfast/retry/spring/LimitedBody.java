package dev.steadfast.retry.spring;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/** The output of a converter, kept up to a limit. A longer one is passed on to a request. */
final class LimitedBody extends OutputStream {
  /** Begins the request. */
  interface Beginning {
    Upload begin() throws IOException;
  }

  private final int limit;
  private final Beginning beginning;
  private ByteArrayOutputStream kept = new ByteArrayOutputStream();
  private @Nullable Upload upload;
  private boolean refused;

  LimitedBody(int limit, Beginning beginning) {
    this.limit = limit;
    this.beginning = beginning;
  }

  /** A body that fails beyond its limit, so that it is written again elsewhere. */
  static LimitedBody refusingMore(int limit) {
    return new LimitedBody(
        limit,
        () -> {
          throw new IOException("more than " + limit + " bytes");
        });
  }

  /** The request that was begun because the body is longer than the limit. */
  @Nullable Upload upload() {
    return upload;
  }

  /** Whether the request that was begun wants no more of the body: it has its answer or failed. */
  boolean refused() {
    return refused;
  }

  /** The whole body, where no request was begun. */
  byte[] bytes() {
    return kept.toByteArray();
  }

  /** Begins the request at once, as a declared length says that the body is too long to keep. */
  void passOn() throws IOException {
    passedOn();
  }

  /** The end of the body. */
  void end(Upload begun) {
    try {
      begun.body().close();
    } catch (IOException noMoreWanted) {
      refused = true;
    }
  }

  @Override
  public void write(int one) throws IOException {
    write(new byte[] {(byte) one}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    if (upload == null && length <= limit - kept.size()) {
      kept.write(bytes, offset, length);
      return;
    }
    OutputStream wire = passedOn();
    try {
      wire.write(bytes, offset, length);
    } catch (IOException noMoreWanted) {
      refused = true;
      throw noMoreWanted;
    }
  }

  private OutputStream passedOn() throws IOException {
    Upload begun = upload;
    if (begun != null) {
      return begun.body();
    }
    try {
      begun = beginning.begin();
      upload = begun;
      kept.writeTo(begun.body());
    } catch (IOException noMoreWanted) {
      refused = true;
      throw noMoreWanted;
    }
    kept = new ByteArrayOutputStream(0);
    return begun.body();
  }

  @Override
  public void flush() throws IOException {
    Upload begun = upload;
    if (begun != null) {
      begun.body().flush();
    }
  }

  // Converters may close what they write to.
  @Override
  public void close() {}
}
