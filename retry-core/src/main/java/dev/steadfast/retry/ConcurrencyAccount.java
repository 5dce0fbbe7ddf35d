package dev.steadfast.retry;

import dev.steadfast.retry.RetryBudget.Withdrawal;
import dev.steadfast.retry.internal.Checks;
import java.util.OptionalDouble;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the retries under way to max(minimum, share of the operations under way). Both counts
 * share one long, so that a retry is decided on counts of the same moment.
 */
final class ConcurrencyAccount implements RetryBudget.Account {
  private static final long OPERATION = 1L << 32;
  private static final Withdrawal PLACE = Withdrawal.of(1);

  /** The settings that the accounts of a budget have in common. */
  record Share(double share, int minimum) {
    static Share of(double share, int minimum) {
      Checks.within("share", share, 0, 1);
      Checks.within("minimum", minimum, 0, 1_000_000);
      return new Share(share, minimum);
    }

    long most(long operations) {
      // The small addend undoes the rounding of binary fractions: 0.29 of 100 is 29.
      return Math.max(minimum, (long) (share * operations + 1e-9));
    }
  }

  private final Share bounds;
  private final AtomicLong counts = new AtomicLong(); // operations << 32 | retries

  ConcurrencyAccount(Share bounds) {
    this.bounds = bounds;
  }

  @Override
  public void operationBegan(long nowNanos) {
    counts.addAndGet(OPERATION);
  }

  @Override
  public void attemptFailed(FailureKind kind, @Nullable Withdrawal last, long nowNanos) {
    giveBack(last);
  }

  @Override
  public Withdrawal tryWithdraw(FailureKind kind, long nowNanos) {
    while (true) {
      long before = counts.get();
      long retries = before & (OPERATION - 1);
      if (retries >= bounds.most(before >>> 32)) {
        return Withdrawal.refused();
      }
      if (counts.compareAndSet(before, before + 1)) {
        return PLACE;
      }
    }
  }

  @Override
  public void refund(Withdrawal withdrawal, long nowNanos) {
    giveBack(withdrawal);
  }

  @Override
  public void operationEnded(
      RetryBudget.Outcome outcome, @Nullable Withdrawal last, long nowNanos) {
    giveBack(last);
    counts.addAndGet(-OPERATION);
  }

  private void giveBack(@Nullable Withdrawal last) {
    if (last != null) {
      counts.decrementAndGet();
    }
  }

  @Override
  public OptionalDouble available(long nowNanos) {
    long now = counts.get();
    long left = bounds.most(now >>> 32) - (now & (OPERATION - 1));
    return OptionalDouble.of((double) Math.max(0, left));
  }

  boolean idle() {
    return counts.get() == 0;
  }

  long retries() {
    return counts.get() & (OPERATION - 1);
  }

  long operations() {
    return counts.get() >>> 32;
  }

  @Override
  public String toString() {
    return retries() + " retries of " + operations() + " operations";
  }
}
