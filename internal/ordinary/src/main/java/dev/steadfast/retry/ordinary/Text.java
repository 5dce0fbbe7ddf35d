package dev.steadfast.retry.ordinary;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** Describes bytes, exceptions and threads in one line. */
public final class Text {
  private static final int SHORT = 80;

  private Text() {}

  /** Length and hash of bytes, and the bytes themselves if they are a short text. */
  public static String of(byte[] bytes) {
    Sum sum = new Sum();
    sum.add(bytes, bytes.length);
    return sum.toString();
  }

  /** Reads a stream to its end and describes it as {@link #of(byte[])} does; keeps no bytes. */
  public static String of(InputStream in) throws IOException {
    Sum sum = new Sum();
    byte[] buffer = new byte[8192];
    for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
      sum.add(buffer, n);
    }
    return sum.toString();
  }

  /** Class and message of an exception, without the wrappers of futures. Causes vary by chance. */
  public static String of(Throwable thrown) {
    Throwable own = unwrap(thrown);
    // The timeouts of OkHttp and of the socket are equally long: either may be first.
    boolean ofSocket = "Read timed out".equals(own.getMessage());
    return own.getClass().getName() + ": " + (ofSocket ? "timeout" : own.getMessage());
  }

  private static Throwable unwrap(Throwable thrown) {
    Throwable cause = thrown.getCause();
    boolean wrapper = thrown instanceof ExecutionException || thrown instanceof CompletionException;
    return wrapper && cause != null ? unwrap(cause) : thrown;
  }

  /** Whose thread this is. */
  public static String kind(Thread thread, Thread caller) {
    String name = thread.getName();
    if (thread.equals(caller)) {
      return "the caller's thread";
    }
    if (name.startsWith("OkHttp ")) {
      return "a thread of OkHttp's dispatcher";
    }
    if (name.startsWith("HttpClient-")) {
      return "a thread of the JDK's client";
    }
    if (name.startsWith("ForkJoinPool.commonPool")) {
      return "a thread of the common pool";
    }
    if (name.matches("Thread-\\d+")) {
      return "a new thread"; // the JDK's, where the common pool has no threads
    }
    return name.toLowerCase(java.util.Locale.ROOT).contains("steadfast")
        ? "a thread of Steadfast"
        : name;
  }

  /** Counts and hashes bytes. */
  static final class Sum {
    private final MessageDigest digest = sha256();
    private final ByteArrayOutputStream first = new ByteArrayOutputStream();
    private long length;

    void add(byte[] bytes, int count) {
      digest.update(bytes, 0, count);
      first.write(bytes, 0, Math.max(0, Math.min(count, SHORT + 1 - first.size())));
      length += count;
    }

    private @Nullable String shortText() {
      String text = first.toString(StandardCharsets.UTF_8);
      boolean printable = text.chars().allMatch(c -> c >= ' ' && c < 127);
      return first.size() <= SHORT && printable ? text : null;
    }

    @Override
    public String toString() {
      String text = shortText();
      String hash = HexFormat.of().formatHex(digest.digest(), 0, 6);
      return length + " bytes, " + (text == null ? "SHA-256 " + hash : "'" + text + "'");
    }

    private static MessageDigest sha256() {
      try {
        return MessageDigest.getInstance("SHA-256");
      } catch (NoSuchAlgorithmException e) {
        throw new LinkageError("every JDK has it", e);
      }
    }
  }
}
