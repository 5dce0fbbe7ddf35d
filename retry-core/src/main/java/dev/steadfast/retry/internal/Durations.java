package dev.steadfast.retry.internal;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Arrays;

/** Conversions between {@link Duration}, saturated nanoseconds and the text form of a duration. */
public final class Durations {
  private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

  // Largest first: printing takes the first unit that divides the value without a remainder.
  private static final String[] UNITS = {"d", "h", "m", "s", "ms", "us", "ns"};
  private static final long[] NANOS = {
    86_400_000_000_000L, 3_600_000_000_000L, 60_000_000_000L, 1_000_000_000L, 1_000_000L, 1_000L, 1L
  };

  private static final int SECONDS = 3;

  // The spread separates clients. It must not turn a server delay of an hour into two hours.
  private static final long MOST_SPREAD_NANOS = 10_000_000_000L;

  private Durations() {}

  /** Nanoseconds of a duration; one beyond the range of a long counts as 292 years. */
  public static long nanos(Duration duration) {
    return duration.compareTo(LONGEST) >= 0 ? Long.MAX_VALUE : duration.toNanos();
  }

  public static long saturatedAdd(long a, long b) {
    long sum = a + b;
    return ((a ^ sum) & (b ^ sum)) < 0 ? (a < 0 ? Long.MIN_VALUE : Long.MAX_VALUE) : sum;
  }

  /** The longest random time that is added to a server delay: that share of it, at most 10 s. */
  public static long spread(long serverDelayNanos, double share) {
    return (long) Math.min(serverDelayNanos * share, MOST_SPREAD_NANOS);
  }

  public static String print(long nanos) {
    if (nanos == 0) {
      return "0s";
    }
    int unit = 0;
    while (nanos % NANOS[unit] != 0) {
      unit++;
    }
    return nanos / NANOS[unit] + UNITS[unit];
  }

  public static String print(Duration duration) {
    return print(nanos(duration));
  }

  /** Three digits of a measured duration, for people: {@code 6.55ms}, {@code 1.43s}. */
  public static String printRounded(long nanos) {
    long step = 1;
    while (nanos / step >= 1000) {
      step *= 10;
    }
    long rounded = Math.round((double) nanos / step) * step;
    int unit = UNITS.length - 1;
    while (unit > SECONDS && rounded >= NANOS[unit - 1]) {
      unit--;
    }
    return BigDecimal.valueOf(rounded)
            .divide(BigDecimal.valueOf(NANOS[unit]))
            .stripTrailingZeros()
            .toPlainString()
        + (rounded == 0 ? "s" : UNITS[unit]);
  }

  public static String printRounded(Duration duration) {
    return printRounded(nanos(duration));
  }

  /**
   * Reads a duration at the reader's position: amounts with units, the largest unit first, such as
   * {@code 90s}, {@code 1m30s} and {@code 1.5s}.
   */
  public static long read(TextReader in) {
    int start = in.position();
    BigDecimal sum = BigDecimal.ZERO;
    int unit = -1;
    do {
      BigDecimal amount = in.amount("a duration such as 100ms");
      int unitAt = in.position();
      int smaller = unit(in.letters());
      if (smaller < 0) {
        throw in.error(unitAt, "a unit: ns, us, ms, s, m, h or d");
      }
      if (smaller <= unit) {
        throw in.error(unitAt, "a unit smaller than the one before");
      }
      unit = smaller;
      sum = sum.add(amount.multiply(BigDecimal.valueOf(NANOS[unit])));
    } while (in.atDigit());
    if (sum.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0) {
      throw in.error(start, "a duration of at most " + Long.MAX_VALUE + "ns");
    }
    if (sum.stripTrailingZeros().scale() > 0) {
      throw in.error(start, "whole nanoseconds");
    }
    return sum.longValueExact();
  }

  private static int unit(String name) {
    return Arrays.asList(UNITS).indexOf(name);
  }

  /**
   * The time that is left.
   *
   * @param nanos how long it was; {@link Long#MAX_VALUE} for no bound
   * @param spentNanos how much of it is over
   * @return nanoseconds, 0 if all of it is over; {@link Long#MAX_VALUE} for no bound
   */
  public static long left(long nanos, long spentNanos) {
    return nanos == Long.MAX_VALUE ? nanos : Math.max(0, nanos - spentNanos);
  }
}
