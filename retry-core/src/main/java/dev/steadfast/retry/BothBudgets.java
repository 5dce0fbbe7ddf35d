package dev.steadfast.retry;

import dev.steadfast.retry.RetryBudget.Withdrawal;
import dev.steadfast.retry.engine.Outcome;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * Two budgets that must both pay.
 *
 * <p>{@code equals} and {@code hashCode} are written out, as the JDK's cache for the generated ones
 * keeps the class loader alive.
 */
record BothBudgets(RetryBudget first, RetryBudget second) implements RetryBudget {
  @Override
  public Account account(String origin) {
    return new Both(first.account(origin), second.account(origin));
  }

  @Override
  public OptionalDouble available(String origin, long nowNanos) {
    return least(
        first.available(origin, nowNanos).orElse(Double.NaN),
        second.available(origin, nowNanos).orElse(Double.NaN));
  }

  private static OptionalDouble least(double one, double two) {
    double least = Math.min(one, two);
    return Double.isNaN(least) ? OptionalDouble.empty() : OptionalDouble.of(least);
  }

  private record Both(Account first, Account second) implements Account {
    @Override
    public void operationBegan(long nowNanos) {
      first.operationBegan(nowNanos);
      second.operationBegan(nowNanos);
    }

    @Override
    public void attemptFailed(FailureKind kind, @Nullable Withdrawal last, long nowNanos) {
      first.attemptFailed(kind, firstOf(last), nowNanos);
      second.attemptFailed(kind, secondOf(last), nowNanos);
    }

    @Override
    public Withdrawal tryWithdraw(FailureKind kind, long nowNanos) {
      Withdrawal one = first.tryWithdraw(kind, nowNanos);
      if (!one.granted()) {
        return one;
      }
      Withdrawal two = second.tryWithdraw(kind, nowNanos);
      if (!two.granted()) {
        first.refund(one, nowNanos);
        return two;
      }
      return Withdrawal.of(one, two);
    }

    @Override
    public void refund(Withdrawal withdrawal, long nowNanos) {
      Withdrawal one = firstOf(withdrawal);
      Withdrawal two = secondOf(withdrawal);
      if (one != null && two != null) {
        first.refund(one, nowNanos);
        second.refund(two, nowNanos);
      }
    }

    @Override
    public void operationEnded(Outcome outcome, @Nullable Withdrawal last, long nowNanos) {
      first.operationEnded(outcome, firstOf(last), nowNanos);
      second.operationEnded(outcome, secondOf(last), nowNanos);
    }

    @Override
    public OptionalDouble available(long nowNanos) {
      return least(
          first.available(nowNanos).orElse(Double.NaN),
          second.available(nowNanos).orElse(Double.NaN));
    }

    private static @Nullable Withdrawal firstOf(@Nullable Withdrawal both) {
      return both == null ? null : both.first();
    }

    private static @Nullable Withdrawal secondOf(@Nullable Withdrawal both) {
      return both == null ? null : both.second();
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof BothBudgets that
        && first.equals(that.first)
        && second.equals(that.second);
  }

  @Override
  public int hashCode() {
    return 31 * first.hashCode() + second.hashCode();
  }

  @Override
  public String toString() {
    return first + " and " + second;
  }
}
