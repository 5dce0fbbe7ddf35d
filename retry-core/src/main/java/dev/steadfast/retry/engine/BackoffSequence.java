package dev.steadfast.retry.engine;

import dev.steadfast.retry.DelayReason;
import dev.steadfast.retry.ServerDelay;
import java.util.function.LongSupplier;

/** The delays of one operation, one after another. Made when the first one is needed. */
final class BackoffSequence {
  private int taken; // since the start, or since the last pushback
  private long previousNanos;

  /** The delay before the next attempt: the larger of backoff and server delay. */
  RetryDecision.Retry next(
      PolicyNanos nanos, ServerDelay serverDelay, long remainingNanos, LongSupplier random) {
    long asked = Math.min(serverDelay.nanos(), nanos.maxServerDelay());
    if (serverDelay.exact()) {
      // gRFC A6: exactly that long, and the next backoff starts over.
      taken = 0;
      previousNanos = 0;
      return Decisions.retry(asked, DelayReason.SERVER_PUSHBACK);
    }
    taken = taken == Integer.MAX_VALUE ? taken : taken + 1;
    long backoff = Math.max(0, nanos.policy().backoff().delayNanos(taken, previousNanos, random));
    previousNanos = backoff;
    return serverDelay.present()
        ? nanos.afterServerDelay(asked, backoff, remainingNanos, random)
        : Decisions.retry(backoff, DelayReason.BACKOFF);
  }
}
