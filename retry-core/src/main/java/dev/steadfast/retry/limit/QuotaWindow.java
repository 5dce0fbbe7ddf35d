package dev.steadfast.retry.limit;

import dev.steadfast.retry.internal.Durations;

/**
 * What is known of one quota: how much of it is left, and between which two times it becomes whole
 * again. Not safe for use by several threads.
 *
 * <p>A server that counts in seconds leaves open when exactly it begins a new window. So there are
 * two times: what is left is spent by the earliest end, and nothing is taken from a new window
 * before the latest one. Each answer brings the two closer together.
 *
 * <p>Other clients may spend from the same quota. Then this client takes the same share of the
 * units that are left as it had of the units that are gone. It does not use the last few units,
 * because another client may have spent them since the latest answer.
 */
final class QuotaWindow {
  /** No value is believed for longer, so that a wrong one does no harm for good. */
  static final long LONGEST_NANOS = 3_600_000_000_000L;

  /** Requests are not held further apart: nobody waits minutes for a part of a daily quota. */
  static final long MOST_SPACING_NANOS = 10_000_000_000L;

  // The last tenth of a window is kept for threads that wake late. Then requests are sent at once.
  private static final int RESERVE = 10;

  private static final int MOST_SILENT = 2; // windows
  private static final double LEAST_SHARE = 0.05;
  private static final double ALONE = 0.98;

  private Quota.Policy policy;
  private long length; // of a window
  private long whole; // the units of a window
  private long left; // the smallest remainder of this window
  private long earliestEnd; // these two wrap: only differences are used
  private long latestEnd;
  private long began; // an answer to what was sent before may tell of the window before
  private long silent; // the windows that have begun since an answer last spoke of it
  private long leftAtFirst;
  private long own; // units that this client spent since then
  private double shareBefore = 1; // of this client, in the window before
  private long cost = 1; // the largest of a request in this window, if not all cost one unit
  private long costBefore = 1; // and in the window before

  QuotaWindow(Quota quota, long sentNanos, long nowNanos) {
    this.policy = quota.policy();
    size(quota);
    startAt(quota, sentNanos, nowNanos);
  }

  String name() {
    return policy.name();
  }

  Quota.Policy policy() {
    return policy;
  }

  long left() {
    return left;
  }

  long latestEnd() {
    return latestEnd;
  }

  /** Whether no answer has spoken of it for so long that the server may have dropped it. */
  boolean isForgotten() {
    return silent > MOST_SILENT;
  }

  // Learning.

  /**
   * Learns from an answer.
   *
   * @param sentNanos when its request was sent
   * @param inFlight the attempts that are under way, this one included
   */
  void learn(Quota quota, long sentNanos, long nowNanos, int inFlight) {
    policy = quota.policy();
    size(quota);
    long low = low(quota, sentNanos);
    long high = high(quota, nowNanos);
    if (high - earliestEnd < 0 && sentNanos - began < 0) {
      return; // of the window before
    }
    if (silent == 0) {
      long spent = (left - quota.remaining()) / Math.max(1, inFlight);
      cost = Math.max(cost, Math.min(spent, whole));
    }
    if (low - latestEnd > 0 || high - earliestEnd < 0) {
      end(inFlight);
      startAt(quota, sentNanos, nowNanos);
      return;
    }
    own++;
    left = silent > 0 ? quota.remaining() : Math.min(left, quota.remaining());
    silent = 0;
    earliestEnd = low - earliestEnd > 0 ? low : earliestEnd;
    latestEnd = high - latestEnd < 0 ? high : latestEnd;
  }

  /** An attempt got no answer. It may have cost a unit. */
  void lost() {
    if (policy.ofRequests() && left > 0) {
      left--;
      own++;
    }
  }

  private void size(Quota quota) {
    long stated = policy.rate().windowNanos();
    long atMost = Durations.saturatedAdd(quota.leftNanos(), quota.resolutionNanos());
    long seen = Math.max(length, atMost);
    length = Math.max(1, Math.min(LONGEST_NANOS, stated > 0 ? stated : seen));
    long limit = policy.rate().limit();
    whole = Math.max(1, limit > 0 ? limit : Math.max(whole, quota.remaining()));
  }

