package dev.steadfast.retry.tck;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryBudget.Withdrawal;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A budget with a number of retries, which records how it is called: {@code took 1 UNAVAILABLE,
 * refused TIMEOUT, gave back, SUCCEEDED}.
 */
final class CountingBudget implements RetryBudget, RetryBudget.Account {
  private static final Withdrawal ONE = Withdrawal.of(1);

  private final List<String> events = new ArrayList<>();
  private int tokens;
  private int begun;
  private int ended;
  private int taken;

  CountingBudget(int tokens) {
    this.tokens = tokens;
  }

  @Override
  public Account account(String origin) {
    return this;
  }

  @Override
  public synchronized void operationBegan(long nowNanos) {
    begun++;
  }

  @Override
  public synchronized Withdrawal tryWithdraw(FailureKind kind, long nowNanos) {
    if (tokens == 0) {
      events.add("refused " + kind.name());
      return Withdrawal.refused();
    }
    tokens--;
    taken++;
    events.add("took 1 " + kind.name());
    return ONE;
  }

  @Override
  public synchronized void refund(Withdrawal withdrawal, long nowNanos) {
    tokens++;
    taken--;
    events.add("gave back");
  }

  @Override
  public synchronized void operationEnded(
      Outcome outcome, @Nullable Withdrawal last, long nowNanos) {
    ended++;
    events.add(outcome.name());
  }

  /** Forgets the calls before the row's own. */
  synchronized void arm() {
    events.clear();
    begun = 0;
    ended = 0;
    taken = 0;
  }

  synchronized String events() {
    return String.join(", ", events);
  }

  /** How many operations began; 0 if the row has a budget of its own. */
  synchronized int begun() {
    return begun;
  }

  synchronized int ended() {
    return ended;
  }

  /** How many retries have been paid for. */
  synchronized int taken() {
    return taken;
  }
}
