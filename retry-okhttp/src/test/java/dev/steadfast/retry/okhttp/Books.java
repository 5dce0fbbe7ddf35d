package dev.steadfast.retry.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.Guard;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryBudget.Withdrawal;
import dev.steadfast.retry.engine.Outcome;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A budget and a guard that count, and lose nothing. Safe for use by many threads. */
final class Books implements Guard, RetryBudget, RetryBudget.Account {
  final AtomicInteger acquired = new AtomicInteger();
  final AtomicInteger succeeded = new AtomicInteger();
  final AtomicInteger failed = new AtomicInteger();
  final AtomicInteger released = new AtomicInteger();
  final AtomicInteger began = new AtomicInteger();
  final AtomicInteger withdrawn = new AtomicInteger();
  final AtomicInteger refunded = new AtomicInteger();
  final AtomicInteger endedSucceeded = new AtomicInteger();
  final AtomicInteger endedFailed = new AtomicInteger();
  final AtomicInteger endedUnknown = new AtomicInteger();

  private volatile boolean refusing; // at the acquisition
  private volatile boolean known; // before the wait, too
  private volatile boolean broke;

  void refuse(boolean knownBefore) {
    refusing = true;
    known = knownBefore;
  }

  @Override
  public long admitsInNanos(OperationInfo operation, long nowNanos) {
    return known ? NEVER : 0;
  }

  @Override
  public Permit acquire(OperationInfo operation, long nowNanos) {
    if (refusing) {
      throw new IllegalStateException("breaker is open");
    }
    acquired.incrementAndGet();
    return new Permit() {
      @Override
      public void succeeded(long elapsedNanos) {
        succeeded.incrementAndGet();
      }

      @Override
      public void failed(Guard.Failure how, Throwable failure) {
        failed.incrementAndGet();
      }

      @Override
      public void released() {
        released.incrementAndGet();
      }
    };
  }

  /** How many permits are held. */
  int held() {
    return acquired.get() - succeeded.get() - failed.get() - released.get();
  }

  @Override
  public Account account(String origin) {
    return this;
  }

  @Override
  public void operationBegan(long nowNanos) {
    began.incrementAndGet();
  }

  @Override
  public Withdrawal tryWithdraw(FailureKind kind, long nowNanos) {
    if (broke) {
      return Withdrawal.refused();
    }
    withdrawn.incrementAndGet();
    return Withdrawal.of(1);
  }

  @Override
  public void refund(Withdrawal withdrawal, long nowNanos) {
    refunded.incrementAndGet();
  }

  @Override
  public void operationEnded(Outcome outcome, @Nullable Withdrawal last, long nowNanos) {
    (switch (outcome) {
          case SUCCEEDED -> endedSucceeded;
          case FAILED -> endedFailed;
          case UNKNOWN -> endedUnknown;
        })
        .incrementAndGet();
  }

  int ended() {
    return endedSucceeded.get() + endedFailed.get() + endedUnknown.get();
  }

  /** Each attempt answered its permit; each operation that began has ended. */
  void assertBalanced() {
    assertEquals(0, held(), "permits held");
    assertEquals(began.get(), ended(), "operations that ended");
  }
}
