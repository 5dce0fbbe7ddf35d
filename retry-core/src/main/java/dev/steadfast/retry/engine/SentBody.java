package dev.steadfast.retry.engine;

import dev.steadfast.retry.internal.Checks;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * The request body of one operation, as it was sent. Some bodies say that they can be sent again,
 * and then yield nothing, because their stream has been read. So this class keeps the number of
 * bytes and a checksum of the longest pass, and compares each later pass with it. Authors of
 * adapters pass bytes on only after {@link Pass#take}, and complete the request only after {@link
 * Pass#end}. Then a body that has changed never arrives as a whole. Safe for use by many threads:
 * an attempt that was given up may still write.
 */
public final class SentBody {
  private final Object body;
  private final BooleanSupplier repeatable;
  private volatile boolean begun;
  private volatile @Nullable RequestBodyChangedException changed;
  private final AtomicReference<Yield> longest = new AtomicReference<>(Yield.NOTHING);

  /**
   * The bytes of a pass.
   *
   * @param source what yielded them: the body, or the class of one around it
   * @param sender the attempt of the first pass
   * @param whole whether they were all
   */
  private record Yield(Object source, Object sender, long bytes, int sum, boolean whole) {
    static final Yield NOTHING = new Yield("", "", 0, 0, false);

    @SuppressWarnings("ReferenceEquality") // the very body, or class
    static Yield longer(Yield before, Yield now) {
      boolean other = before.whole || before.source != now.source || before.bytes > now.bytes;
      return before != NOTHING && other ? before : now;
    }
  }

  /**
   * A body that was not sent yet.
   *
   * @param body the caller's body
   * @param repeatable whether it says that it can be sent again; asked when that matters
   * @throws NullPointerException if an argument is null
   */
  public SentBody(Object body, BooleanSupplier repeatable) {
    this.body = Checks.notNull("body", body);
    this.repeatable = Checks.notNull("repeatable", repeatable);
  }

  /** {@return whether it cannot be sent again: it has changed, or is read once, and was} */
  public boolean isSpent() {
    return changed != null || (begun && !repeatable.getAsBoolean());
  }

  /** {@return whether a pass of it has begun} */
  public boolean hasBegun() {
    return begun;
  }

  /** {@return the exception that says how it has changed; null if that was not found} */
  public @Nullable RequestBodyChangedException changed() {
    return changed;
  }

  /**
   * Notes that the body must not be sent again.
   *
   * @param how what was found
   * @return the exception that says so
   */
  public RequestBodyChangedException changed(String how) {
    RequestBodyChangedException made = new RequestBodyChangedException(how);
    changed = made;
    return made;
  }

  /**
   * A pass of the body to the wire. A body that an interceptor has put around the caller's is
   * compared with one of its class, but not within an attempt, where requests may differ.
   *
   * @param onWire the body that is sent: the caller's, or one in its place
   * @param attempt the attempt that sends it
   * @param length how many bytes the body says that it has, negative if it does not
   * @return a new pass, of which nothing was sent yet
   */
  @SuppressWarnings("ReferenceEquality") // the very body, class and attempt
  public Pass pass(Object onWire, Object attempt, long length) {
    Object source = onWire == body ? body : onWire.getClass();
    Yield before = longest.get();
    if (before.source == source && (source == body || before.sender != attempt)) {
      return new Pass(this, before, true, length);
    }
    boolean first = before == Yield.NOTHING;
    return new Pass(this, new Yield(source, attempt, 0, 0, false), first, length);
  }

  /** A pass of the caller's body before any attempt. */
  Pass passOfItself() {
    return pass(body, this, -1);
  }

  /** One pass of a request body to the wire. Confined to one thread at a time. */
  public static final class Pass {
    private final SentBody of;
    private final Yield before; // to which it is compared
    private final boolean kept; // false: neither compared nor kept
    private final long length;

    private final CRC32 crc = new CRC32(); // Android 8 has no CRC32C
    private long bytes;

    private Pass(SentBody of, Yield before, boolean kept, long length) {
      this.of = of;
      this.before = before;
      this.kept = kept;
      this.length = length;
    }

    /** {@return whether bytes were sent before, to which those of this pass are compared} */
    public boolean repeats() {
      return before.bytes > 0 || before.whole;
    }

    /** The body is asked for its bytes: one that is read once is spent from now on. */
    public void begin() {
      of.begun = true;
    }

    /**
     * Checks what is known.
     *
     * @throws RequestBodyChangedException if the body says that it has another length than before,
     *     or was found to differ, in this pass or in another
     */
    public void check() throws RequestBodyChangedException {
      RequestBodyChangedException found = of.changed;
      if (found != null) {
        throw found;
      }
      if (before.whole && length >= 0 && length != before.bytes) {
        throw changed(length);
      }
    }

    /**
     * Counts bytes that are about to be sent.
     *
     * @param data the bytes; all that is left of it is taken
     * @throws RequestBodyChangedException if they must not be sent: they differ from those before,
     *     or would complete the request with fewer
     */
    public void take(ByteBuffer data) throws RequestBodyChangedException {
      check();
      if (!kept) {
        bytes += data.remaining();
        ((Buffer) data).position(data.limit());
        return;
      }
      boolean same = true;
      long untilEnd = before.bytes - bytes;
      if (untilEnd >= 0 && untilEnd <= data.remaining()) {
        int limit = data.limit();
        ((Buffer) data).limit(data.position() + (int) untilEnd);
        count(data);
        ((Buffer) data).limit(limit);
        same = sum() == before.sum && !(before.whole && data.hasRemaining());
      }
      count(data);
      if (!same || (bytes == length && bytes < before.bytes)) {
        throw changed(bytes);
      }
      if (!before.whole) {
        keep(false);
      }
    }

    /**
     * As {@link #take(ByteBuffer)}, of a part of an array.
     *
     * @param data where the bytes are
     * @param offset of the first
     * @param count how many
     * @throws RequestBodyChangedException if they must not be sent
     */
    public void take(byte[] data, int offset, int count) throws RequestBodyChangedException {
      take(ByteBuffer.wrap(data, offset, count));
    }

    private void keep(boolean whole) {
      Yield now = new Yield(before.source, before.sender, bytes, sum(), whole);
      of.longest.accumulateAndGet(now, Yield::longer);
    }

    private void count(ByteBuffer data) {
      bytes += data.remaining();
      crc.update(data);
    }

    private int sum() {
      return (int) crc.getValue();
    }

    /** {@return how many bytes were taken} */
    public long bytes() {
      return bytes;
    }

    /**
     * Checks whether the body may end here.
     *
     * @throws RequestBodyChangedException if it has yielded less than before; then the request must
     *     not be completed
     */
    public void checkEnd() throws RequestBodyChangedException {
      check();
      if (bytes < before.bytes) {
        throw changed(bytes);
      }
    }

    /**
     * The body has yielded all of its bytes, and the request is about to be completed.
     *
     * @throws RequestBodyChangedException as {@link #checkEnd}
     */
    public void end() throws RequestBodyChangedException {
      checkEnd();
      if (kept) {
        keep(true);
      }
    }

    private RequestBodyChangedException changed(long found) {
      return of.changed(
          found + " bytes that differ from the " + before.bytes + " bytes of the first time");
    }
  }
}
