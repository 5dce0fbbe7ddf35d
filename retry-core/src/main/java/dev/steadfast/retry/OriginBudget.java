package dev.steadfast.retry;

import dev.steadfast.retry.internal.OriginTable;
import java.util.OptionalDouble;

/**
 * An account per origin, in a bounded table. Once the table has been full, new accounts start with
 * one retry. So an origin that was forgotten does not get a second burst, and invented host names
 * get no more than one retry each.
 *
 * <p>An account with less than one retry is kept until it was not asked for one for a minute.
 * Otherwise an origin would gain a retry each time it is forgotten.
 */
final class OriginBudget implements RetryBudget {
  private static final double ROUNDING = 1e-6;
  private static final long IDLE_NANOS = 60_000_000_000L;

  private final LatestTime latest = new LatestTime();
  private final double back; // the balance of an account that is not fresh
  private final OriginTable<Kept> table;
  private final String text;

  /** Makes accounts. */
  @FunctionalInterface
  interface Accounts {
    /** Makes an account, with its burst if it is fresh. It notes when it is asked. */
    Account open(boolean fresh, LatestTime asked);
  }

  /** An account, and when it was last asked for a retry. */
  private record Kept(Account account, LatestTime asked) {}

  OriginBudget(Accounts accounts, String text) {
    this.back = accounts.open(false, latest).available(0).orElse(0) - ROUNDING;
    this.table =
        new OriginTable<>(
            new OriginTable.Values<>() {
              @Override
              public Kept create(String origin, boolean fresh) {
                LatestTime asked = new LatestTime(latest);
                return new Kept(accounts.open(fresh, asked), asked);
              }

              @Override
              public boolean forgettable(Kept kept, boolean used) {
                return !used && gainsNothing(kept);
              }
            });
    this.text = text;
  }

  private boolean gainsNothing(Kept kept) {
    // A forgotten account would no longer count what is under way.
    if (kept.account() instanceof ConcurrencyAccount counting && !counting.idle()) {
      return false;
    }
    long now = latest.nanos();
    return now - kept.asked().nanos() >= IDLE_NANOS
        || kept.account().available(now).orElse(Double.MAX_VALUE) >= back;
  }

  @Override
  public Account account(String origin) {
    return table.get(origin).account();
  }

  @Override
  public OptionalDouble available(String origin, long nowNanos) {
    Kept known = table.find(origin);
    return known == null ? OptionalDouble.empty() : known.account().available(nowNanos);
  }

  int size() {
    return table.size();
  }

  @Override
  public String toString() {
    return text;
  }
}
