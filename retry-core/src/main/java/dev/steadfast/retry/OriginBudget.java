package dev.steadfast.retry;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/**
 * A bounded table of accounts, one per origin.
 *
 * <p>When it is full, an origin that was not used since the last sweep makes room; where all are in
 * use, new ones share one account. From the first time on that the table was full, new origins
 * start without a burst: nobody gets one by being forgotten, or by making up host names.
 */
final class OriginBudget implements RetryBudget {
  static final int MOST_ORIGINS = 1024;
  private static final int STEPS = 8;

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
    private final String origin;
    private final Account account;
    private volatile boolean used = true; // since the hand passed

    Entry(String origin, Account account) {
      this.origin = origin;
      this.account = account;
    }
  }

  private final Function<Boolean, Account> accounts; // told whether the origin is a fresh one
  private final String text;
  private final Map<String, Entry> table = new ConcurrentHashMap<>();
  private final Account overflow;
  private final ReentrantLock growing = new ReentrantLock(); // only a new origin takes it
  private final Entry[] ring = new Entry[MOST_ORIGINS];
  private int filled;
  private int hand;

  OriginBudget(Function<Boolean, Account> accounts, String text) {
    this.accounts = accounts;
    this.text = text;
    this.overflow = accounts.apply(false);
  }

  @Override
  public Account account(String origin) {
    Entry known = table.get(Checks.notNull("origin", origin));
    if (known == null) {
      return newAccount(origin);
    }
    if (!known.used) {
      known.used = true;
    }
    return known.account;
  }

  private Account newAccount(String origin) {
    growing.lock();
    try {
      Entry known = table.get(origin);
      if (known != null) {
        return known.account;
      }
      if (filled < MOST_ORIGINS) {
        return enter(filled++, origin, true);
      }
      int place = idlePlace();
      return place < 0 ? overflow : enter(place, origin, false);
    } finally {
      growing.unlock();
    }
  }

  private Account enter(int place, String origin, boolean fresh) {
    Entry entry = new Entry(origin, accounts.apply(fresh));
    ring[place] = entry;
    table.put(origin, entry);
    return entry.account;
  }

  /**
   * The clock algorithm, a few steps at a time: the place of an origin that was not used lately.
   */
  private int idlePlace() {
    for (int step = 0; step < STEPS; step++) {
      int place = hand;
      hand = (hand + 1) % MOST_ORIGINS;
      Entry entry = ring[place];
      if (!entry.used) {
        table.remove(entry.origin);
        return place;
      }
      entry.used = false;
    }
    return -1;
  }

  int size() {
    return table.size();
  }

  @Override
  public String toString() {
    return text;
  }
}
