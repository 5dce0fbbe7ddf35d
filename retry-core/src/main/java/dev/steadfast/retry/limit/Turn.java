package dev.steadfast.retry.limit;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.Guard;
import dev.steadfast.retry.OperationInfo;
import org.jspecify.annotations.Nullable;

/**
 * The time at which an operation may send its next attempt. Once the attempt is sent, it is the
 * permit of that attempt. All fields that change are guarded by the lock of the account.
 */
final class Turn implements Guard.Permit {
  /** How an attempt ended. */
  enum Ending {
    /** It costs what its answer said, or nothing. */
    OVER,
    /** Without an answer: it may have cost a unit. */
    LOST,
    /** It may not have been sent, so the next one need not keep its distance from it. */
    RELEASED
  }

  private final PacedAccount account;
  private final OperationInfo operation;
  private final long order;

  long atNanos; // when it is due; once it runs, when it was sent
  int here; // the quotas in whose present window it is due, a bit for each
  boolean runs;
  boolean over;
  boolean answered; // with quotas
  @Nullable Long beforeNanos; // when the attempt before it was sent

  Turn(PacedAccount account, OperationInfo operation, long order, long atNanos) {
    this.account = account;
    this.operation = operation;
    this.order = order;
    this.atNanos = atNanos;
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

  boolean of(PacedAccount other) {
    return account.equals(other);
  }

  /** The order in which turns are due. */
  int compare(Turn other) {
    long difference = atNanos - other.atNanos;
    return difference == 0 ? Long.compare(order, other.order) : Long.signum(difference);
  }

  /** Gives up a turn that has not come. */
  void withdraw() {
    account.withdraw(this);
  }

  @Override
  public void succeeded(long elapsedNanos) {
    account.end(this, Ending.OVER);
  }

  /** Without the kind of failure it is not known whether the server counted the attempt. */
  @Override
  public void failed(long elapsedNanos, Throwable failure) {
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
}
