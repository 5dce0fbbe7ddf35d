package dev.steadfast.retry;

import dev.steadfast.retry.internal.Checks;
import org.jspecify.annotations.Nullable;

/**
 * What a retry took from a budget. Immutable.
 *
 * <p>A budget makes its withdrawals once and hands out the same objects, so that asking allocates
 * nothing.
 */
public final class Withdrawal {
  private static final Withdrawal REFUSED = new Withdrawal(0, false, null, null);

  private final long cost;
  private final boolean granted;
  // What each of two combined budgets took, so that each gets back its own.
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

  /**
   * The budget does not pay for the retry.
   *
   * @return the shared instance
   */
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

  /**
   * Whether the retry may be made.
   *
   * @return false for {@link #refused()}
   */
  public boolean granted() {
    return granted;
  }

  /**
   * What was taken.
   *
   * @return the cost in the budget's own unit
   */
  public long cost() {
    return cost;
  }

  @Override
  public String toString() {
    return granted ? "Withdrawal(" + cost + ")" : "Withdrawal(refused)";
  }
}
