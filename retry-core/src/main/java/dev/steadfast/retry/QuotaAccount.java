package dev.steadfast.retry;

import dev.steadfast.retry.RetryBudget.Withdrawal;
import dev.steadfast.retry.internal.Checks;
import java.util.OptionalDouble;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The retry quota of the AWS SDKs' standard mode. */
final class QuotaAccount implements RetryBudget.Account {
  /** The settings that the accounts of a budget have in common. */
  record Prices(int capacity, Withdrawal cost, Withdrawal throttledCost) {
    static Prices of(int capacity, int cost, int throttledCost) {
      Checks.within("capacity", capacity, 1, 1_000_000);
      Checks.within("cost", cost, 1, capacity);
      Checks.within("throttledCost", throttledCost, 1, capacity);
      return new Prices(capacity, Withdrawal.of(cost), Withdrawal.of(throttledCost));
    }
  }

  private final Prices prices;
  private final LatestTime asked;
  private final AtomicInteger available;

  QuotaAccount(Prices prices, boolean fresh, LatestTime asked) {
    // Not fresh: one retry. The quota has no floor, so without it an origin might never retry.
    this(prices, fresh ? prices.capacity() : (int) prices.cost().cost(), asked);
  }

  QuotaAccount(Prices prices, int available, LatestTime asked) {
    this.asked = asked;
    this.prices = prices;
    this.available = new AtomicInteger(available);
  }

  @Override
  public Withdrawal tryWithdraw(FailureKind kind, long nowNanos) {
    asked.asked(nowNanos);
    Withdrawal price = kind == FailureKind.THROTTLED ? prices.throttledCost() : prices.cost();
    while (true) {
      int before = available.get();
      if (before < price.cost()) {
        return Withdrawal.refused();
      }
      if (available.compareAndSet(before, before - (int) price.cost())) {
        return price;
      }
    }
  }

  @Override
  public void refund(Withdrawal withdrawal, long nowNanos) {
    add((int) withdrawal.cost());
  }

  @Override
  public void operationEnded(
      RetryBudget.Outcome outcome, @Nullable Withdrawal last, long nowNanos) {
    if (outcome == RetryBudget.Outcome.SUCCEEDED) {
      add(last == null ? 1 : (int) last.cost());
    }
  }

  private void add(int amount) {
    int before = available.get();
    while (before < prices.capacity()
        && !available.compareAndSet(before, Math.min(prices.capacity(), before + amount))) {
      before = available.get();
    }
  }

  // Counts at the usual cost, although a retry after throttling may have another.
  @Override
  public OptionalDouble available(long nowNanos) {
    return OptionalDouble.of(available.get() / (double) prices.cost().cost());
  }

  int available() {
    return available.get();
  }

  @Override
  public String toString() {
    return available.get() + " of " + prices.capacity();
  }
}
