package dev.steadfast.retry.engine;

import dev.steadfast.retry.Retrier;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.StopReason;
import java.util.function.Supplier;
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

  @Override
  public String principal() {
    return outer == null ? "" : outer.principal();
  }

  // Nothing to pass on here: the layer tells those above it when it gives up itself.
  @Override
  public void gaveUp(StopReason reason) {
    if (outer != null && outer.doNotRetry()) {
      outer.gaveUp(reason);
    }
  }

  @Override
  public @Nullable CallContext beyond() {
    return outer == null ? null : outer.beyond();
  }
}
