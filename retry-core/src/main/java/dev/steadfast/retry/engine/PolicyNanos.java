package dev.steadfast.retry.engine;

import dev.steadfast.retry.DelayReason;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.ServerDelay;
import dev.steadfast.retry.internal.Durations;
import dev.steadfast.retry.internal.Uniform;
import java.util.function.LongSupplier;

/**
 * A policy and the waits that it makes, in nanoseconds, converted once. {@link Long#MAX_VALUE}
 * stands for no bound.
 */
final class PolicyNanos {
  private final RetryPolicy policy;
  private final long total;
  private final long[] attempts; // by attempt, the last for all that follow; may be empty
  private final long bodyIdle;
  private final long minimumAttempt;
  private final long maxServerDelay;

  PolicyNanos(RetryPolicy policy) {
    this.policy = policy;
    this.total = policy.totalTimeout().map(Durations::nanos).orElse(Long.MAX_VALUE);
    this.attempts = policy.attemptTimeouts().stream().mapToLong(Durations::nanos).toArray();
    this.bodyIdle = policy.bodyIdleTimeout().map(Durations::nanos).orElse(Long.MAX_VALUE);
    this.minimumAttempt = Durations.nanos(policy.minimumAttempt());
    this.maxServerDelay = Durations.nanos(policy.maxServerDelay());
  }

  RetryPolicy policy() {
    return policy;
  }

  long total() {
    return total;
  }

  long attempt(int number) {
    int count = attempts.length;
    return count == 0 ? Long.MAX_VALUE : attempts[Math.min(number, count) - 1];
  }

  /**
   * The longest that an attempt may take by itself.
   *
   * @param own its timeout by the policy
   */
  long longestAttempt(long own) {
    return own == Long.MAX_VALUE ? total : own;
  }

  long bodyIdle() {
    return bodyIdle;
  }

  long minimumAttempt() {
    return minimumAttempt;
  }

  long maxServerDelay() {
    return maxServerDelay;
  }

  /** Whether a server delay is above the ceiling, and ends the operation. */
  boolean givesUpAt(ServerDelay serverDelay) {
    return serverDelay.nanos() > maxServerDelay
        && policy.aboveCeiling() == RetryPolicy.AboveCeiling.GIVE_UP;
  }

  /** The backoff before an attempt, after a failure of this kind. */
  long backoff(FailureKind after, int number, long previousNanos, LongSupplier random) {
    return Math.max(0, policy.backoff(after).delayNanos(number, previousNanos, random));
  }

  /** The delay before the next attempt: the larger of backoff and server delay. */
  RetryDecision.Retry delay(
      ServerDelay serverDelay, long backoffNanos, long remainingNanos, LongSupplier random) {
    long asked = Math.min(serverDelay.nanos(), maxServerDelay());
    if (serverDelay.exact()) {
      return Decisions.retry(asked, DelayReason.SERVER_PUSHBACK);
    }
    return serverDelay.present()
        ? afterServerDelay(asked, backoffNanos, remainingNanos, random)
        : Decisions.retry(backoffNanos, DelayReason.BACKOFF);
  }

  /** The wait for a server delay: that long and a share more, unless the backoff is longer. */
  private RetryDecision.Retry afterServerDelay(
      long askedNanos, long backoffNanos, long remainingNanos, LongSupplier random) {
    long wanted = Durations.spread(askedNanos, policy.serverDelaySpread());
    long spread = Uniform.upTo(spreadCeiling(wanted, askedNanos, remainingNanos), random);
    long delay = Durations.saturatedAdd(askedNanos, spread);
    return backoffNanos > delay
        ? Decisions.retry(backoffNanos, DelayReason.BACKOFF)
        : Decisions.retry(delay, DelayReason.SERVER_DELAY);
  }

  /** Whether the time allows to wait for guards. */
  boolean allows(AdmissionTime opening, long remainingNanos) {
    return opening.known() && fits(opening.inNanos(), remainingNanos);
  }

  /** The wait for guards. */
  RetryDecision.Retry waitFor(AdmissionTime opening, long remainingNanos, LongSupplier random) {
    long ceiling = spreadCeiling(opening.spreadNanos(), opening.inNanos(), remainingNanos);
    long spread = ceiling == 0 ? 0 : Uniform.upTo(ceiling, random);
    return Decisions.retry(Durations.saturatedAdd(opening.inNanos(), spread), DelayReason.GUARD);
  }

  // The spread may use the room before the deadline and never makes an operation miss it.
  private long spreadCeiling(long wantedNanos, long delayNanos, long remainingNanos) {
    return remainingNanos == Long.MAX_VALUE
        ? wantedNanos
        : Math.max(0, Math.min(wantedNanos, remainingNanos - minimumAttempt - delayNanos));
  }

  /** Whether a delay and a minimal attempt end before the deadline. */
  boolean fits(long delayNanos, long remainingNanos) {
    return Durations.saturatedAdd(delayNanos, minimumAttempt) <= remainingNanos;
  }
}
