package dev.steadfast.retry;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** A bounded table of {@link TokenAccount}s. */
final class OriginBudget implements RetryBudget {
  /** What every account of a budget has in common. */
  record Terms(long depositMicros, long burstMicros, long floorNanosPerToken) {}

  private static final int MOST_ORIGINS = 1024;
  private static final long BURST_TOKENS = 10;
  private static final long FLOOR_NANOS_PER_TOKEN = 1_000_000_000;

  private final double ratio;
  private final Terms terms;
  private final ConcurrentMap<String, Account> accounts = new ConcurrentHashMap<>();
  private final Account overflow;

  OriginBudget(double ratio) {
    this.ratio = Checks.within("ratio", ratio, 0, 10);
    this.terms =
        new Terms(
            Math.round(ratio * TokenAccount.ONE),
            BURST_TOKENS * TokenAccount.ONE,
            FLOOR_NANOS_PER_TOKEN);
    this.overflow = new TokenAccount(terms);
  }

  @Override
  public Account account(String origin) {
    Account known = accounts.get(Checks.notNull("origin", origin));
    if (known != null) {
      return known;
    }
    // Origins beyond the bound share one account: an attacker who makes up host names gets neither
    // memory nor a fresh burst for each.
    if (accounts.size() >= MOST_ORIGINS) {
      return overflow;
    }
    return accounts.computeIfAbsent(origin, unused -> new TokenAccount(terms));
  }

  @Override
  public String toString() {
    return "perOrigin(" + ratio + ")";
  }
}
