package dev.steadfast.retry.limit;

import dev.steadfast.retry.Quota;
import dev.steadfast.retry.internal.Durations;

/**
 * The known facts of one quota: how much of it is left, and between which two times it becomes
 * whole again. Not safe for use by several threads.
 *
 * <p>A server that counts in seconds leaves open when exactly it begins a new window. So there are
 * two times: what is left is spent by the earliest end, and nothing is taken from a new window
 * before the latest one. Each answer brings the two closer together. A window may be so short that
 * such a number tells nothing. Then an answer shows that a window has begun if more is left than an
 * answer said that came before its request was sent.
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

  private static final int LEAST_STEPS = 5; // in which a server counts down a window
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
  private long toldNanos; // when the answer came that told what is left
  private long toldSentNanos; // and when its request was sent
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
    if (isVague(quota)) {
      learnFromRemainder(quota, sentNanos, nowNanos, inFlight);
      return;
    }
    long low = low(quota, sentNanos);
    long high = high(quota, nowNanos);
    if (high - earliestEnd < 0 && sentNanos - began < 0) {
      return; // of the window before
    }
    learnCost(quota, inFlight);
    if (low - latestEnd > 0 || high - earliestEnd < 0) {
      end(inFlight);
      startAt(quota, sentNanos, nowNanos);
      return;
    }
    spend(quota, sentNanos, nowNanos);
    earliestEnd = low - earliestEnd > 0 ? low : earliestEnd;
    latestEnd = high - latestEnd < 0 ? high : latestEnd;
  }

  /** Whether the time that the server tells is too coarse to say when its window ends. */
  boolean isVague(Quota quota) {
    return quota.resolutionNanos() > length / LEAST_STEPS;
  }

  private void learnFromRemainder(Quota quota, long sentNanos, long nowNanos, int inFlight) {
    if (sentNanos - began < 0) {
      spentBefore();
      return;
    }
    learnCost(quota, inFlight);
    boolean rose = silent == 0 && sentNanos - toldNanos >= 0 && quota.remaining() > left;
    if (!rose) {
      spend(quota, sentNanos, nowNanos);
      return;
    }
    long earliestBegin = toldSentNanos;
    end(inFlight);
    startAt(quota, sentNanos, nowNanos);
    earliestEnd = earliestBegin + length;
    latestEnd = nowNanos + length;
  }

  /** Counts an answer of the window before, whose unit may be of this one. */
  void spentBefore() {
    own++;
  }

  private void learnCost(Quota quota, int inFlight) {
    if (silent == 0) {
      long spent = (left - quota.remaining()) / Math.max(1, inFlight);
      cost = Math.max(cost, Math.min(spent, whole));
    }
  }

  private void spend(Quota quota, long sentNanos, long nowNanos) {
    own++;
    if (silent > 0 || quota.remaining() <= left) {
      told(quota, sentNanos, nowNanos);
    }
    if (silent > 0) { // the server's window may have begun before, so who spent is unknown
      leftAtFirst = left;
      own = 0;
      silent = 0;
    }
  }

  private void told(Quota quota, long sentNanos, long nowNanos) {
    left = quota.remaining();
    toldNanos = nowNanos;
    toldSentNanos = sentNanos;
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
    told(quota, sentNanos, nowNanos);
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
    return Math.min(quota.resolutionNanos(), length / LEAST_STEPS);
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
   * The share that this client spends of the quota; 1 if nobody else does. The window before counts
   * as a tenth of a window, because the first answers of this one say little.
   */
  double share(int inFlight) {
    long used = Math.max(0, leftAtFirst - left);
    double mine = Math.min(used, own + inFlight);
    double weight = Math.max(4, whole / 10);
    double share = (mine + weight * shareBefore) / (used + weight);
    return share > ALONE ? 1 : Math.max(LEAST_SHARE, share);
  }

  /**
   * When a further attempt may be sent, after those that wait.
   *
   * @param lastNanos when the latest one was
   * @param inFlight the attempts that are under way
   * @return {@code nowNanos} or later
   */
  long turn(long nowNanos, long lastNanos, int inFlight, Line line) {
    if (!policy.ofRequests()) {
      return coversOne() ? nowNanos : latestEnd;
    }
    long free = free(inFlight);
    int waitingHere = line.before(latestEnd);
    if (waitingHere < free) {
      double share = share(inFlight);
      long time = Math.max(0, earliestEnd - length / RESERVE - nowNanos);
      long spacing = spacing(time, (free + 1.0) * share);
      long first = lastNanos + spacing - nowNanos > 0 ? lastNanos + spacing : nowNanos;
      long turn = first + waitingHere * spacing;
      if (turn - latestEnd < 0 || turn - nowNanos <= 0) {
        return turn;
      }
    }
    return laterTurn(nowNanos, line, waitingHere);
  }

  /** A turn in a later window in which fewer wait than the window has units. */
  private long laterTurn(long nowNanos, Line line, int waitingHere) {
    double units = Math.max(1, whole * share(0));
    int waiting = line.size() - waitingHere;
    // As many windows as the second number plus one have more units than operations wait.
    long full = -1;
    long fits = (long) Math.min(waiting / units, LONGEST_NANOS / (double) length);
    while (fits - full > 1) {
      long middle = (full + fits) >>> 1;
      int until = line.before(startOf(middle + 1)) - waitingHere;
      if (until < (middle + 1) * units) {
        fits = middle;
      } else {
        full = middle;
      }
    }
    long start = startOf(fits);
    int waitingThere = line.before(startOf(fits + 1)) - line.before(start);
    long time = Math.max(0, length - (latestEnd - earliestEnd) - length / RESERVE);
    long turn = start + waitingThere * spacing(time, units + 1);
    return nowNanos + Math.min(turn - nowNanos, 2 * LONGEST_NANOS);
  }

  /** When a later window begins: the one after this one has the number 0. */
  private long startOf(long number) {
    return latestEnd + number * length;
  }

  private static long spacing(long nanos, double units) {
    return Math.min(MOST_SPACING_NANOS, (long) (nanos / Math.max(1, units)));
  }

  @Override
  public String toString() {
    return left + " of " + name() + " left";
  }
}
