package dev.steadfast.retry.simulator;

/**
 * How fast a server works: at full speed except during one period. Immutable.
 *
 * @param startNanos when the stretch begins
 * @param endNanos when it ends
 * @param within the speed within it, as a share; 0 is a standstill
 */
record Speed(long startNanos, long endNanos, double within) {

  /** When work that begins now is done. */
  long doneAt(long nowNanos, double workNanos) {
    if (nowNanos >= endNanos) {
      return nowNanos + (long) workNanos;
    }
    double before = Math.max(0, startNanos - nowNanos);
    if (workNanos <= before) {
      return nowNanos + (long) workNanos;
    }
    long from = Math.max(nowNanos, startNanos);
    double left = workNanos - before;
    double possible = (endNanos - from) * within;
    return left <= possible ? from + (long) (left / within) : endNanos + (long) (left - possible);
  }
}
