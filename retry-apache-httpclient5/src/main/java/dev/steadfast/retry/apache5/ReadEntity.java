package dev.steadfast.retry.apache5;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.io.entity.HttpEntityWrapper;
import org.jspecify.annotations.Nullable;

/** A response body of which some or all was read within the attempt. */
final class ReadEntity extends HttpEntityWrapper {
  private final byte[] start;
  private final @Nullable InputStream rest;

  ReadEntity(HttpEntity entity, byte[] start, @Nullable InputStream rest) {
    super(entity);
    this.start = start;
    this.rest = rest;
  }

  @Override
  public InputStream getContent() {
    InputStream read = new ByteArrayInputStream(start);
    return rest == null ? read : new SequenceInputStream(read, rest);
  }

  @Override
  public void writeTo(OutputStream out) throws IOException {
    try (InputStream content = getContent()) {
      content.transferTo(out);
    }
  }

  @Override
  public boolean isRepeatable() {
    return rest == null;
  }

  @Override
  public boolean isStreaming() {
    return rest != null;
  }

  @Override
  public void close() throws IOException {
    if (rest != null) {
      super.close();
    }
  }
}
