package dev.steadfast.retry.engine;

import dev.steadfast.retry.Guard;
import org.jspecify.annotations.Nullable;

/**
 * The time at which guards admit an attempt.
 *
 * @param inNanos how long from now; {@link Guard#NEVER} if that is unknown
 * @param spreadNanos the time from then on over which waiting operations are spread
 * @param guard the last guard to admit an attempt, null if all of them do now
 */
record AdmissionTime(long inNanos, long spreadNanos, @Nullable Guard guard) {
  static final AdmissionTime NOW = new AdmissionTime(0, 0, null);

  boolean known() {
    return inNanos != Guard.NEVER;
  }
}
