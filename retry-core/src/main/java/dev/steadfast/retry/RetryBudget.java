package dev.steadfast.retry;

import dev.steadfast.retry.internal.Checks;
import dev.steadfast.retry.internal.Durations;
import java.time.Duration;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * Bounds retries across operations: each retry is paid for from the budget. When most operations
 * fail, the budget is used up and retries stop, because then they would hurt the server most.
 *
 * <pre>{@code
 * RetryBudget budget = RetryBudget.perOrigin(0.1); // the default: a retry for every ten successes
 * HttpRetry payments = HttpRetry.builder().budget(budget).build();
 * HttpRetry refunds = HttpRetry.builder().budget(budget).build(); // spends from the same tokens
 * }</pre>
 *
 * <p>Jitter spreads load in time; only a budget bounds it. A refusal is final at once: the caller
 * gets the last real answer, and no wait is begun.
 *
 * <p>Budgets are shared by operations and safe for use by many threads. Share one object between
 * clients to give them one budget.
 *
 * @see <a href="https://sre.google/sre-book/handling-overload/">Handling Overload, Site Reliability
 *     Engineering, O'Reilly 2016</a>
 */
@FunctionalInterface
public interface RetryBudget {
  // Why it is like this: docs/decisions/defaults.md

  /**
   * The account that pays for operations to an origin.
   *
   * @param origin scheme, host and port, as in {@code https://api.example.com:443}
   * @return an account; the same one for equal origins as long as the budget remembers them
   */
  Account account(String origin);

  /**
   * How many retries to an origin the budget would pay for now. Asking changes nothing and opens no
   * account.
   *
   * @param origin scheme, host and port
   * @param nowNanos the time, from the ticker of the environment in which the operations run
   * @return retries, 0 or more, with fractions; infinity for a budget without a bound. Empty if the
   *     budget has no account of this origin, or does not know; the default implementation does not
   */
  default OptionalDouble available(String origin, long nowNanos) {
    return OptionalDouble.empty();
  }

  /**
   * {@return a budget that always pays} Dangerous: when a server fails, its clients multiply their
   * load by the number of attempts for as long as the failure lasts.
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
    TokenAccount.Terms terms = TokenAccount.Terms.of(ratio, 10, 1);
    return new OriginBudget(
        (fresh, asked) -> new TokenAccount(terms, fresh, asked), "perOrigin(" + ratio + ")");
  }

  /**
   * An account of tokens per origin. Each success adds a part of a token, and each retry takes one.
   * Clients of a stalled server, simulated, recover about as fast as without retries if the floor
   * is 0. A floor adds load while the server recovers.
   *
   * @param ratio retries earned per success, 0 to 10; millionths count
   * @param burst the most tokens that are kept, and what a new origin starts with, 0 to 1,000,000
   * @param floorPerSecond retries that are granted per second in addition, up to the burst, so that
   *     a quiet client can retry too; 0 to 1,000,000
   * @return a budget
   * @throws IllegalArgumentException if an argument is out of its range or NaN
   */
  static RetryBudget successFunded(double ratio, int burst, double floorPerSecond) {
    TokenAccount.Terms terms = TokenAccount.Terms.of(ratio, burst, floorPerSecond);
    return new OriginBudget(
        (fresh, asked) -> new TokenAccount(terms, fresh, asked),
        "successFunded(" + ratio + ", burst " + burst + ", " + floorPerSecond + "/s)");
  }

  /**
   * Request-funded, as in Finagle and Linkerd: each first attempt adds {@code ratio} of a retry,
   * which expires after {@code ttl}. There is also a reserve of {@code minPerSecond} times the ttl.
   * Retries go on at the ratio in an outage, so above {@code 1 / (1 + ratio)} of the server's
   * capacity an overload does not end by itself. Prefer {@link #successFunded}.
   *
   * @param ratio retries per first try, 0 to 1,000; less than a millionth counts as 0
   * @param minPerSecond retries per second that are always granted, 0 to 1,000,000
   * @param ttl how long a deposit lasts, 1 to 60 seconds
   * @return a budget
   * @throws IllegalArgumentException if an argument is out of its range or NaN
   */
  static RetryBudget requestFunded(double ratio, int minPerSecond, Duration ttl) {
    LeakyAccount.Leak leak = LeakyAccount.Leak.of(ratio, minPerSecond, ttl);
    return new OriginBudget(
        (fresh, asked) -> new LeakyAccount(leak, fresh, asked),
        "requestFunded(" + ratio + ", " + minPerSecond + "/s, " + Durations.print(ttl) + ")");
  }

  /**
   * The throttle of gRFC A6: a failure takes a token, a success gives {@code tokenRatio}, and
   * retries are made only while more than half of the tokens are there.
   *
   * @param maxTokens the most tokens, and the start, 1 to 1,000
   * @param tokenRatio what a success gives, 0.001 to 1,000; three decimals count
   * @return a budget
   * @throws IllegalArgumentException if an argument is out of its range or NaN
   */
  static RetryBudget grpcThrottle(int maxTokens, double tokenRatio) {
    ThrottleAccount.Scale scale = ThrottleAccount.Scale.of(maxTokens, tokenRatio);
    return new OriginBudget(
        (fresh, asked) -> new ThrottleAccount(scale, fresh, asked),
        "grpcThrottle(" + maxTokens + ", " + tokenRatio + ")");
  }

