package dev.steadfast.retry.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryBudget.Withdrawal;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A budget of one account that counts tokens and operations. */
final class CountingBudget implements RetryBudget, RetryBudget.Account {
  private static final Withdrawal ONE = Withdrawal.of(1);

  private final AtomicInteger tokens;
  private final AtomicInteger taken = new AtomicInteger();
  private final AtomicInteger began = new AtomicInteger();
  private final AtomicInteger ended = new AtomicInteger();
  private volatile RetryBudget.@Nullable Outcome outcome;

  CountingBudget(int tokens) {
    this.tokens = new AtomicInteger(tokens);
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
    if (tokens.getAndUpdate(each -> Math.max(0, each - 1)) == 0) {
      return Withdrawal.refused();
    }
    taken.incrementAndGet();
    return ONE;
  }

  @Override
  public void refund(Withdrawal withdrawal, long nowNanos) {
    tokens.incrementAndGet();
    taken.decrementAndGet();
  }

  @Override
  public void operationEnded(Outcome outcome, @Nullable Withdrawal last, long nowNanos) {
    ended.incrementAndGet();
    this.outcome = outcome;
  }

  RetryBudget.@Nullable Outcome outcome() {
    return outcome;
  }

  /** Each retry that was started was paid for, and nothing else; the operations are over. */
  void verify(int retriesStarted) {
    assertEquals(retriesStarted, taken.get(), "tokens kept");
    assertEquals(began.get(), ended.get(), "operations over");
  }
}
