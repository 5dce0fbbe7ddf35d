package dev.steadfast.retry.limit;

/**
 * A quota that the user has named: a number of attempts within any window of a length. Not safe for
 * use by several threads.
 *
 * <p>Attempts are spread evenly. If the quota is n, attempt k is sent only when attempt k - n is as
 * old as the window. The times of attempts are kept in blocks, about 1,024 of them in a large
 * quota, each with the time of its latest attempt. So a large quota takes little memory, and is
 * kept a little too strictly.
 */
final class FixedQuota {
  private static final int MOST_BLOCKS = 1024;

  /**
   * The quota that the user has named. Immutable.
   *
   * @param requests how many
   * @param windowNanos in which time, as this client counts it
   */
  record Contract(int requests, long windowNanos) {
    private static final long MOST_ON_THE_WAY_NANOS = 10_000_000;

    /**
     * The quota, counted a little too strictly: a request may take less time to arrive than the one
     * that has to be as old as the window.
     */
    static Contract of(int requests, long windowNanos) {
      long onTheWay = Math.min(MOST_ON_THE_WAY_NANOS, windowNanos / QuotaWindow.ON_THE_WAY);
      return new Contract(requests, windowNanos + onTheWay);
    }

    /** The distance of attempts that are spread evenly. */
    long spacingNanos() {
      return Math.min(QuotaWindow.MOST_SPACING_NANOS, windowNanos / requests);
    }
  }

  private final Contract contract;
  private final int perBlock;
  private final long[] latest; // of each block, in a ring
  private long sent; // attempts, since the beginning
  private long lastNanos; // when the latest one was
  private long expired; // attempts that were older than the window when last asked

  FixedQuota(Contract contract) {
    this.contract = contract;
    this.perBlock = (contract.requests() + MOST_BLOCKS - 1) / MOST_BLOCKS;
    this.latest = new long[contract.requests() / perBlock + 2];
  }

  /** Counts an attempt. */
  void sent(long nowNanos) {
    lastNanos = nowNanos;
    latest[block(sent++)] = nowNanos;
  }

  /** Takes an attempt back that was not sent, unless a later one was. */
  void unsent(long number) {
    if (number == sent - 1) {
      sent--;
      lastNanos = number == 0 ? lastNanos : latest[block(number - 1)];
    }
  }

  private int block(long number) {
    return (int) (number / perBlock % latest.length);
  }

  /** Whether an attempt may be sent now, whoever waits. */
  boolean hasRoom(long nowNanos) {
    long outlived = sent - contract.requests();
    return outlived < 0 || nowNanos - endOf(outlived) >= 0;
  }

  private long endOf(long number) {
    return latest[block(number)] + contract.windowNanos();
  }

  /**
   * When a further attempt may be sent.
   *
   * @param ahead how many of the turns in the line come before it
   */
  long turn(long nowNanos, int ahead, TurnQueue line) {
    long spacing = contract.spacingNanos();
    boolean apart = sent == 0 || nowNanos - lastNanos >= spacing;
    long turn = (apart ? nowNanos : lastNanos + spacing) + ahead * spacing;
    long outlived = sent + ahead - contract.requests();
    if (outlived < 0) {
      return turn;
    }
    long last = Math.min((outlived / perBlock + 1) * perBlock, sent + ahead) - 1; // of its block
    long latestNanos = last < sent ? latest[block(last)] : line.nanosOf((int) (last - sent));
    long free = latestNanos + contract.windowNanos();
    return free - turn > 0 ? free : turn;
  }

  /** Whether all attempts are older than the window. */
  boolean isWhole(long nowNanos) {
    return sent == 0 || nowNanos - lastNanos >= contract.windowNanos();
  }

  /** The attempts that are left in the window that ends with the latest attempt. */
  long left() {
    expired = Math.max(expired, sent - contract.requests());
    while (expired < sent && lastNanos - endOf(expired) >= 0) {
      expired++;
    }
    return Math.max(0, contract.requests() - (sent - expired));
  }

  @Override
  public String toString() {
    return contract.requests() + " attempts";
  }
}
