package dev.steadfast.retry.ordinary.rows;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import okhttp3.MediaType;
import okhttp3.RequestBody;
import okio.BufferedSink;
import okio.Okio;
import okio.Source;
import org.jspecify.annotations.Nullable;

/** Request bodies of OkHttp as users write them. */
final class Bodies {
  static final MediaType TEXT = MediaType.get("text/plain; charset=utf-8");
  static final MediaType BINARY = MediaType.get("application/octet-stream");

  private Bodies() {}

  static byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }

  /** An endless supply of zeros, cut off. */
  static InputStream zeros(long length) {
    return new InputStream() {
      private long left = length;

      @Override
      public int read() {
        return left-- > 0 ? 0 : -1;
      }

      @Override
      public int read(byte[] bytes, int offset, int count) {
        if (left <= 0) {
          return -1;
        }
        int n = (int) Math.min(left, count);
        java.util.Arrays.fill(bytes, offset, offset + n, (byte) 0);
        left -= n;
        return n;
      }
    };
  }

  /** Writes to a sink. */
  @FunctionalInterface
  interface Writes {
    void to(BufferedSink sink) throws IOException;
  }

  /** A body of unknown length that writes so. */
  static RequestBody writing(Writes writes) {
    return new Written(writes, -1, false);
  }

  /** A body of unknown length that can be sent once. */
  static RequestBody once(Writes writes) {
    return new Written(writes, -1, true);
  }

  /** A body of known length that writes so. */
  static RequestBody writing(long length, Writes writes) {
    return new Written(writes, length, false);
  }

  /** A body that writes so, of a length that is known unless it is -1. */
  static RequestBody writing(long length, boolean once, Writes writes) {
    return new Written(writes, length, once);
  }

  /** Closes the sink, as whoever has finished with a stream does. */
  static Writes gzipped(byte[] bytes) {
    return sink -> {
      try (GZIPOutputStream gzip = new GZIPOutputStream(sink.outputStream())) {
        gzip.write(bytes);
      }
    };
  }

  /** Closes the sink. */
  static Writes asText(String text) {
    return sink -> {
      try (OutputStreamWriter writer =
          new OutputStreamWriter(sink.outputStream(), StandardCharsets.UTF_8)) {
        writer.write(text);
      }
    };
  }

  static Writes copying(byte[] bytes) {
    return sink -> {
      try (Source source = Okio.source(new ByteArrayInputStream(bytes))) {
        sink.writeAll(source);
      }
    };
  }

  private static final class Written extends RequestBody {
    private final Writes writes;
    private final long length;
    private final boolean once;

    Written(Writes writes, long length, boolean once) {
      this.writes = writes;
      this.length = length;
      this.once = once;
    }

    @Override
    public @Nullable MediaType contentType() {
      return BINARY;
    }

    @Override
    public long contentLength() {
      return length;
    }

    @Override
    public boolean isOneShot() {
      return once;
    }

    @Override
    public void writeTo(BufferedSink sink) throws IOException {
      writes.to(sink);
    }
  }
}
