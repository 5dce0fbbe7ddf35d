package dev.steadfast.retry;

import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A bounded table of accounts, one per origin.
 *
 * <p>When it is full, an origin that was not used since the last sweep makes room; where all are in
 * use, new ones share one account. From the first time on that the table was full, new origins
 * start without a burst: nobody gets one by being forgotten, or by making up host names.
 */
final class OriginBudget implements RetryBudget {
  static final int MOST_ORIGINS = 1024;

  /** What the accounts of a success-funded budget have in common. */
  record Terms(long depositMicros, long burstMicros, double floorNanosPerToken) {
    static Terms of(double ratio, int burst, double floorPerSecond) {
      Checks.within("ratio", ratio, 0, 10);
      Checks.within("burst", burst, 0, 1_000_000);
      Checks.within("floorPerSecond", floorPerSecond, 0, 1_000_000);
      return new Terms(
          Math.round(ratio * TokenAccount.ONE),
          burst * TokenAccount.ONE,
          floorPerSecond == 0 ? 0 : 1_000_000_000 / floorPerSecond);
    }
  }

  private static final class Entry {
    private final Account account;
    private volatile boolean used = true; // since the last sweep

    Entry(Account account) {
      this.account = account;
    }
  }

  private final Function<Boolean, Account> accounts; // told whether the origin is a fresh one
  private final String text;
  private final Map<String, Entry> table = new ConcurrentHashMap<>();
  private final Account overflow;
  private volatile boolean wasFull;

  OriginBudget(Function<Boolean, Account> accounts, String text) {
    this.accounts = accounts;
    this.text = text;
    this.overflow = accounts.apply(false);
  }

  @Override
  public Account account(String origin) {
    Entry known = table.get(Checks.notNull("origin", origin));
    if (known != null) {
      if (!known.used) {
        known.used = true;
      }
      return known.account;
    }
    if (table.size() >= MOST_ORIGINS) {
      wasFull = true;
      if (!makeRoom()) {
        return overflow;
      }
    }
    return table.computeIfAbsent(origin, unused -> new Entry(accounts.apply(!wasFull))).account;
  }

  /** One step of the clock algorithm over the whole table: forgets one that was not used. */
  private boolean makeRoom() {
    @Nullable String idle = null;
    for (Iterator<Map.Entry<String, Entry>> each = table.entrySet().iterator(); each.hasNext(); ) {
      Map.Entry<String, Entry> next = each.next();
      if (!next.getValue().used && idle == null) {
        idle = next.getKey();
      }
      next.getValue().used = false;
    }
    return idle != null && table.remove(idle) != null;
  }

  int size() {
    return table.size();
  }

  @Override
  public String toString() {
    return text;
  }
}
