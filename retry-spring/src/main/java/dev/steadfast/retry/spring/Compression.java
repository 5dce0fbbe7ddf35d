package dev.steadfast.retry.spring;

import java.io.IOException;
import java.io.InputStream;
import java.io.PushbackInputStream;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.zip.GZIPInputStream;
import java.util.zip.InflaterInputStream;
import org.jspecify.annotations.Nullable;
import org.springframework.http.client.JdkClientHttpRequestFactory;

/** Compressed answers, which are decompressed before the caller sees them. */
final class Compression {
  /** The content codings that are asked for, and decoded, where the client does not do so. */
  static final List<String> CODINGS = List.of("gzip", "deflate");

  /** Whether Spring's own factory for the JDK's client does so: from Spring 7 on. */
  static final boolean IS_SPRINGS = isSprings();

  // These belong to the compressed body. Converters read no more than Content-Length.
  private static final Set<String> HEADERS =
      Set.of("content-encoding", "content-length", "content-md5");

  private Compression() {}

  private static boolean isSprings() {
    try {
      JdkClientHttpRequestFactory.class.getMethod("enableCompression", boolean.class);
      return true;
    } catch (NoSuchMethodException spring6) {
      return false;
    }
  }

  /** Whether a header does not apply to the decompressed body. */
  static boolean isOfPacked(String header) {
    return HEADERS.contains(header.toLowerCase(Locale.ROOT));
  }

  /**
   * The content coding of an answer that is to be decompressed.
   *
   * @param contentEncoding the values of this header
   * @return null to leave it as it is
   */
  static @Nullable String of(List<String> contentEncoding) {
    String coding = String.join(",", contentEncoding).toLowerCase(Locale.ROOT);
    return IS_SPRINGS && CODINGS.contains(coding) ? coding : null;
  }

  /** Decompresses a body; one that is empty, as after a HEAD, stays so. */
  static InputStream unpacked(InputStream packed, String coding) throws IOException {
    PushbackInputStream start = new PushbackInputStream(packed);
    int first = start.read();
    if (first < 0) {
      return start;
    }
    start.unread(first);
    return coding.equals("gzip") ? new GZIPInputStream(start) : new InflaterInputStream(start);
  }
}
