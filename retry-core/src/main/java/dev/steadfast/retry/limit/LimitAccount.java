package dev.steadfast.retry.limit;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.Guard;
import dev.steadfast.retry.internal.Checks;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The limit of one key, with the attempts that are under way, in one long: an attempt costs one
 * compare-and-set at its begin and one at its end. It is the permit of all its attempts.
 *
 * <p>A loss halves the limit, at most once in 200 ms, because the attempts of one moment fail
 * together. A success raises it by one, if at least half of it is in use: a limit that is not
 * reached was not tested. A share of the attempts is held back in addition after a loss at the
 * minimum, because no limit binds a client with less than one attempt at a time. That ends when
 * attempts succeed again, or ten seconds after the last loss.
 */
final class LimitAccount implements Guard.Permit {
  private static final long CUT_GAP_NANOS = 200_000_000;
  private static final long CALM_NANOS = 10_000_000_000L;
  private static final int LIMIT_SHIFT = 32;
  private static final long ONE_MORE = 1L << LIMIT_SHIFT;
  private static final double UNIT = 0x1p-53;

  /** The bounds of a limit, and its start. */
  record Range(int minimum, int initial, int maximum) {
    Range {
      Checks.within("minimum", minimum, 1, 1_000_000);
      Checks.within("maximum", maximum, minimum, 1_000_000);
      Checks.within("initial", initial, minimum, maximum);
    }
  }

  /**
   * The settings that the accounts of a limit have in common.
   *
   * @param range the bounds
   * @param losses the kinds of failure that count as losses
   * @param holdsBack whether a share of the attempts is held back at the minimum
   * @param random draws which of them
   */
  record Settings(Range range, Set<FailureKind> losses, boolean holdsBack, LongSupplier random) {}

  /** When the limit was cut. */
  private record Cut(long nanos) {}

  private final Settings settings;
  private final AtomicLong word; // the limit in the high half, attempts under way in the low one
  private final AtomicReference<@Nullable Cut> lastCut = new AtomicReference<>();
  private final LongAdder refused = new LongAdder();
  private volatile @Nullable RecentAttempts recent; // null while nothing is held back

  LimitAccount(Settings settings) {
    this.settings = settings;
    this.word = new AtomicLong((long) settings.range().initial() << LIMIT_SHIFT);
  }

  /** Admits an attempt, or counts its refusal. */
  boolean tryAcquire(long nowNanos) {
    RecentAttempts window = window(nowNanos);
    boolean held = window != null && hasRoom(word.get()) && isHeldBack(window, nowNanos);
    if (held || !enter()) {
      refused.increment();
      return false;
    }
    if (window != null) {
      window.sent(nowNanos);
    }
    return true;
  }

  private @Nullable RecentAttempts window(long nowNanos) {
    RecentAttempts window = recent;
    Cut last = window == null ? null : lastCut.get();
    if (last != null && nowNanos - last.nanos() > CALM_NANOS) {
      recent = null;
      return null;
    }
    return window;
  }

  private boolean isHeldBack(RecentAttempts window, long nowNanos) {
    return (settings.random().getAsLong() >>> 11) * UNIT < window.share(nowNanos);
  }

  private boolean enter() {
    long before = word.get();
    while (hasRoom(before)) {
      if (word.compareAndSet(before, before + 1)) {
        return true;
      }
      before = word.get();
    }
    return false;
  }

  @Override
  public void succeeded(long elapsedNanos) {
    long before;
    long after;
    do {
      before = word.get();
      after = before - 1 + (mayGrow(before) ? ONE_MORE : 0);
    } while (!word.compareAndSet(before, after));
    RecentAttempts window = recent;
    if (window != null) {
      window.succeeded();
      if (!window.isInExcess()) {
        recent = null;
      }
    }
  }

  @Override
  public void failed(Guard.Failure how, Throwable failure) {
    if (!how.conclusive() || !settings.losses().contains(how.kind())) {
      released();
      return;
    }
    word.decrementAndGet();
    Cut last = lastCut.get();
    boolean due = last == null || how.nowNanos() - last.nanos() >= CUT_GAP_NANOS;
    if (due && lastCut.compareAndSet(last, new Cut(how.nowNanos()))) {
      cut(how.nowNanos());
    }
  }

  @Override
  public void released() {
    word.decrementAndGet();
    RecentAttempts window = recent;
    if (window != null) {
      window.forget();
    }
  }

  private void cut(long nowNanos) {
    int least = settings.range().minimum();
    long before;
    long after;
    do {
      before = word.get();
      int limit = Math.max(least, limit(before) / 2);
      after = ((long) limit << LIMIT_SHIFT) | underWay(before);
    } while (!word.compareAndSet(before, after));
    // The loss that has brought it down may be the only one.
    if (limit(before) == least && settings.holdsBack() && recent == null) {
      recent = new RecentAttempts(nowNanos);
    }
  }

  private boolean mayGrow(long state) {
    int limit = limit(state);
    return limit < settings.range().maximum() && 2L * underWay(state) >= limit;
  }

  private static boolean hasRoom(long state) {
    return underWay(state) < limit(state);
  }

  private static int limit(long state) {
    return (int) (state >>> LIMIT_SHIFT);
  }

  private static int underWay(long state) {
    return (int) state;
  }

  /** The attempts that may be under way at one time. */
  int limit() {
    return limit(word.get());
  }

  /** The attempts that are under way. */
  int inFlight() {
    return underWay(word.get());
  }

  /** The attempts that were refused so far. */
  long refused() {
    return refused.sum();
  }

  @Override
  public String toString() {
    String held = recent == null ? "" : ", and a share is held back after losses";
    return inFlight() + " of " + limit() + " attempts under way" + held;
  }
}
