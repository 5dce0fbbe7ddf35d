package dev.steadfast.retry;

import dev.steadfast.retry.RetryBudget.Withdrawal;
import dev.steadfast.retry.internal.Checks;
import dev.steadfast.retry.internal.Durations;
import java.time.Duration;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Request-funded tokens that expire, as Finagle counts them: within any ttl, retries cost no more
 * than that ttl's deposits and the reserve.
 *
 * <p>The unit is a thousandth of a first try: a deposit is 1,000, a retry costs 1,000 / ratio. The
 * ttl is a ring of ten slices, each with its deposits less its withdrawals; the ring is immutable
 * and replaced as a whole, so a withdrawal is decided on a balance that was true.
 */
final class LeakyAccount implements RetryBudget.Account {
  private static final int SLICES = 10;
  private static final long DEPOSIT = 1_000;
  // A much smaller ratio would make a retry so dear that the reserve overflows a long.
  private static final double SMALLEST_RATIO = 1e-6;

  /** The settings that the accounts of a budget have in common. */
  record Leak(long deposit, long costOfRetry, long reserve, long sliceNanos) {
    static Leak of(double ratio, int minPerSecond, Duration ttl) {
      Checks.within("ratio", ratio, 0, 1_000);
      Checks.within("minPerSecond", minPerSecond, 0, 1_000_000);
      Checks.notNull("ttl", ttl);
      if (ttl.compareTo(Duration.ofSeconds(1)) < 0 || ttl.compareTo(Duration.ofSeconds(60)) > 0) {
        throw Checks.bad("ttl", Durations.print(ttl), "1 to 60 seconds");
      }
      // The reserve alone pays, at its own unit, if first tries have no share.
      boolean deposits = ratio >= SMALLEST_RATIO;
      long cost = deposits ? Math.max(1, Math.round(DEPOSIT / ratio)) : DEPOSIT;
      long reserve = Math.round(minPerSecond * (ttl.toNanos() / 1e9)) * cost;
      return new Leak(deposits ? DEPOSIT : 0, cost, reserve, ttl.toNanos() / SLICES);
    }
  }

  /** The deposits and withdrawals of the last ttl. Immutable. */
  private static final class Ring {
    private final long startNanos; // of the current slice
    private final int current;
    private final long[] slices;
    // The amounts taken in each slice; a separate object, so that a refund can find its slice.
    private final @Nullable Withdrawal[] taken;

    Ring(long startNanos, int current, long[] slices, @Nullable Withdrawal[] taken) {
      this.startNanos = startNanos;
      this.current = current;
      this.slices = slices;
      this.taken = taken;
    }

    static Ring first(long nowNanos, long cost) {
      @Nullable Withdrawal[] taken = new Withdrawal[SLICES];
      taken[0] = Withdrawal.of(cost);
      return new Ring(nowNanos, 0, new long[SLICES], taken);
    }

    /** The ring at a later time; an earlier time changes nothing. */
    Ring at(long nowNanos, long sliceNanos, long cost) {
      long steps = (nowNanos - startNanos) / sliceNanos;
      if (steps <= 0) {
        return this;
      }
      long[] turned = slices.clone();
      @Nullable Withdrawal[] turnedTaken = taken.clone();
      for (long step = 1; step <= Math.min(steps, SLICES); step++) {
        turned[slot(step)] = 0;
        turnedTaken[slot(step)] = null;
      }
      turnedTaken[slot(steps)] = Withdrawal.of(cost);
      return new Ring(startNanos + steps * sliceNanos, slot(steps), turned, turnedTaken);
    }

    private int slot(long later) {
      return (int) ((current + later) % SLICES);
    }

    Ring plus(long amount) {
      return plus(amount, current);
    }

    private Ring plus(long amount, int slot) {
      long[] changed = slices.clone();
      changed[slot] += amount;
      return new Ring(startNanos, current, changed, taken);
    }

    Withdrawal taken() {
      return Objects.requireNonNull(taken[current]);
    }

    /** Undoes a withdrawal in the slice of its time; one that has left the ring has expired. */
    Ring without(Withdrawal withdrawal) {
      for (int slot = 0; slot < SLICES; slot++) {
        if (withdrawal.equals(taken[slot])) {
          return plus(withdrawal.cost(), slot);
        }
      }
      return this;
    }

    long sum() {
      long sum = 0;
      for (long slice : slices) {
        sum += slice;
      }
      return sum;
    }
  }

  private final Leak leak;
  private final long start; // what the reserve has paid already
  private final AtomicReference<@Nullable Ring> ring = new AtomicReference<>();

  private final LatestTime asked;

  LeakyAccount(Leak leak, boolean fresh, LatestTime asked) {
    this.asked = asked;
    this.leak = leak;
    this.start = fresh ? 0 : -Math.max(0, leak.reserve() - leak.costOfRetry()); // one retry
  }

  @Override
  public void operationBegan(long nowNanos) {
    if (leak.deposit() > 0) {
      add(leak.deposit(), nowNanos);
    }
  }

  @Override
  public Withdrawal tryWithdraw(FailureKind kind, long nowNanos) {
    asked.asked(nowNanos);
    while (true) {
      Ring before = ring.get();
      Ring now = at(before, nowNanos);
      if (leak.reserve() + now.sum() < leak.costOfRetry()) {
        return Withdrawal.refused();
      }
      if (ring.compareAndSet(before, now.plus(-leak.costOfRetry()))) {
        return now.taken();
      }
    }
  }

  @Override
  public void refund(Withdrawal withdrawal, long nowNanos) {
    Ring before;
    do {
      before = ring.get();
    } while (!ring.compareAndSet(before, at(before, nowNanos).without(withdrawal)));
  }

  @Override
  public void operationEnded(
      RetryBudget.Outcome outcome, @Nullable Withdrawal last, long nowNanos) {}

  @Override
  public OptionalDouble available(long nowNanos) {
    long left = leak.reserve() + at(ring.get(), nowNanos).sum();
    return OptionalDouble.of(Math.max(0, left) / (double) leak.costOfRetry());
  }

  private void add(long amount, long nowNanos) {
    Ring before;
    do {
      before = ring.get();
    } while (!ring.compareAndSet(before, at(before, nowNanos).plus(amount)));
  }

  private Ring at(@Nullable Ring before, long nowNanos) {
    return before == null
        ? Ring.first(nowNanos, leak.costOfRetry()).plus(start)
        : before.at(nowNanos, leak.sliceNanos(), leak.costOfRetry());
  }

  @Override
  public String toString() {
    return "leaky account at " + leak.costOfRetry() + " per retry";
  }
}
