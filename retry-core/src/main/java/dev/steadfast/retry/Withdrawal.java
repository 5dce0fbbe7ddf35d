package dev.steadfast.retry;

/**
 * What a retry took from a budget. Immutable.
 *
 * <p>A budget makes its withdrawals once and hands out the same objects, so that asking allocates
 * nothing.
 */
public final class Withdrawal {
  private static final Withdrawal REFUSED = new Withdrawal(0, false);

  private final long cost;
  private final boolean granted;

  private Withdrawal(long cost, boolean granted) {
    this.cost = cost;
    this.granted = granted;
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
      return new Withdrawal(cost, true);
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
