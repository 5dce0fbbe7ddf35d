package dev.steadfast.retry.limit;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.Guard;
import dev.steadfast.retry.OperationInfo;
import org.jspecify.annotations.Nullable;

/**
 * The time at which an operation may send its next attempt, or the attempt that it has sent: then
 * it is the permit of that attempt. All fields that change are guarded by the lock of the account.
 */
final class Turn implements Guard.Permit {
  /** How an attempt ended. */
  enum Ending {
    /** It costs what its answer said, or nothing. */
    OVER,
    /** The attempt got no answer: it may have cost a unit. */
    LOST,
    /** Cancelled: the next one need not keep its distance from it. */
    RELEASED,
    /** It was not sent. */
    UNSENT
  }

  /** The account that the turn belongs to. */
  interface Account {
    /** Gives up a turn that has not come. */
    void withdraw(Turn turn);

    /** The attempt is over. */
    void end(Turn attempt, Ending how);
  }

  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  private final Account account;
  private final OperationInfo operation;

  // Its place among those who came, while it waits; then its number among the attempts.
  final long number;

  final long atNanos; // when it is due; if it runs, when it was sent
  final boolean runs;
  boolean over;
  boolean answered; // with quotas
  @Nullable Long beforeNanos; // when the attempt before it was sent

  // Its place in the line, and what is known of the turns below it.
  int size;
  int priced; // those of which the caller has said what they cost
  long units; // and how much that is
  @Nullable Turn left;
  @Nullable Turn right;

  private Turn(Account account, OperationInfo operation, long number, long atNanos, boolean runs) {
    this.account = account;
    this.operation = operation;
    this.number = number;
    this.atNanos = atNanos;
    this.runs = runs;
  }

  /** A turn that is still to come. */
  static Turn due(Account account, OperationInfo operation, long number, long atNanos) {
    return new Turn(account, operation, number, atNanos, false);
  }

  /** An attempt that is sent now. */
  static Turn running(Account account, OperationInfo operation, long number, long nowNanos) {
    return new Turn(account, operation, number, nowNanos, true);
  }

  // Mixes consecutive numbers into pseudo-random ones, so that the tree stays flat.
  long priority() {
    long mixed = number * GOLDEN;
    mixed = (mixed ^ (mixed >>> 32)) * GOLDEN;
    return mixed ^ (mixed >>> 29);
  }

  OperationInfo operation() {
    return operation;
  }

  /** Whether its attempt may be sent, or was. */
  boolean runs() {
    return runs;
  }

  long leftNanos(long nowNanos) {
    return Math.max(1, atNanos - nowNanos);
  }

  boolean of(Account other) {
    return account.equals(other);
  }

  /** The order in which turns are due. */
  int compare(Turn other) {
    long difference = atNanos - other.atNanos;
    return difference == 0 ? Long.compare(number, other.number) : Long.signum(difference);
  }

  /** Gives up a turn that has not come. */
  void withdraw() {
    account.withdraw(this);
  }

  @Override
  public void succeeded(long elapsedNanos) {
    account.end(this, Ending.OVER);
  }

  @Override
  public void failed(Guard.Failure how, Throwable failure) {
    FailureKind kind = how.kind();
    boolean lost = kind == FailureKind.TIMEOUT || kind == FailureKind.CONNECTION_LOST;
    account.end(this, lost ? Ending.LOST : Ending.OVER);
  }

  @Override
  public void released() {
    account.end(this, Ending.RELEASED);
  }

  @Override
  public void unsent() {
    account.end(this, Ending.UNSENT);
  }
}
