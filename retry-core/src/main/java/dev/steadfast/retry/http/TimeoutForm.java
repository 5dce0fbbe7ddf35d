package dev.steadfast.retry.http;

import java.util.concurrent.TimeUnit;

/** How a header writes the time that is left. */
enum TimeoutForm {
  GRPC {
    @Override
    long parse(String value) {
      return GrpcTimeout.parse(value);
    }

    @Override
    String format(long nanos) {
      return GrpcTimeout.format(nanos);
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

  /** Reads a time in nanoseconds, saturated; -1 if it is malformed. */
  abstract long parse(String value);

  /** Writes a time, rounded down. */
  abstract String format(long nanos);
}
