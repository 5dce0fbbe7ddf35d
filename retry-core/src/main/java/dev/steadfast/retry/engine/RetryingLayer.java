package dev.steadfast.retry.engine;

import dev.steadfast.retry.Retrier;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.StopReason;
import org.jspecify.annotations.Nullable;

/**
 * The context of work that a {@link Retrier} calls: it retries, so what is within does not.
 *
 * <p>Not a record: the JDK's cache for the generated {@code equals} keeps the class loader.
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

  // Nothing to pass on here: the layer tells those above it when it gives up itself.
  @Override
  public void gaveUp(StopReason reason) {
    if (outer != null && outer.doNotRetry()) {
      outer.gaveUp(reason);
    }
  }
}
