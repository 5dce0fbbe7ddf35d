package dev.steadfast.retry.examples.outage;

/**
 * A time in which all workers stand still. Working time is the clock without it.
 *
 * @param begins nanoseconds
 * @param ends nanoseconds
 */
record Stall(long begins, long ends) {

  /** Whether a moment is within it. */
  boolean covers(long clock) {
    return clock >= begins && clock < ends;
  }

  /** The working time at a moment; it does not move during the stall. */
  long worked(long clock) {
    return clock - Math.max(0, Math.min(clock, ends) - begins);
  }

  /** The moment at which so much has been worked. */
  long clock(long worked) {
    return worked <= begins ? worked : worked + ends - begins;
  }
}
