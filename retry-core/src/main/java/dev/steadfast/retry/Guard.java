package dev.steadfast.retry;

import java.util.List;

/**
 * A breaker, a bulkhead, a limit or a gate that attempts pass through. Implementations are shared
 * by operations and safe for use by many threads.
 *
 * <p>A guard counts attempts, not operations: it is asked before a wait is begun, so that a refusal
 * which is already known ends the operation while its last answer is still whole, and acquired when
 * the attempt leaves the client's own queue. No permit is held during a wait. Every permit is
 * answered: one of its methods is called, once.
 *
 * <p>A guard need not read a clock: it gets the time as monotonic nanoseconds, of which only
 * differences have a meaning.
 */
public interface Guard {

  /** The value that {@link #admitsInNanos} returns for an attempt that need not be waited for. */
  long NEVER = Long.MAX_VALUE;

  /**
   * How long from now an attempt would be refused; takes no permit. Asked before a wait is begun,
   * and after a refusal.
   *
   * @param operation the operation
   * @param nowNanos the time
   * @return 0 if nothing speaks against an attempt now; nanoseconds if the operation may wait for
   *     it; {@link #NEVER} if a refusal is known and not worth waiting for
   */
  long admitsInNanos(OperationInfo operation, long nowNanos);

  /**
   * The time, from {@link #admitsInNanos} on, over which the operations that wait for this guard
   * are to be spread, so that they do not come all at once. The library draws from it, and never
   * spreads an operation past its deadline. Asked after {@link #admitsInNanos}, where that is more
   * than 0.
   *
   * @param operation the operation
   * @param nowNanos the time
   * @return nanoseconds, 0 by default
   */
  default long spreadNanos(OperationInfo operation, long nowNanos) {
    return 0;
  }

  /**
   * Admits an attempt, or throws.
   *
   * @param operation the operation
   * @param nowNanos the time
   * @return the permit, to be answered once
   * @throws RuntimeException if the attempt is refused; it becomes the cause of the {@link
   *     AttemptRefusedException} that the caller gets, unless the operation waits
   */
  Permit acquire(OperationInfo operation, long nowNanos);

  /**
   * Tells that an operation makes no further attempt, so that a guard can drop what it keeps for
   * the operation. Called once for each operation, after all its permits are answered. Does nothing
   * by default.
   *
   * @param operation the operation
   */
  default void operationEnded(OperationInfo operation) {}

  /**
   * {@return whether attempts that never end would harm this guard, because their permits are never
   * given back; false by default} If so, a client refuses to be wrapped if nothing bounds its
   * attempts.
   */
  default boolean requiresAttemptTimeout() {
    return false;
  }

  /**
   * {@return whether this guard learns from the quotas that answers tell of; false by default: then
   * {@link #learn} is not called} Asked once, when the guard is added to a configuration.
   */
  default boolean learnsQuotas() {
    return false;
  }

  /**
   * Learns from an answer of the operation's own origin. Called before the permit of its attempt is
   * answered. Does nothing by default.
   *
   * @param operation the operation that was answered
   * @param quotas what the headers of the answer say about quotas; perhaps none
   * @param headNanos when the head of the answer came
   */
  default void learn(OperationInfo operation, List<Quota> quotas, long headNanos) {}

  /**
   * The permit that an admitted attempt holds until its response head, its failure or its
   * cancellation.
   */
  interface Permit {
    /**
     * {@return the shared permit that holds nothing, for operations that a guard does not bound}
     */
    static Permit none() {
      return NoPermit.NONE;
    }

    /**
     * The server answered, in a way that says nothing bad about its health.
     *
     * @param elapsedNanos how long the attempt took, in nanoseconds
     */
    void succeeded(long elapsedNanos);

    /**
     * The attempt failed in a way that a breaker counts.
     *
     * @param how what is known of the failure
     * @param failure what went wrong; for an answer an {@link UnsuccessfulAttemptException}
     */
    void failed(Failure how, Throwable failure);

    /** Nothing was learned: cancelled, not started, or a failure that is not the server's. */
    void released();

    /**
     * The attempt was not made, because another guard refused it. Guards that count attempts which
     * may have reached the server use it. Calls {@link #released()} by default.
     */
    default void unsent() {
      released();
    }
  }

  /**
   * How an admitted attempt failed. Immutable.
   *
   * @param kind what went wrong
   * @param conclusive whether it tells how long the server takes: false for a timeout before the
   *     request was sent, or by the deadline of the operation before half of the attempt's own
   *     timeout was over
   * @param elapsedNanos how long the attempt took, in nanoseconds
   * @param nowNanos the time
   */
  record Failure(FailureKind kind, boolean conclusive, long elapsedNanos, long nowNanos) {}
}
