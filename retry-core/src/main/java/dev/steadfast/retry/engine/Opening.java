package dev.steadfast.retry.engine;

import dev.steadfast.retry.Guard;

/**
 * When guards admit an attempt.
 *
 * @param inNanos how long from now; {@link Guard#NEVER} if that is unknown
 * @param spreadNanos over what time from then on those who wait are spread
 */
record Opening(long inNanos, long spreadNanos) {
  static final Opening NOW = new Opening(0, 0);
  static final Opening NEVER = new Opening(Guard.NEVER, 0);

  boolean known() {
    return inNanos != Guard.NEVER;
  }
}
