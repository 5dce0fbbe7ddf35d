package dev.steadfast.retry.engine;

import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.StopReason;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * The decisions of one operation, for simulations that make no attempts. It lies in the package of
 * the machine, which users do not see.
 */
public final class Decider {
  private final RetryState state;
  private Optional<StopReason> end = Optional.empty();

  private Decider(RetryState state) {
    this.state = state;
  }

  /** An operation without guards that begins now. */
  public static Decider begin(
      RetryPolicy policy, RetryBudget.Account budget, LongSupplier random, long nowNanos) {
    Decider decider = new Decider(RetryState.of(policy, budget, random));
    decider.state.begin(nowNanos, Long.MAX_VALUE);
    return decider;
  }

  /** Counts an attempt that starts now, and returns its number, from 1. */
  public int startAttempt() {
    return state.startAttempt();
  }

  /** The most time that the latest attempt may take. */
  public long timeoutNanos(long nowNanos) {
    return Math.min(state.ownTimeoutNanos(state.attempts()), state.remainingNanos(nowNanos));
  }

  /** Decides what follows an attempt, and returns the wait before the next one; 0 at the end. */
  public long next(Outcome outcome, long nowNanos) {
    RetryDecision decision = state.next(outcome, nowNanos);
    if (decision instanceof RetryDecision.Retry retry) {
      return retry.delayNanos();
    }
    end = Optional.of(((RetryDecision.Stop) decision).reason());
    return 0;
  }

  /** Why no attempt follows; empty as long as one does. */
  public Optional<StopReason> end() {
    return end;
  }
}
