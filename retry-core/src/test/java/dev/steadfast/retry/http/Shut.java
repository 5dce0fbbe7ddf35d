package dev.steadfast.retry.http;

import dev.steadfast.retry.Guard;
import dev.steadfast.retry.OperationInfo;

/** A guard that admits nothing. */
final class Shut implements Guard {
  @Override
  public long admitsInNanos(OperationInfo operation, long nowNanos) {
    return NEVER;
  }

  @Override
  public Permit acquire(OperationInfo operation, long nowNanos) {
    throw new IllegalStateException("shut");
  }

  @Override
  public String toString() {
    return "shut for repairs";
  }
}
