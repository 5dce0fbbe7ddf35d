package dev.steadfast.retry;

import dev.steadfast.retry.RetryBudget.Withdrawal;
import dev.steadfast.retry.internal.Checks;
import java.util.OptionalDouble;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The retry throttle of gRFC A6; tokens in thousandths, the precision of its ratio. */
final class ThrottleAccount implements RetryBudget.Account {
  private static final long ONE = 1_000;
  private static final Withdrawal FREE = Withdrawal.of(0); // the failure has paid

  /** The settings that the accounts of a budget have in common. */
  record Scale(long maxMillis, long ratioMillis) {
    static Scale of(int maxTokens, double tokenRatio) {
      Checks.within("maxTokens", maxTokens, 1, 1_000);
      Checks.within("tokenRatio", tokenRatio, 0.001, 1_000);
      // Decimals beyond the third are cut, not rounded; the addend undoes the rounding of binary
      // fractions.
      return new Scale(maxTokens * ONE, (long) (tokenRatio * ONE + 1e-9));
    }

    long afterReturn() {
      return Math.min(maxMillis, maxMillis / 2 + ONE + 1);
    }
  }

  private final Scale scale;
  private final LatestTime asked;
  private final AtomicLong millis;

  ThrottleAccount(Scale scale, boolean fresh, LatestTime asked) {
    this.asked = asked;
    this.scale = scale;
    // Not fresh: enough for one retry. Its failure takes a token, and more than half must be left.
    this.millis = new AtomicLong(fresh ? scale.maxMillis() : scale.afterReturn());
  }

  @Override
  public void attemptFailed(FailureKind kind, @Nullable Withdrawal last, long nowNanos) {
    millis.updateAndGet(before -> Math.max(0, before - ONE));
  }

  @Override
  public Withdrawal tryWithdraw(FailureKind kind, long nowNanos) {
    asked.asked(nowNanos);
    return millis.get() > scale.maxMillis() / 2 ? FREE : Withdrawal.refused();
  }

  @Override
  public void refund(Withdrawal withdrawal, long nowNanos) {}

  @Override
  public void operationEnded(
      RetryBudget.Outcome outcome, @Nullable Withdrawal last, long nowNanos) {
    if (outcome == RetryBudget.Outcome.SUCCEEDED && millis.get() < scale.maxMillis()) {
      millis.updateAndGet(before -> Math.min(scale.maxMillis(), before + scale.ratioMillis()));
    }
  }

  // The failure before each retry takes a token, and a retry needs more than half of the tokens. So
  // the answer is the number of tokens above one half.
  @Override
  public OptionalDouble available(long nowNanos) {
    return OptionalDouble.of(Math.max(0, millis.get() - scale.maxMillis() / 2 - 1) / (double) ONE);
  }

  long millis() {
    return millis.get();
  }

  @Override
  public String toString() {
    return millis.get() / (double) ONE + " tokens";
  }
}
