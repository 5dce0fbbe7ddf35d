package dev.steadfast.retry;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * Request-funded tokens that expire: a ring of ten slices of the ttl, each with what was deposited
 * and not withdrawn in it, and a reserve that never expires but is spent last and refills with
 * time.
 *
 * <p>The unit is a thousandth of a first try, as in Finagle: a deposit is 1,000, a retry costs
 * 1,000 / ratio.
 */
final class LeakyAccount implements RetryBudget.Account {
  private static final int SLICES = 10;
  private static final long DEPOSIT = 1_000;

  /** What the accounts of a budget have in common. */
  record Terms(long costOfRetry, long reserve, long sliceNanos, boolean deposits) {
    static Terms of(double ratio, int minPerSecond, Duration ttl) {
      Checks.within("ratio", ratio, 0, 1_000);
      Checks.within("minPerSecond", minPerSecond, 0, 1_000_000);
      Checks.notNull("ttl", ttl);
      if (ttl.compareTo(Duration.ofSeconds(1)) < 0 || ttl.compareTo(Duration.ofSeconds(60)) > 0) {
        throw Checks.bad("ttl", ttl, "1 to 60 seconds");
      }
      // Without a share for first tries only the reserve pays, at its own unit.
      long cost = ratio == 0 ? DEPOSIT : Math.max(1, Math.round(DEPOSIT / ratio));
      long reserve = Math.round(minPerSecond * (ttl.toNanos() / 1e9)) * cost;
      return new Terms(cost, reserve, ttl.toNanos() / SLICES, ratio > 0);
    }
  }

  private final Terms terms;
  private final Withdrawal cost;
  private final AtomicLongArray slices = new AtomicLongArray(SLICES);
  private final AtomicLong currentSlice = new AtomicLong(Long.MIN_VALUE);
  // The reserve as a slice of its own: what was taken from it comes back after the ttl.
  private final AtomicLongArray takenFromReserve = new AtomicLongArray(SLICES);

  LeakyAccount(Terms terms) {
    this.terms = terms;
    this.cost = Withdrawal.of(terms.costOfRetry());
  }

  @Override
  public void operationBegan(long nowNanos) {
    if (terms.deposits()) {
      slices.addAndGet(slot(turnTo(nowNanos)), DEPOSIT);
    }
  }

  @Override
  public Withdrawal tryWithdraw(FailureKind kind, long nowNanos) {
    int slot = slot(turnTo(nowNanos));
    long price = terms.costOfRetry();
    long owed = price;
    // The oldest first: what would expire next is spent next.
    for (int age = SLICES - 1; age >= 0 && owed > 0; age--) {
      owed -= takeUpTo(owed, Math.floorMod(slot - age, SLICES));
    }
    if (owed == 0 || takeFromReserve(owed, slot)) {
      return cost;
    }
    slices.addAndGet(slot, price - owed);
    return Withdrawal.refused();
  }

  private long takeUpTo(long wanted, int slot) {
    while (true) {
      long before = slices.get(slot);
      long taken = Math.min(wanted, Math.max(0, before));
      if (taken == 0 || slices.compareAndSet(slot, before, before - taken)) {
        return taken;
      }
    }
  }

  private boolean takeFromReserve(long amount, int slot) {
    takenFromReserve.addAndGet(slot, amount);
    long taken = 0;
    for (int i = 0; i < SLICES; i++) {
      taken += takenFromReserve.get(i);
    }
    if (taken <= terms.reserve()) {
      return true;
    }
    takenFromReserve.addAndGet(slot, -amount);
    return false;
  }

  @Override
  public void refund(Withdrawal withdrawal, long nowNanos) {
    slices.addAndGet(slot(turnTo(nowNanos)), withdrawal.cost());
  }

  @Override
  public void operationEnded(
      RetryBudget.Outcome outcome, @Nullable Withdrawal last, long nowNanos) {}

  /** Empties the slices that time has passed; whoever moves the mark empties them. */
  private long turnTo(long nowNanos) {
    long now = Math.floorDiv(nowNanos, terms.sliceNanos());
    long before = currentSlice.get();
    while (before < now) {
      if (currentSlice.compareAndSet(before, now)) {
        long steps = before == Long.MIN_VALUE ? 0 : Math.min(SLICES, now - before);
        for (long step = 0; step < steps; step++) {
          int slot = slot(now - step);
          slices.set(slot, 0);
          takenFromReserve.set(slot, 0);
        }
        return now;
      }
      before = currentSlice.get();
    }
    return before;
  }

  private static int slot(long slice) {
    return Math.floorMod(slice, SLICES);
  }

  /** The retries that it would pay for now. */
  long balance(long nowNanos) {
    turnTo(nowNanos);
    long sum = terms.reserve();
    for (int i = 0; i < SLICES; i++) {
      sum += slices.get(i) - takenFromReserve.get(i);
    }
    return sum / terms.costOfRetry();
  }

  @Override
  public String toString() {
    return "leaky account at " + terms.costOfRetry() + " per retry";
  }
}
