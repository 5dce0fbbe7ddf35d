package dev.steadfast.retry.internal;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices configurations that are built again and again, each with the default budget of its own:
 * each budget begins with retries to spend, so together they bound nothing. Safe for use by many
 * threads.
 */
public final class DefaultBudgetCounter {
  /** More configurations within a minute are taken for one per request. */
  static final int MOST_PER_MINUTE = 60;

  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry");
  private static final long MINUTE_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final DefaultBudgetCounter ALL = new DefaultBudgetCounter();

  /** A minute of a ticker, and how many were built in it. */
  private record Minute(LongSupplier ticker, long beganNanos, int built) {
    boolean isOf(LongSupplier other, long nowNanos) {
      return ticker.equals(other) && nowNanos - beganNanos < MINUTE_NANOS;
    }
  }

  private final AtomicReference<@Nullable Minute> minute = new AtomicReference<>();

  private DefaultBudgetCounter() {}

  /** {@return the shared counter of this class loader} */
  public static DefaultBudgetCounter all() {
    return ALL;
  }

  /**
   * Counts a configuration, and warns when there are too many, at most once per minute.
   *
   * @param what its class, for the warning
   * @param ticker the time of its environment: configurations of another one, such as those of a
   *     test with virtual time, are not counted with the others
   */
  public void built(String what, LongSupplier ticker) {
    if (count(ticker, ticker.getAsLong()) == MOST_PER_MINUTE + 1) {
      LOG.warn(
          "More than {} configurations were built within a minute, each with a budget of its own,"
              + " the latest by {}. So the budgets do not bound the retries of this process: in an"
              + " outage each request is sent as often as its policy allows. Build one configuration"
              + " and share it, or give all of them one RetryBudget by budget(...).",
          MOST_PER_MINUTE,
          what);
    }
  }

  private int count(LongSupplier ticker, long nowNanos) {
    Minute before;
    Minute after;
    do {
      before = minute.get();
      after =
          before != null && before.isOf(ticker, nowNanos)
              ? new Minute(ticker, before.beganNanos(), before.built() + 1)
              : new Minute(ticker, nowNanos, 1);
    } while (!minute.compareAndSet(before, after));
    return after.built();
  }
}
