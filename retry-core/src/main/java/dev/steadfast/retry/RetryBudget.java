package dev.steadfast.retry;

import org.jspecify.annotations.Nullable;

/**
 * What bounds retries across operations: it pays for each retry, and runs dry when most operations
 * fail, which is when retrying would hurt most.
 *
 * <p>Jitter spreads load in time; only a budget bounds it. A refusal is final at once: the caller
 * gets the last real answer, no wait is begun.
 *
 * <p>Budgets are shared by operations and safe for use by many threads. Share one object between
 * clients to give them one budget.
 *
 * @see <a href="https://sre.google/sre-book/handling-overload/">Handling Overload, Site Reliability
 *     Engineering, O'Reilly 2016</a>
 */
@FunctionalInterface
public interface RetryBudget {

  /**
   * The account that pays for operations to an origin.
   *
   * @param origin scheme, host and port, as in {@code https://api.example.com:443}
   * @return an account; the same one for equal origins as long as the budget remembers them
   */
  Account account(String origin);

  /**
   * No bound at all. Dangerous: when a server fails, its clients multiply their load by the number
   * of attempts for as long as the failure lasts.
   *
   * @return a budget that always pays
   */
  static RetryBudget unlimited() {
    return UnlimitedBudget.INSTANCE;
  }

  /**
   * The default: each success to an origin deposits {@code ratio} of a retry, up to 10; in addition
   * one retry per second is granted up to that limit, so that a quiet client can retry too. A new
   * origin starts with 10.
   *
   * @param ratio retries earned per success, 0 to 10; 0.1 lets retries add a tenth to the load
   * @return a budget with an account per origin
   * @throws IllegalArgumentException if the ratio is out of its range or NaN
   */
  static RetryBudget perOrigin(double ratio) {
    return new OriginBudget(ratio);
  }

  /**
   * The balance of one origin. All times are those of the environment's ticker.
   *
   * <p>The methods are called in this order for an operation: {@link #operationBegan} once; for
   * each failed attempt {@link #attemptFailed}, and where a retry is wanted {@link #tryWithdraw};
   * {@link #refund} if the retry that was paid for was not started after all; {@link
   * #operationEnded} once.
   */
  interface Account {
    /**
     * An operation began: a request-funded budget deposits here, a concurrency-limited one counts.
     *
     * @param nowNanos the time
     */
    default void operationBegan(long nowNanos) {}

    /**
     * An attempt failed in a way that could be retried; gRPC's throttle takes a token here.
     *
     * @param kind what went wrong
     * @param last what this attempt had taken; null for the first attempt
     * @param nowNanos the time
     */
    default void attemptFailed(FailureKind kind, @Nullable Withdrawal last, long nowNanos) {}

    /**
     * Asks for one retry.
     *
     * @param kind what the retry is for
     * @param nowNanos the time
     * @return what was taken, or {@link Withdrawal#refused()}
     */
    Withdrawal tryWithdraw(FailureKind kind, long nowNanos);

    /**
     * Gives back what was taken for a retry that did not start.
     *
     * @param withdrawal what {@link #tryWithdraw} returned
     * @param nowNanos the time
     */
    void refund(Withdrawal withdrawal, long nowNanos);

    /**
     * The operation is over.
     *
     * @param outcome how it ended
     * @param last what its last attempt had taken and did not give back; null if nothing
     * @param nowNanos the time
     */
    void operationEnded(Outcome outcome, @Nullable Withdrawal last, long nowNanos);
  }

  /** How an operation ended, as far as a budget cares. */
  enum Outcome {
    /** The server gave an answer that was accepted. */
    SUCCEEDED,
    /** The last attempt failed. */
    FAILED,
    /** Nothing was learned about the server: cancelled, refused before sending, or from a cache. */
    UNKNOWN
  }
}
