package dev.steadfast.retry.http;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryBudget.Withdrawal;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * Makes retries after a 429 or an overload free, and lets another budget pay for all others. The
 * limiter that answers 429 bounds the load itself. The gate lets one attempt pass at a time in an
 * overload.
 *
 * @param paying pays for the others
 */
record ThrottlingFreeBudget(RetryBudget paying) implements RetryBudget {
  private static final Withdrawal NOTHING = Withdrawal.of(0);

  @Override
  public Account account(String origin) {
    return new Balance(paying.account(origin));
  }

  @Override
  public OptionalDouble available(String origin, long nowNanos) {
    return paying.available(origin, nowNanos);
  }

  /** The balance of one origin, kept by the other budget. */
  private record Balance(Account paying) implements Account {
    @Override
    public void operationBegan(long nowNanos) {
      paying.operationBegan(nowNanos);
    }

    @Override
    public void attemptFailed(FailureKind kind, @Nullable Withdrawal last, long nowNanos) {
      paying.attemptFailed(kind, paid(last), nowNanos);
    }

    @Override
    public Withdrawal tryWithdraw(FailureKind kind, long nowNanos) {
      return kind == FailureKind.THROTTLED ? NOTHING : paying.tryWithdraw(kind, nowNanos);
    }

    @Override
    public void refund(Withdrawal withdrawal, long nowNanos) {
      Withdrawal taken = paid(withdrawal);
      if (taken != null) {
        paying.refund(taken, nowNanos);
      }
    }

    @Override
    public void operationEnded(Outcome outcome, @Nullable Withdrawal last, long nowNanos) {
      paying.operationEnded(outcome, paid(last), nowNanos);
    }

    @Override
    public OptionalDouble available(long nowNanos) {
      return paying.available(nowNanos);
    }

    private static @Nullable Withdrawal paid(@Nullable Withdrawal taken) {
      return taken == null || taken.cost() == 0 ? null : taken;
    }
  }

  @Override
  public String toString() {
    return paying + ", nothing after 429 and overload";
  }
}
