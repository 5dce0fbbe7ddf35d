package dev.steadfast.retry.engine;

import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.internal.Durations;

/**
 * A policy, and its times in nanoseconds, converted once. {@link Long#MAX_VALUE} stands for no
 * bound.
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

  long bodyIdle() {
    return bodyIdle;
  }

  long minimumAttempt() {
    return minimumAttempt;
  }

  long maxServerDelay() {
    return maxServerDelay;
  }
}
