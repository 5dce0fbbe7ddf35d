package dev.steadfast.retry.engine;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryBudget.Withdrawal;
import org.jspecify.annotations.Nullable;

/**
 * The account of an inner layer, while a layer above does the accounting. It passes no events on.
 * The only withdrawal here is for the resend on a stale connection, which adds no load, and it is
 * refunded.
 */
record OuterLayerAccount(RetryBudget.Account account) implements RetryBudget.Account {
  /** The account that pays for the retries of an operation. */
  static RetryBudget.Account account(RetryPlan plan, String origin) {
    RetryBudget.Account account = plan.account(origin);
    CallContext around = plan.callContext();
    return around != null && around.funds(plan.budget()) ? new OuterLayerAccount(account) : account;
  }

  @Override
  public void attemptFailed(FailureKind kind, @Nullable Withdrawal last, long nowNanos) {
    giveBack(last, nowNanos);
  }

  @Override
  public Withdrawal tryWithdraw(FailureKind kind, long nowNanos) {
    return account.tryWithdraw(kind, nowNanos);
  }

  @Override
  public void refund(Withdrawal withdrawal, long nowNanos) {
    account.refund(withdrawal, nowNanos);
  }

  @Override
  public void operationEnded(
      RetryBudget.Outcome outcome, @Nullable Withdrawal last, long nowNanos) {
    giveBack(last, nowNanos);
  }

  private void giveBack(@Nullable Withdrawal last, long nowNanos) {
    if (last != null) {
      account.refund(last, nowNanos);
    }
  }
}
