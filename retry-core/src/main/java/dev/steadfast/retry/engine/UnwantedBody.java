package dev.steadfast.retry.engine;

import dev.steadfast.retry.RetryScheduler;
import dev.steadfast.retry.threads.TimerScheduler;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/**
 * The body of a response that nobody gets. A short and quick one is read to its end, so that its
 * connection is used again; otherwise the connection is closed. For authors of adapters.
 */
public final class UnwantedBody {
  /** The most bytes that are read. */
  public static final int MOST_BYTES = 64 * 1024;

  /** The longest time that this may take, in nanoseconds. */
  public static final long MOST_NANOS = 100_000_000;

  private static final int PIECE = 8 * 1024;

  private UnwantedBody() {}

  /**
   * Reads a body on the calling thread, for clients that give a stream.
   *
   * @param content the body; it is not closed
   * @param length how many bytes it says that it has, negative if it does not
   * @param giveUp closes its connection, and may be called more than once; it runs on a thread of
   *     the library's if the body takes too long
   * @return all of it; null if it was given up
   * @throws IOException if it cannot be read, perhaps because it was given up
   */
  public static byte @Nullable [] read(InputStream content, long length, Runnable giveUp)
      throws IOException {
    byte[] read = length > MOST_BYTES ? null : start(content, length, giveUp);
    if (read != null && read.length <= MOST_BYTES) {
      return read;
    }
    giveUp.run();
    return null;
  }

  private static byte[] start(InputStream content, long length, Runnable giveUp)
      throws IOException {
    if (length >= 0 && content.available() >= length) {
      return start(content); // without a timer
    }
    TimerScheduler timers = TimerScheduler.system();
    RetryScheduler.Task patience = timers.settle(MOST_NANOS, () -> timers.cancelOnWire(giveUp));
    try {
      return start(content);
    } finally {
      patience.cancel();
    }
  }

  // Android 8 has no readNBytes.
  private static byte[] start(InputStream content) throws IOException {
    ByteArrayOutputStream start = new ByteArrayOutputStream();
    byte[] piece = new byte[PIECE];
    int count = 0;
    while (count >= 0 && start.size() <= MOST_BYTES) {
      start.write(piece, 0, count);
      count = content.read(piece);
    }
    return start.toByteArray();
  }
}
