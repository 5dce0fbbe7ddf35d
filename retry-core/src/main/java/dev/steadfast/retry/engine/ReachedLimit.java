package dev.steadfast.retry.engine;

import dev.steadfast.retry.TimeLimit;
import org.jspecify.annotations.Nullable;

/** Which time limit has ended an attempt or its operation. */
final class ReachedLimit {
  // The time that a client, which rounds times, may take for nothing.
  private static final long ROUNDED_NANOS = 1_000_000;

  private ReachedLimit() {}

  /**
   * The limit of the operation that has been reached, null if none has.
   *
   * @param bodyNanos how much longer the total timeout is, because bodies were sent; {@link
   *     Long#MAX_VALUE} if it does not run
   */
  static @Nullable TimeUp of(Operation<?> operation, long bodyNanos, long nowNanos) {
    RetryState state = operation.state();
    if (state.cutByCaller(nowNanos)) {
      return new TimeUp(TimeLimit.SCOPE_DEADLINE, Long.MAX_VALUE);
    }
    if (isOver(operation, state.remainingBoundNanos(nowNanos))) {
      return new TimeUp(operation.transport().boundLimit(), Long.MAX_VALUE);
    }
    boolean runs = bodyNanos != Long.MAX_VALUE;
    return runs && isOver(operation, state.remainingTotalNanos(nowNanos - bodyNanos))
        ? new TimeUp(TimeLimit.TOTAL_TIMEOUT, operation.plan().nanos().total())
        : null;
  }

  static boolean isOver(Operation<?> operation, long leftNanos) {
    long least = Math.max(operation.plan().nanos().minimumAttempt(), ROUNDED_NANOS);
    return leftNanos <= 0 || leftNanos < least;
  }
}
