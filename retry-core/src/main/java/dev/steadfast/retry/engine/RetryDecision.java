package dev.steadfast.retry.engine;

import dev.steadfast.retry.DelayReason;
import dev.steadfast.retry.StopReason;

/** The decision after an attempt: another one after a wait, or the end. Immutable. */
public sealed interface RetryDecision permits RetryDecision.Retry, RetryDecision.Stop {

  /**
   * Wait, then make another attempt.
   *
   * @param delayNanos the wait in nanoseconds, 0 or more
   * @param why what the wait comes from
   */
  record Retry(long delayNanos, DelayReason why) implements RetryDecision {}

  /**
   * The operation is over.
   *
   * @param reason why
   */
  record Stop(StopReason reason) implements RetryDecision {}
}
