package dev.steadfast.retry.http;

import java.util.concurrent.TimeUnit;

/** How a header writes the time that is left. */
enum TimeoutForm {
  /**
   * One to eight digits and a unit.
   *
   * @see <a href="https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md">gRPC over
   *     HTTP2</a>
   */
  GRPC {
    @Override
    long parse(String value) {
      int digits = value.length() - 1;
      if (digits < 1 || digits > MOST_DIGITS) {
        return -1;
      }
      int unit = UNITS.indexOf(value.charAt(digits));
      long amount = unit < 0 ? -1 : Digits.parse(value.substring(0, digits));
      if (amount < 0) {
        return -1;
      }
      return amount > Long.MAX_VALUE / NANOS[unit] ? Long.MAX_VALUE : amount * NANOS[unit];
    }

    // in the smallest unit that fits
    @Override
    String format(long nanos) {
      int unit = 0;
      while (nanos / NANOS[unit] > MOST) {
        unit++;
      }
      return Long.toString(nanos / NANOS[unit]) + UNITS.charAt(unit);
    }
  },
  MILLIS {
    @Override
    long parse(String value) {
      long millis = Digits.parse(value);
      return millis < 0 ? -1 : TimeUnit.MILLISECONDS.toNanos(millis);
    }

    @Override
    String format(long nanos) {
      return Long.toString(TimeUnit.NANOSECONDS.toMillis(nanos));
    }
  };

  private static final String UNITS = "numSMH"; // of gRPC
  private static final long[] NANOS = {
    1, 1_000, 1_000_000, 1_000_000_000, 60_000_000_000L, 3_600_000_000_000L
  };
  private static final int MOST_DIGITS = 8;
  private static final long MOST = 99_999_999;

  /** Reads a time in nanoseconds, saturated; -1 if it is malformed. */
  abstract long parse(String value);

  /** Writes a time, rounded down: it never promises more time. */
  abstract String format(long nanos);
}
