package dev.steadfast.retry.journal.dbscheduler;

import dev.steadfast.retry.Guard;
import dev.steadfast.retry.OperationInfo;

/** An open circuit breaker. */
final class RefusingGuard implements Guard {
  @Override
  public long admitsInNanos(OperationInfo operation, long nowNanos) {
    return NEVER;
  }

  @Override
  public Permit acquire(OperationInfo operation, long nowNanos) {
    throw new IllegalStateException("open");
  }
}
