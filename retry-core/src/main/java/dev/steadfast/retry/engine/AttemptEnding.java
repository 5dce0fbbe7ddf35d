package dev.steadfast.retry.engine;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.Guard;

/**
 * When an attempt ended, for its guards.
 *
 * @param elapsedNanos how long it took
 * @param nowNanos the time
 * @param leftNanos what is left until the deadline, beyond the shortest attempt
 * @param mayTakeNanos the longest that an attempt may take by itself
 */
record AttemptEnding(long elapsedNanos, long nowNanos, long leftNanos, long mayTakeNanos) {

  /** The end of the attempt that runs. */
  static AttemptEnding of(RetryPlan plan, RetryState state, OperationRecord record, long nowNanos) {
    long left = state.remainingNanos(nowNanos) - plan.nanos().minimumAttempt();
    long may = plan.nanos().longestAttempt(state.ownTimeoutNanos(state.attempts()));
    return new AttemptEnding(record.attemptNanos(nowNanos), nowNanos, left, may);
  }

  Guard.Failure failure(FailureKind kind, Disposition disposition) {
    return new Guard.Failure(kind, isConclusive(kind, disposition), elapsedNanos, nowNanos);
  }

  /**
   * Whether it tells how long the server takes. A timeout does not if the request had not been sent
   * yet, or if the deadline came before half of the time that the attempt may take by itself.
   */
  private boolean isConclusive(FailureKind kind, Disposition disposition) {
    if (kind != FailureKind.TIMEOUT) {
      return true;
    }
    boolean ownTimeout = leftNanos > 0;
    return disposition != Disposition.UNSENT && (ownTimeout || elapsedNanos >= mayTakeNanos / 2);
  }
}
