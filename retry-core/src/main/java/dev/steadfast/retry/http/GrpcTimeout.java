package dev.steadfast.retry.http;

/**
 * The form of {@code grpc-timeout}: one to eight digits and a unit.
 *
 * @see <a href="https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md">gRPC over HTTP2</a>
 */
final class GrpcTimeout {
  private static final String UNITS = "numSMH";
  private static final long[] NANOS = {
    1, 1_000, 1_000_000, 1_000_000_000, 60_000_000_000L, 3_600_000_000_000L
  };
  private static final int MOST_DIGITS = 8;
  private static final long MOST = 99_999_999;

  private GrpcTimeout() {}

  /**
   * {@return the timeout in nanoseconds: -1 if it is malformed, {@link Long#MAX_VALUE} for more
   * than a long holds}
   */
  static long parse(String value) {
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

  /** Writes a timeout in the smallest unit that fits, rounded down: it never promises more time. */
  static String format(long nanos) {
    int unit = 0;
    while (nanos / NANOS[unit] > MOST) {
      unit++;
    }
    return Long.toString(nanos / NANOS[unit]) + UNITS.charAt(unit);
  }
}
