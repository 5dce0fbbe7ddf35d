package dev.steadfast.retry;

import dev.steadfast.retry.RetryBudget.Withdrawal;
import dev.steadfast.retry.internal.Checks;
import java.util.OptionalDouble;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Tokens that successes add, and time up to a rate (the floor); the balance is one long.
 *
 * <p>Tokens are counted in millionths, so 10,000 deposits of 0.1 are exactly 1,000 tokens. The mark
 * is the time up to which the floor was granted. It moves only by whole millionths, so that no
 * fraction is lost or granted twice.
 */
final class TokenAccount implements RetryBudget.Account {
  static final long ONE = 1_000_000;

  /** The settings that the accounts of a budget have in common. */
  record Terms(long depositMicros, long burstMicros, double floorNanosPerToken) {
    static Terms of(double ratio, int burst, double floorPerSecond) {
      Checks.within("ratio", ratio, 0, 10);
      Checks.within("burst", burst, 0, 1_000_000);
      Checks.within("floorPerSecond", floorPerSecond, 0, 1_000_000);
      return new Terms(
          Math.round(ratio * ONE),
          burst * ONE,
          floorPerSecond == 0 ? 0 : 1_000_000_000 / floorPerSecond);
    }
  }

  /** The time up to which the floor has been granted. */
  private record Mark(long nanos) {}

  private static final Withdrawal COST = Withdrawal.of(1);

  private final long depositMicros;
  private final long burstMicros;
  private final double nanosPerMicro; // 0 for no floor
  private final AtomicLong micros;
  // Null while the account is full from its start, and needs no floor.
  private final AtomicReference<@Nullable Mark> filledUntil = new AtomicReference<>();

  private final LatestTime asked;

  TokenAccount(Terms terms, boolean fresh, LatestTime asked) {
    this.asked = asked;
    this.depositMicros = terms.depositMicros();
    this.burstMicros = terms.burstMicros();
    this.nanosPerMicro = terms.floorNanosPerToken() / ONE;
    // Not fresh: the origin may have been known before, so it gets one retry and not a burst.
    this.micros = new AtomicLong(fresh ? burstMicros : Math.min(ONE, burstMicros));
  }

  @Override
  public void operationBegan(long nowNanos) {
    if (nanosPerMicro > 0 && filledUntil.get() == null && micros.get() < burstMicros) {
      filledUntil.compareAndSet(null, new Mark(nowNanos));
    }
  }

  @Override
  public Withdrawal tryWithdraw(FailureKind kind, long nowNanos) {
    asked.asked(nowNanos);
    refill(nowNanos);
    while (true) {
      long before = micros.get();
      if (before < ONE) {
        return Withdrawal.refused();
      }
      if (micros.compareAndSet(before, before - ONE)) {
        return COST;
      }
    }
  }

  @Override
  public void refund(Withdrawal withdrawal, long nowNanos) {
    add(withdrawal.cost() * ONE);
  }

  @Override
  public void operationEnded(
      RetryBudget.Outcome outcome, @Nullable Withdrawal last, long nowNanos) {
    if (outcome == RetryBudget.Outcome.SUCCEEDED) {
      add(depositMicros);
    }
  }

  @Override
  public OptionalDouble available(long nowNanos) {
    Mark until = filledUntil.get();
    long earned = 0;
    if (nanosPerMicro > 0 && until != null) {
      earned = (long) (Math.max(0, nowNanos - until.nanos()) / nanosPerMicro);
    }
    long room = Math.max(0, burstMicros - micros.get());
    return OptionalDouble.of((burstMicros - room + Math.min(room, earned)) / (double) ONE);
  }

  private void refill(long nowNanos) {
    if (nanosPerMicro == 0) {
      return;
    }
    Mark until = filledUntil.get();
    if (until == null) {
      filledUntil.compareAndSet(null, new Mark(nowNanos));
      return;
    }
    long elapsed = nowNanos - until.nanos();
    if (elapsed <= 0) {
      return;
    }
    long earned = (long) (elapsed / nanosPerMicro);
    if (earned <= 0) {
      return;
    }
    // Rounded up, so that no instant is granted twice. The thread that moves the mark grants it.
    Mark next = new Mark(until.nanos() + (long) Math.ceil(earned * nanosPerMicro));
    if (filledUntil.compareAndSet(until, next)) {
      add(earned);
    }
  }

  private void add(long amount) {
    long before = micros.get();
    while (before < burstMicros
        && !micros.compareAndSet(before, before + Math.min(amount, burstMicros - before))) {
      before = micros.get();
    }
  }

  @Override
  public String toString() {
    return micros.get() / (double) ONE + " tokens";
  }
}
