package dev.steadfast.retry.engine;

import dev.steadfast.retry.Guard;
import org.jspecify.annotations.Nullable;

/**
 * When guards admit an attempt.
 *
 * @param inNanos how long from now; {@link Guard#NEVER} if that is unknown
 * @param spreadNanos over what time from then on those who wait are spread
 * @param guard the last guard to admit an attempt, null if all of them do now
 */
record Opening(long inNanos, long spreadNanos, @Nullable Guard guard) {
  static final Opening NOW = new Opening(0, 0, null);

  boolean known() {
    return inNanos != Guard.NEVER;
  }
}
