package dev.steadfast.retry;

import java.util.OptionalDouble;

/**
 * One account for all origins.
 *
 * <p>Not a record: the JDK's cache for the generated {@code equals} keeps the class loader alive.
 */
final class SharedBudget implements RetryBudget {
  private final Account one;
  private final String text;

  SharedBudget(Account one, String text) {
    this.one = one;
    this.text = text;
  }

  @Override
  public Account account(String origin) {
    return one;
  }

  @Override
  public OptionalDouble available(String origin, long nowNanos) {
    return one.available(nowNanos);
  }

  @Override
  public String toString() {
    return text;
  }
}
