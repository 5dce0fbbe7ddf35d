package dev.steadfast.retry.http;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryBudget.Withdrawal;
import org.jspecify.annotations.Nullable;

/** The account of a budget that is empty. */
final class NoTokens implements RetryBudget.Account {
  @Override
  public Withdrawal tryWithdraw(FailureKind kind, long nowNanos) {
    return Withdrawal.refused();
  }

  @Override
  public void refund(Withdrawal withdrawal, long nowNanos) {}

  @Override
  public void operationEnded(
      RetryBudget.Outcome outcome, @Nullable Withdrawal last, long nowNanos) {}
}
