package dev.steadfast.retry.httpclient;

/** How long a body may still be silent. */
final class Silence {
  private Silence() {}

  /**
   * The time that is left, in nanoseconds.
   *
   * @param sinceNanos when the silence began, which may be after {@code nowNanos}
   */
  static long leftNanos(long mostNanos, long sinceNanos, long nowNanos) {
    return mostNanos == Long.MAX_VALUE
        ? mostNanos
        : Math.max(0, mostNanos - Math.max(0, nowNanos - sinceNanos));
  }
}
