package dev.steadfast.retry.engine;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryBudget.Withdrawal;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An account with a number of tokens, which records how it is called. */
final class LoggedAccount implements RetryBudget.Account {
  private final List<String> log = new ArrayList<>();
  private int tokens;
  private int withdrawals;

  LoggedAccount(int tokens) {
    this.tokens = tokens;
  }

  int tokens() {
    return tokens;
  }

  /** How many retries were paid for. */
  int withdrawals() {
    return withdrawals;
  }

  String log() {
    return String.join(", ", log);
  }

  @Override
  public void operationBegan(long nowNanos) {
    log.add("began");
  }

  @Override
  public void attemptFailed(FailureKind kind, @Nullable Withdrawal last, long nowNanos) {
    log.add("failed " + kind + " " + number(last));
  }

  // The first withdrawal costs 1, the second 2, and so on, so that a log tells which one it was.
  @Override
  public Withdrawal tryWithdraw(FailureKind kind, long nowNanos) {
    if (tokens == 0) {
      log.add("refused " + kind);
      return Withdrawal.refused();
    }
    tokens--;
    withdrawals++;
    log.add("withdrew " + kind + " #" + withdrawals);
    return Withdrawal.of(withdrawals);
  }

  @Override
  public void refund(Withdrawal withdrawal, long nowNanos) {
    tokens++;
    log.add("refunded " + number(withdrawal));
  }

  @Override
  public void operationEnded(
      RetryBudget.Outcome outcome, @Nullable Withdrawal last, long nowNanos) {
    log.add("ended " + outcome + " " + number(last));
  }

  private static String number(@Nullable Withdrawal withdrawal) {
    return withdrawal == null ? "-" : "#" + withdrawal.cost();
  }
}
