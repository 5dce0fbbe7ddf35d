package dev.steadfast.retry.engine;

import dev.steadfast.retry.DelayReason;
import dev.steadfast.retry.StopReason;

/** The decision after an attempt: another one after a wait, or the end. Immutable. */
sealed interface RetryDecision permits RetryDecision.Retry, RetryDecision.Stop {

  /** Wait, then make another attempt. */
  record Retry(long delayNanos, DelayReason why) implements RetryDecision {}

  /** The operation is over. */
  record Stop(StopReason reason) implements RetryDecision {}
}
