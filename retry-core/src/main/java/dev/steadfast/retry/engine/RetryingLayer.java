package dev.steadfast.retry.engine;

import dev.steadfast.retry.Retrier;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.StopReason;
import org.jspecify.annotations.Nullable;

/**
 * The context within a layer that retries, such as a {@link Retrier}: operations in it do not.
 *
 * <p>Not a record: the JDK's cache for the generated {@code equals} keeps the class loader alive.
 */
final class RetryingLayer implements CallContext {
  private final RetryBudget budget;
  private final @Nullable CallContext outer;

  RetryingLayer(RetryBudget budget, @Nullable CallContext outer) {
    this.budget = budget;
    this.outer = outer;
  }

  @Override
  public @Nullable CallContext around() {
    return outer;
  }

  @Override
  public boolean doNotRetry() {
    return true;
  }

  @Override
  public boolean funds(RetryBudget other) {
    return other.equals(budget) || CallContext.super.funds(other);
  }

  // A layer that retries tells of its own end instead. One that may not retry passes this on.
  @Override
  public void gaveUp(StopReason reason) {
    if (outer != null && outer.doNotRetry()) {
      outer.gaveUp(reason);
    }
  }
}
