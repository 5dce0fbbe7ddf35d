package dev.steadfast.retry.engine;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryBudget.Withdrawal;
import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.StopReason;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * The end of an operation, which an {@link OpenLoop} reports when it is closed and not after each
 * run. Confined like the loop.
 */
final class DeferredEnd {
  private @Nullable StopReason reason; // of the last run
  private @Nullable RetryReport report;
  private @Nullable LateAccount account;

  /** Keeps how a run ended. */
  void keep(StopReason reason, @Nullable RetryReport report) {
    this.reason = reason;
    this.report = report;
  }

  /** Why the last run ended, null if there was none. */
  @Nullable StopReason reason() {
    return reason;
  }

  /** The report of the last run, null if nobody needs one. */
  @Nullable RetryReport report() {
    return report;
  }

  /** The account of the operation. */
  RetryBudget.Account keepingEnd(RetryBudget.Account paying) {
    LateAccount made = new LateAccount(paying);
    account = made;
    return made;
  }

  /** Another run begins. */
  void again(long nowNanos) {
    LateAccount kept = account;
    if (kept != null) {
      kept.again(nowNanos);
    }
  }

  /** Tells the budget of the end. */
  void tellBudget(long nowNanos) {
    LateAccount kept = account;
    if (kept != null) {
      kept.close(nowNanos);
    }
  }

  /** An account that learns of the end of the last run alone. */
  private static final class LateAccount implements RetryBudget.Account {
    private final RetryBudget.Account paying;
    private RetryBudget.@Nullable Outcome outcome; // of the last run, null while one runs
    private @Nullable Withdrawal last;

    LateAccount(RetryBudget.Account paying) {
      this.paying = paying;
    }

    // The permits and tokens of the last retry must be settled before another one can hold
    // something.
    void again(long nowNanos) {
      outcome = null;
      Withdrawal held = last;
      if (held != null) {
        last = null;
        paying.operationEnded(RetryBudget.Outcome.UNKNOWN, held, nowNanos);
        paying.operationBegan(nowNanos);
      }
    }

    void close(long nowNanos) {
      RetryBudget.Outcome ended = outcome;
      if (ended != null) {
        outcome = null;
        paying.operationEnded(ended, last, nowNanos);
      }
    }

    @Override
    public void operationBegan(long nowNanos) {
      paying.operationBegan(nowNanos);
    }

    @Override
    public void attemptFailed(FailureKind kind, @Nullable Withdrawal spent, long nowNanos) {
      paying.attemptFailed(kind, spent, nowNanos);
    }

    @Override
    public Withdrawal tryWithdraw(FailureKind kind, long nowNanos) {
      return paying.tryWithdraw(kind, nowNanos);
    }

    @Override
    public void refund(Withdrawal withdrawal, long nowNanos) {
      paying.refund(withdrawal, nowNanos);
    }

    @Override
    public void operationEnded(
        RetryBudget.Outcome how, @Nullable Withdrawal unspent, long nowNanos) {
      outcome = how;
      last = unspent;
    }

    @Override
    public OptionalDouble available(long nowNanos) {
      return paying.available(nowNanos);
    }
  }
}
