package dev.steadfast.retry.engine;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Lets one log line through per minute and counts the others. Safe for use by many threads. */
final class LogRateLimiter {
  /** The line of an event is left out. */
  static final long NOT_NOW = -1;

  private static final long MINUTE_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** When the last line was let through, and how many were left out since. */
  private record Last(long nanos, long leftOut) {}

  private final AtomicReference<@Nullable Last> last = new AtomicReference<>();

  /**
   * {@return how many events had no line since the last one that had, with this one counted; {@link
   * #NOT_NOW} if this one gets none}
   */
  long tellNow(long nowNanos) {
    while (true) {
      Last known = last.get();
      boolean first = known == null;
      long leftOut = known == null ? 0 : known.leftOut();
      long since = known == null ? nowNanos : known.nanos();
      boolean tell = first || nowNanos - since >= MINUTE_NANOS;
      Last next = tell ? new Last(nowNanos, 0) : new Last(since, leftOut + 1);
      if (last.compareAndSet(known, next)) {
        return tell ? leftOut : NOT_NOW;
      }
    }
  }
}
