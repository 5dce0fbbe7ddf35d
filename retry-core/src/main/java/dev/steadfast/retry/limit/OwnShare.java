package dev.steadfast.retry.limit;

/**
 * The share that this client spends of a quota from which others may spend as well. Not safe for
 * use by several threads.
 */
final class OwnShare {
  private static final double LEAST = 0.05;
  private static final double ALONE = 0.98;

  private long leftAtFirst; // in this window
  private long own; // units that this client spent since then
  private double before = 1; // the share in the window before

  /** A window begins, or nothing is known any more of who spent from it. */
  void begin(long left) {
    leftAtFirst = left;
    own = 0;
  }

  /** This client has spent a unit. */
  void spent() {
    own++;
  }

  /** Keeps what this window tells of the next one. */
  void end(long left, long whole, int inFlight) {
    before = of(left, whole, inFlight);
  }

  /**
   * The share; 1 if nobody else spends. The window before counts as a tenth of a window, because
   * the first answers of this one say little.
   *
   * @param left the units that are left
   * @param whole the units of a window
   * @param inFlight the attempts that are under way
   */
  double of(long left, long whole, int inFlight) {
    long used = Math.max(0, leftAtFirst - left);
    double mine = Math.min(used, own + inFlight);
    double weight = Math.max(4, whole / 10);
    double share = (mine + weight * before) / (used + weight);
    return share > ALONE ? 1 : Math.max(LEAST, share);
  }

  @Override
  public String toString() {
    return own + " units of this client";
  }
}
