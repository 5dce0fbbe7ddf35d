package dev.steadfast.retry.engine;

import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.Verdict;
import java.util.function.LongSupplier;

/** The decisions of one operation, in words, for the tests of what it is made of. */
public final class Decided {
  private final RetryState state;

  public Decided(RetryPolicy policy, RetryBudget.Account budget, LongSupplier random) {
    state = RetryState.of(policy, budget, random);
    state.begin(0, Long.MAX_VALUE);
  }

  /** Makes an attempt, and decides what follows it: {@code retry 5 BACKOFF}, {@code DEADLINE}. */
  public String attempt(Verdict verdict, long nowNanos) {
    state.startAttempt();
    RetryDecision decision = state.next(Outcomes.of(verdict), nowNanos);
    return decision instanceof RetryDecision.Retry retry
        ? "retry " + retry.delayNanos() + " " + retry.why().name()
        : ((RetryDecision.Stop) decision).reason().name();
  }

  public void abandon(StopReason reason) {
    state.abandon(reason, 0);
  }
}