  /**
   * {@return the quota of the AWS SDKs in their behaviour 2.1: 500 tokens, 14 per retry, 5 after
   * throttling} A success returns the cost of its last retry, or 1 without one.
   */
  static RetryBudget awsQuota() {
    return awsQuota(500, 14, 5);
  }

  /**
   * The quota of the AWS SDKs with other numbers; 500, 5, 5 is behaviour 2.0.
   *
   * @param capacity the most tokens, and the start, 1 to 1,000,000
   * @param cost what a retry takes, 1 to the capacity
   * @param throttledCost what a retry after {@link FailureKind#THROTTLED} takes, 1 to the capacity
   * @return a budget
   * @throws IllegalArgumentException if an argument is out of its range
   */
  static RetryBudget awsQuota(int capacity, int cost, int throttledCost) {
    QuotaAccount.Prices prices = QuotaAccount.Prices.of(capacity, cost, throttledCost);
    return new OriginBudget(
        (fresh, asked) -> new QuotaAccount(prices, fresh, asked),
        "awsQuota(" + capacity + ", " + cost + ", " + throttledCost + ")");
  }

  /**
   * Bounds the retries that run or wait at one time, as Envoy does: to a share of the operations
   * under way, but no less than a minimum.
   *
   * @param share retries per operation under way, 0 to 1
   * @param minimum retries that are always allowed at one time, 0 to 1,000,000
   * @return a budget
   * @throws IllegalArgumentException if an argument is out of its range or NaN
   */
  static RetryBudget concurrent(double share, int minimum) {
    ConcurrencyAccount.Share bounds = ConcurrencyAccount.Share.of(share, minimum);
    return new OriginBudget(
        (fresh, asked) -> new ConcurrencyAccount(bounds),
        "concurrent(" + share + ", " + minimum + ")");
  }

  /** {@return the same budget with one account for all origins: a budget per client} */
  default RetryBudget acrossOrigins() {
    Account one = account("*");
    return new SharedBudget(one, this + " across origins");
  }

  /**
   * Both budgets must pay for a retry; both learn of everything.
   *
   * @param other the second budget to ask
   * @return the combination
   */
  default RetryBudget and(RetryBudget other) {
    return new BothBudgets(this, Checks.notNull("other", other));
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
     * An attempt failed in a way that could be retried; gRPC's throttle takes a token here, a
     * concurrency-limited budget gives back the place that the attempt held.
     *
     * @param kind what went wrong
     * @param last what was withdrawn for this attempt, now spent; null for the first attempt
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
     * The operation is over; AWS's quota returns the last cost here after a success.
     *
     * @param outcome how it ended
     * @param last what was withdrawn for its last attempt, unless {@link #attemptFailed} already
     *     got it; null if nothing
     * @param nowNanos the time; may be the time at which the operation began, if its first attempt
     *     succeeded
     */
    void operationEnded(Outcome outcome, @Nullable Withdrawal last, long nowNanos);

    /**
     * How many retries the account would pay for now, one after the other. Asking changes nothing.
     *
     * @param nowNanos the time
     * @return retries, 0 or more, with fractions; infinity for an account without a bound. Empty if
     *     the account does not know; the default implementation does not
     */
    default OptionalDouble available(long nowNanos) {
      return OptionalDouble.empty();
    }
  }

  /**
   * How an operation ended, as far as a budget cares.
   *
   * <p>A later version may add values, so a switch over them needs a default.
   */
  enum Outcome {
    /** The server gave an answer that was accepted. */
    SUCCEEDED,
    /** The last attempt failed. */
    FAILED,
    /** Nothing was learned about the server: cancelled, refused before sending, or from a cache. */
    UNKNOWN
  }

  /**
   * The amount that a retry took from a budget. Immutable.
   *
   * <p>A budget should make its withdrawals once and hand out the same objects, so that asking
   * allocates nothing.
   */
  final class Withdrawal {
    private static final Withdrawal REFUSED = new Withdrawal(0, false, null, null);

    private final long cost;
    private final boolean granted;
    // The amount that each of two combined budgets took, so that each gets back its own.
    private final @Nullable Withdrawal first;
    private final @Nullable Withdrawal second;

    private Withdrawal(
        long cost, boolean granted, @Nullable Withdrawal first, @Nullable Withdrawal second) {
      this.cost = cost;
      this.granted = granted;
      this.first = first;
      this.second = second;
    }

    static Withdrawal of(Withdrawal first, Withdrawal second) {
      return new Withdrawal(first.cost + second.cost, true, first, second);
    }

    @Nullable Withdrawal first() {
      return first;
    }

    @Nullable Withdrawal second() {
      return second;
    }

    /** {@return the shared withdrawal of a budget that does not pay for the retry} */
    public static Withdrawal refused() {
      return REFUSED;
    }

    /**
     * The budget pays.
     *
     * @param cost what was taken, in the budget's own unit; 0 or more
     * @return a withdrawal
     * @throws IllegalArgumentException if the cost is negative
     */
    public static Withdrawal of(long cost) {
      if (cost >= 0) {
        return new Withdrawal(cost, true, null, null);
      }
      throw Checks.bad("cost", cost, ">= 0");
    }

    /** {@return whether the retry may be made} */
    public boolean granted() {
      return granted;
    }

    /** {@return the amount that was taken, in the budget's own unit} */
    public long cost() {
      return cost;
    }

    @Override
    public String toString() {
      return granted ? "Withdrawal(" + cost + ")" : "Withdrawal(refused)";
    }
  }
}
