package dev.steadfast.retry.okhttp;

import java.util.zip.CRC32;
import okio.Buffer;
import org.jspecify.annotations.Nullable;

/**
 * One way of a request body to the wire: counts and sums up what passes, and compares it with the
 * way before, as far as that one got. A difference is found before the last byte has passed.
 * Confined to the thread that writes.
 */
final class BodyPass {
  /** Keeps what the longest way to the wire has yielded. */
  interface Body {
    /** The body is asked for its bytes. */
    void isWritten();

    void passed(long bytes, int sum);

    void ended(long bytes);

    BodyChangedException changed(String how);
  }

  /**
   * The bytes that a body has yielded.
   *
   * @param bytes how many bytes
   * @param sum their CRC32
   * @param whole whether the body ended there
   */
  record Yield(long bytes, int sum, boolean whole) {}

  private final Body body;
  private final @Nullable Yield before; // null: neither compared nor kept
  private final CRC32 crc = new CRC32(); // Android 8 has no CRC32C
  private final Buffer.UnsafeCursor cursor = new Buffer.UnsafeCursor();
  private long bytes;
  private long length = -1; // as the body says
  private @Nullable BodyChangedException changed;

  BodyPass(Body body, @Nullable Yield before) {
    this.body = body;
    this.before = before;
  }

  /**
   * Begins a pass, before anything of the body is sent.
   *
   * @param length the length that the body says, negative if it does not
   * @throws BodyChangedException if it differs from what was sent before
   */
  void begin(long length) throws BodyChangedException {
    this.length = length;
    if (length >= 0 && before != null && before.whole() && before.bytes() != length) {
      throw changed(length);
    }
  }

  /** The body is asked for its bytes. */
  void isWritten() {
    body.isWritten();
  }

  /**
   * The first bytes of a buffer are next.
   *
   * @throws BodyChangedException if they must not pass
   */
  void next(Buffer source, long byteCount) throws BodyChangedException {
    if (changed != null) {
      throw changed;
    }
    if (before == null) {
      return;
    }
    try {
      source.readUnsafe(cursor);
      if (!matches(before, byteCount)) {
        throw changed(bytes);
      }
    } finally {
      cursor.close();
    }
    body.passed(bytes, (int) crc.getValue());
  }

  private boolean matches(Yield before, long byteCount) {
    long untilEnd = before.bytes() - bytes;
    if (untilEnd >= 0 && untilEnd <= byteCount) {
      count(0, untilEnd);
      boolean same = (int) crc.getValue() == before.sum();
      count(untilEnd, byteCount);
      return same && !(before.whole() && byteCount > untilEnd);
    }
    count(0, byteCount);
    return bytes != length || bytes >= before.bytes(); // else the request would be complete now
  }

  private void count(long from, long to) {
    bytes += to - from;
    long at = from;
    while (at < to) {
      cursor.seek(at);
      int some = (int) Math.min(cursor.end - cursor.start, to - at);
      crc.update(cursor.data, cursor.start, some);
      at += some;
    }
  }

  /**
   * The body yields no more.
   *
   * @throws BodyChangedException if it has yielded less than before; then the request must not end
   */
  void end() throws BodyChangedException {
    if (changed != null) {
      throw changed;
    }
    if (before != null && bytes < before.bytes()) {
      throw changed(bytes);
    }
  }

  /** The body has yielded all of its bytes, without an exception. */
  void succeeded() {
    if (before != null) {
      body.ended(bytes);
    }
  }

  private BodyChangedException changed(long found) {
    long expected = before == null ? 0 : before.bytes();
    BodyChangedException made =
        body.changed(
            found + " bytes that differ from the " + expected + " bytes of the first time");
    changed = made;
    return made;
  }
}
