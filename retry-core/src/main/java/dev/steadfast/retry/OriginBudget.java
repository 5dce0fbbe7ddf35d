package dev.steadfast.retry;

import dev.steadfast.retry.internal.OriginTable;
import java.util.OptionalDouble;

/**
 * An account per origin, in a bounded table. Once the table has been full, new accounts start with
 * one retry. So an origin that was forgotten does not get a second start, and invented host names
 * get no more than one retry each.
 */
final class OriginBudget implements RetryBudget {
  private final OriginTable<Account> table;
  private final String text;

  /** Makes accounts. */
  @FunctionalInterface
  interface Accounts {
    /** Makes an account, with its burst if it is fresh. */
    Account open(boolean fresh);
  }

  OriginBudget(Accounts accounts, String text) {
    this.table =
        new OriginTable<>(
            new OriginTable.Values<>() {
              @Override
              public Account create(String origin, boolean fresh) {
                return accounts.open(fresh);
              }

              // What is under way would not be counted any more.
              @Override
              public boolean forgettable(Account account, boolean used) {
                boolean idle = !(account instanceof ConcurrencyAccount counting) || counting.idle();
                return idle && !used;
              }
            });
    this.text = text;
  }

  @Override
  public Account account(String origin) {
    return table.get(origin);
  }

  @Override
  public OptionalDouble available(String origin, long nowNanos) {
    Account known = table.find(origin);
    return known == null ? OptionalDouble.empty() : known.available(nowNanos);
  }

  int size() {
    return table.size();
  }

  @Override
  public String toString() {
    return text;
  }
}
