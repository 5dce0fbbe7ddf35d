package dev.steadfast.retry.engine;

import dev.steadfast.retry.RetryScheduler;
import org.jspecify.annotations.Nullable;

/**
 * The deadline that was set for one operation, by its options or by the scope that it is made in:
 * it holds while the caller reads the body, too. For authors of adapters. Immutable.
 */
public final class BodyDeadline {
  private final RetryPlan plan;
  private final long endNanos;

  private BodyDeadline(RetryPlan plan, long nanos) {
    this.plan = plan;
    this.endNanos = nowNanos() + nanos;
  }

  /**
   * The deadline of an operation that begins now.
   *
   * @param plan the plan of the operation
   * @param boundNanos what its options leave it; {@link Long#MAX_VALUE} if they say nothing
   * @return null if neither they nor the scope that it is made in set one
   */
  public static @Nullable BodyDeadline of(RetryPlan plan, long boundNanos) {
    CallContext scope = plan.callContext();
    long nanos = scope == null ? boundNanos : Math.min(boundNanos, scope.remainingNanos());
    return nanos == Long.MAX_VALUE ? null : new BodyDeadline(plan, nanos);
  }

  private long nowNanos() {
    return plan.environment().ticker().getAsLong();
  }

  /** {@return the time that is left, in nanoseconds; 0 if it is over} */
  public long leftNanos() {
    return Math.max(0, endNanos - nowNanos());
  }

  /**
   * Runs something at the deadline.
   *
   * @param end what to run; it must not block
   * @return a handle that cancels it
   * @throws java.util.concurrent.RejectedExecutionException if there is no thread for timers
   */
  public RetryScheduler.Task schedule(Runnable end) {
    return plan.timers().schedule(leftNanos(), end);
  }
}
