package dev.steadfast.retry;

import dev.steadfast.retry.RetryBudget.Withdrawal;
import dev.steadfast.retry.engine.Outcome;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/** A budget that always pays. */
final class UnlimitedBudget implements RetryBudget, RetryBudget.Account {
  static final UnlimitedBudget INSTANCE = new UnlimitedBudget();

  private static final Withdrawal FREE = Withdrawal.of(0);

  private UnlimitedBudget() {}

  @Override
  public Account account(String origin) {
    return this;
  }

  @Override
  public Withdrawal tryWithdraw(FailureKind kind, long nowNanos) {
    return FREE;
  }

  @Override
  public void refund(Withdrawal withdrawal, long nowNanos) {}

  @Override
  public void operationEnded(Outcome outcome, @Nullable Withdrawal last, long nowNanos) {}

  @Override
  public OptionalDouble available(String origin, long nowNanos) {
    return available(nowNanos);
  }

  @Override
  public OptionalDouble available(long nowNanos) {
    return OptionalDouble.of(Double.POSITIVE_INFINITY);
  }

  @Override
  public String toString() {
    return "unlimited";
  }
}
