package dev.steadfast.retry.scope;

import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.engine.CallContext;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The limits that a scope imposes on the operations within it. */
final class InboundContext implements CallContext {
  private final RetryScope scope;
  private final @Nullable CallContext around;
  private final boolean doNotRetry;
  private final RetryEnvironment environment;
  private final long untilNanos;
  private final boolean bounded;
  private final InboundContext beyond;

  InboundContext(RetryScope scope, @Nullable CallContext around, Limits limits) {
    this.scope = scope;
    this.around = around;
    this.doNotRetry = limits.doNotRetry();
    this.environment = limits.environment();
    this.bounded = limits.remainingNanos() != Long.MAX_VALUE;
    this.untilNanos = environment.ticker().getAsLong() + limits.remainingNanos(); // may wrap
    CallContext beyondAround = around == null ? null : around.beyond();
    this.beyond =
        Objects.equals(around, beyondAround) ? this : new InboundContext(this, beyondAround);
  }

  /** The same scope, without the mark of a retrying layer around it. */
  private InboundContext(InboundContext within, @Nullable CallContext beyondAround) {
    this.scope = within.scope;
    this.around = beyondAround;
    this.doNotRetry = within.doNotRetry;
    this.environment = within.environment;
    this.bounded = within.bounded;
    this.untilNanos = within.untilNanos;
    this.beyond = this;
  }

  /** The limits that the inbound request names. */
  record Limits(boolean doNotRetry, long remainingNanos, RetryEnvironment environment) {}

  RetryScope scope() {
    return scope;
  }

  @Override
  public @Nullable CallContext around() {
    return around;
  }

  @Override
  public boolean doNotRetry() {
    return doNotRetry || CallContext.super.doNotRetry();
  }

  @Override
  public long remainingNanos() {
    long above = CallContext.super.remainingNanos();
    if (!bounded) {
      return above;
    }
    return Math.min(above, Math.max(0, untilNanos - environment.ticker().getAsLong()));
  }

  @Override
  public @Nullable String deriveKey(String name, Supplier<String> fingerprint) {
    DerivedKeys keys = scope.derivedKeys();
    if (keys != null) {
      return keys.derive(name, fingerprint);
    }
    // A principal's scope without a key derives none; it does not use the key of a scope around it.
    return scope.ofPrincipal() ? null : CallContext.super.deriveKey(name, fingerprint);
  }

  @Override
  public String principal() {
    String own = scope.principal();
    return own == null ? CallContext.super.principal() : own;
  }

  @Override
  public void gaveUp(StopReason reason) {
    scope.noteGaveUp();
    CallContext.super.gaveUp(reason);
  }

  @Override
  public CallContext beyond() {
    return beyond;
  }
}
