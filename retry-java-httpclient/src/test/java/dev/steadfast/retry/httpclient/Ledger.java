package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.Guard;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryBudget.Withdrawal;
import dev.steadfast.retry.engine.Outcome;
import java.util.concurrent.atomic.AtomicInteger;

/** A budget and a guard that count what has not been given back. */
final class Ledger implements RetryBudget, RetryBudget.Account, Guard {
  private final AtomicInteger operations = new AtomicInteger();
  private final AtomicInteger permits = new AtomicInteger();

  /** What is still open once everything has ended: {@code "0 operations, 0 permits"}. */
  String open() {
    return operations + " operations, " + permits + " permits";
  }

  /** Waits for a last step that another thread may still be taking, then tells what is open. */
  String settled() {
    long patience = System.nanoTime() + Bench.PATIENCE.toNanos();
    while (!open().equals("0 operations, 0 permits") && System.nanoTime() < patience) {
      Thread.onSpinWait();
    }
    return open();
  }

  @Override
  public Account account(String origin) {
    return this;
  }

  @Override
  public void operationBegan(long nowNanos) {
    operations.incrementAndGet();
  }

  @Override
  public Withdrawal tryWithdraw(FailureKind kind, long nowNanos) {
    return Withdrawal.of(1);
  }

  @Override
  public void refund(Withdrawal withdrawal, long nowNanos) {}

  @Override
  public void operationEnded(Outcome outcome, Withdrawal last, long nowNanos) {
    operations.decrementAndGet();
  }

  @Override
  public long admitsInNanos(OperationInfo operation, long nowNanos) {
    return 0;
  }

  @Override
  public Permit acquire(OperationInfo operation, long nowNanos) {
    permits.incrementAndGet();
    return new Permit() {
      @Override
      public void succeeded(long elapsedNanos) {
        permits.decrementAndGet();
      }

      @Override
      public void failed(Guard.Failure how, Throwable failure) {
        permits.decrementAndGet();
      }

      @Override
      public void released() {
        permits.decrementAndGet();
      }
    };
  }
}