  private void startAt(Quota quota, long sentNanos, long nowNanos) {
    left = quota.remaining();
    leftAtFirst = left;
    own = 0;
    earliestEnd = low(quota, sentNanos);
    latestEnd = high(quota, nowNanos);
    began = nowNanos;
    silent = 0;
  }

  private long low(Quota quota, long sentNanos) {
    return sentNanos + leftNanos(quota) - slack(quota);
  }

  private long high(Quota quota, long nowNanos) {
    return nowNanos + leftNanos(quota) + slack(quota);
  }

  private static long leftNanos(Quota quota) {
    return Math.min(LONGEST_NANOS, quota.leftNanos());
  }

  // How far the reset may be off in each direction. With more than a fifth of the window, a window
  // of one second would have no time left that surely belongs to it.
  private long slack(Quota quota) {
    return Math.min(quota.resolutionNanos(), length / 5);
  }

  /** Begins with the next window if this one is over. */
  boolean roll(long nowNanos) {
    long over = nowNanos - latestEnd;
    if (over < 0) {
      return false;
    }
    end(0);
    long passed = over / length + 1;
    silent += passed;
    earliestEnd += passed * length;
    latestEnd += passed * length;
    began = latestEnd - length;
    left = whole;
    leftAtFirst = left;
    own = 0;
    return true;
  }

  /** Keeps what this window tells of the next one. */
  private void end(int inFlight) {
    shareBefore = share(inFlight);
    if (silent == 0) {
      costBefore = cost;
    }
    cost = 1;
  }

  // Spending.

  /** Whether an attempt may be sent now, whoever waits. */
  boolean hasRoom(int inFlight) {
    return policy.ofRequests() ? free(inFlight) > 0 : coversOne();
  }

  private boolean coversOne() {
    return left >= Math.min(Math.max(cost, costBefore), whole);
  }

  private long free(int inFlight) {
    long margin = share(inFlight) < 1 ? Math.min(2, whole / 10) : 0;
    return left - margin - inFlight;
  }

  /**
   * What this client spends of the quota; 1 if nobody else does. The window before counts as a
   * tenth of a window, because the first answers of this one say little.
   */
  double share(int inFlight) {
    long used = Math.max(0, leftAtFirst - left);
    double mine = Math.min(used, own + inFlight);
    double weight = Math.max(4, whole / 10);
    double share = (mine + weight * shareBefore) / (used + weight);
    return share > ALONE ? 1 : Math.max(LEAST_SHARE, share);
  }

  /**
   * When a further attempt may be sent.
   *
   * @param lastNanos when the latest one was
   * @param ahead what comes before it
   * @return {@code nowNanos} or later
   */
  long turn(long nowNanos, long lastNanos, Ahead ahead) {
    if (!policy.ofRequests()) {
      return coversOne() ? nowNanos : latestEnd;
    }
    long free = free(ahead.inFlight());
    if (ahead.waitingHere() < free) {
      double share = share(ahead.inFlight());
      long time = Math.max(0, earliestEnd - length / RESERVE - nowNanos);
      long spacing = spacing(time, (free + 1.0) * share);
      long first = lastNanos + spacing - nowNanos > 0 ? lastNanos + spacing : nowNanos;
      long turn = first + ahead.waitingHere() * spacing;
      if (turn - latestEnd < 0 || turn - nowNanos <= 0) {
        return turn;
      }
    }
    long time = Math.max(0, length - (latestEnd - earliestEnd));
    return latestEnd + ahead.waitingLater() * spacing(time, (whole + 1.0) * share(0));
  }

  /**
   * What comes before an attempt.
   *
   * @param inFlight the attempts that are under way
   * @param waitingHere those that wait for their turn in the window that runs
   * @param waitingLater those that wait for a later one
   */
  record Ahead(int inFlight, int waitingHere, int waitingLater) {}

  private static long spacing(long nanos, double units) {
    return Math.min(MOST_SPACING_NANOS, (long) (nanos / Math.max(1, units)));
  }

  @Override
  public String toString() {
    return left + " of " + name() + " left";
  }
}
