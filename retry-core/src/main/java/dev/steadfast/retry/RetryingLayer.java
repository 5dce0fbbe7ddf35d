package dev.steadfast.retry;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The surroundings of work that a {@link Retrier} calls: it retries, so what is within does not.
 */
record RetryingLayer(RetryBudget budget, @Nullable Surroundings outer) implements Surroundings {
  @Override
  public boolean doNotRetry() {
    return true;
  }

  @Override
  public long remainingNanos() {
    return outer == null ? Long.MAX_VALUE : outer.remainingNanos();
  }

  @Override
  public boolean funds(RetryBudget other) {
    return other.equals(budget) || (outer != null && outer.funds(other));
  }

  @Override
  public @Nullable String deriveKey(String name, Supplier<String> fingerprint) {
    return outer == null ? null : outer.deriveKey(name, fingerprint);
  }

  // The layer tells when it gives up in its turn; if it may not retry, it has no turn.
  @Override
  public void gaveUp(StopReason reason) {
    if (outer != null && outer.doNotRetry()) {
      outer.gaveUp(reason);
    }
  }

  @Override
  public @Nullable Surroundings beyond() {
    return outer == null ? null : outer.beyond();
  }
}
