package dev.steadfast.retry.limit;

import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.Quota;
import dev.steadfast.retry.internal.Durations;
import org.jspecify.annotations.Nullable;

/**
 * The known facts of one quota: how much of it is left, and between which two times it becomes
 * whole again. Not safe for use by several threads.
 *
 * <p>A server that counts in seconds leaves open when exactly it begins a new window. So there are
 * two times: what is left is spent by the earliest end, and nothing is taken from a new window
 * before the latest one. Each answer brings the two closer together. A window may be so short that
 * whole seconds tell nothing. Then a new one has begun if an answer tells of more than an earlier
 * answer did that came before the request was sent.
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

  // Turns leave the last tenth of a window to threads that wake late; there, none has to wait.
  private static final int RESERVE = 10;

  // A request may arrive later than others by this part of a window.
  static final int ON_THE_WAY = 64;

  private static final int LEAST_STEPS = 5; // in which a server counts down a window
  private static final int MOST_SILENT = 2; // windows

  private Quota.Policy policy;
  private long length; // of a window
  private long whole; // the units of a window
  private long left; // the smallest remainder of this window
  private long earliestEnd; // these two wrap: only differences are used
  private long latestEnd;
  private long began; // an answer to what was sent before may tell of the window before
  private long silent; // the windows that have begun since an answer last spoke of it
  private boolean unmentioned; // by an answer that tells of other quotas
  private long toldNanos; // when the answer came that told what is left
  private long toldSentNanos; // and when its request was sent
  private final OwnShare share = new OwnShare();
  private long attempts; // how many were sent
  private final @Nullable CostLedger costs; // null: each request costs one unit

  /**
   * An answer.
   *
   * @param number its attempt, or the latest before those under way
   * @param sentNanos when its request was sent
   * @param nowNanos when it came
   * @param inFlight the attempts that are under way, this one included
   */
  record QuotaAnswer(long number, long sentNanos, long nowNanos, int inFlight) {}

  /**
   * An operation that asks for its turn.
   *
   * @param operation the operation
   * @param ahead those that came before it
   * @param nowNanos when it asks
   */
  record TurnRequest(OperationInfo operation, TurnQueue.Ahead ahead, long nowNanos) {}

  /**
   * A window of which an answer tells.
   *
   * @param spent what was sent until now
   * @param attempts how many were sent
   */
  QuotaWindow(Quota quota, QuotaAnswer answer, CostLedger spent, long attempts) {
    this.policy = quota.policy();
    this.attempts = attempts;
    this.costs = policy.ofRequests() ? null : spent.copy();
    size(quota);
    startAt(quota, answer);
    if (costs != null) {
      costs.beginFirst(answer.number(), left, whole);
    }
  }

  String name() {
    return policy.name();
  }

  Quota.Policy policy() {
    return policy;
  }

  long left() {
    return costs == null ? left : Math.max(0, costs.left(whole));
  }

  /** Whether no answer has spoken of it for so long that the server may have dropped it. */
  boolean isForgotten() {
    return silent > MOST_SILENT && (costs == null || unmentioned);
  }

  /** An answer told of other quotas, and not of this one. */
  void unmentioned() {
    unmentioned = true;
  }

  // Learning.

  /** Learns from an answer. */
  void learn(Quota quota, QuotaAnswer answer) {
    policy = quota.policy();
    unmentioned = false;
    size(quota);
    CostLedger ledger = costs;
    long sampled = ledger == null ? 0 : ledger.sampled();
    learnTimes(quota, answer);
    boolean alone = answer.inFlight() == 1 && answer.number() > 0;
    boolean latest = answer.number() == attempts - 1;
    if (ledger != null && ledger.sampled() == sampled && !ledger.knowsCosts() && alone && latest) {
      ledger.sample(unseen(quota, answer));
    }
  }

  // The cost of an attempt whose answer shows none. Either the quota was whole again before the
  // answer came, or the cost is less than the steps in which the server counts. If such answers
  // gave no sample, attempts would go one at a time for good.
  private long unseen(Quota quota, QuotaAnswer answer) {
    long units = whole - Math.min(whole, quota.remaining());
    return answer.nowNanos() - answer.sentNanos() < length ? 0 : units;
  }

  private void learnTimes(Quota quota, QuotaAnswer answer) {
    if (isVague(quota)) {
      learnFromRemainder(quota, answer);
      return;
    }
    long low = low(quota, answer.sentNanos());
    long high = high(quota, answer.nowNanos());
    if (high - earliestEnd < 0 && answer.sentNanos() - began < 0) {
      return; // of the window before
    }
    if (low - latestEnd > 0 || high - earliestEnd < 0) {
      share.end(left, whole, answer.inFlight());
      restart(quota, answer);
      return;
    }
    spend(quota, answer);
    earliestEnd = low - earliestEnd > 0 ? low : earliestEnd;
    latestEnd = high - latestEnd < 0 ? high : latestEnd;
  }

  /** Whether the time that the server tells is too coarse to say when its window ends. */
  boolean isVague(Quota quota) {
    return quota.resolutionNanos() > length / LEAST_STEPS;
  }

  private void learnFromRemainder(Quota quota, QuotaAnswer answer) {
    if (answer.sentNanos() - began < 0) {
      spentBefore();
      return;
    }
    boolean rose = silent == 0 && answer.sentNanos() - toldNanos >= 0 && quota.remaining() > left;
    if (!rose) {
      spend(quota, answer);
      return;
    }
    long earliestBegin = toldSentNanos;
    share.end(left, whole, answer.inFlight());
    restart(quota, answer);
    earliestEnd = earliestBegin + length;
    latestEnd = answer.nowNanos() + length;
  }

  /** Counts an answer of the window before, whose unit may be of this one. */
  void spentBefore() {
    share.spent();
  }

  private void spend(Quota quota, QuotaAnswer answer) {
    share.spent();
    if (silent > 0 || quota.remaining() <= left) {
      told(quota, answer);
    }
    if (costs != null) {
      costs.answered(answer.number(), quota.remaining());
    }
    if (silent > 0) { // the server's window may have begun before, so who spent is unknown
      share.begin(left);
      silent = 0;
    }
  }

  private void told(Quota quota, QuotaAnswer answer) {
    left = quota.remaining();
    toldNanos = answer.nowNanos();
    toldSentNanos = answer.sentNanos();
  }

  /** Corrects the cost with which a request was booked, 0 for none. */
  void settle(int reserved, int used) {
    if (costs != null) {
      costs.settle(reserved > 0 ? reserved : costs.usual(), used);
    }
  }

  /** An attempt got no answer. It may have cost a unit. */
  void lost() {
    if (costs == null && left > 0) {
      left--;
      share.spent();
    }
  }

  private void size(Quota quota) {
    long stated = policy.windowNanos();
    long atMost = Durations.saturatedAdd(quota.leftNanos(), quota.resolutionNanos());
    long seen = Math.max(length, atMost);
    length = Math.max(1, Math.min(LONGEST_NANOS, stated > 0 ? stated : seen));
    long limit = policy.limit();
    whole = Math.max(1, limit > 0 ? limit : Math.max(whole, quota.remaining()));
  }

  private void restart(Quota quota, QuotaAnswer answer) {
    startAt(quota, answer);
    if (costs != null) {
      costs.begin(answer.number(), left, whole);
    }
  }

  private void startAt(Quota quota, QuotaAnswer answer) {
    told(quota, answer);
    share.begin(left);
    earliestEnd = low(quota, answer.sentNanos());
    latestEnd = high(quota, answer.nowNanos());
    began = answer.nowNanos();
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

  // How far the reset may be off in each direction. More than a fifth of the window would leave a
  // window of one second no time that surely belongs to it.
  private long slack(Quota quota) {
    return Math.min(quota.resolutionNanos(), length / LEAST_STEPS);
  }

  /** Begins with the next window if this one is over. */
  boolean roll(long nowNanos) {
    long over = nowNanos - latestEnd;
    if (over < 0) {
      return false;
    }
    share.end(left, whole, 0);
    long passed = over / length + 1;
    silent += passed;
    earliestEnd += passed * length;
    latestEnd += passed * length;
    began = latestEnd - length;
    left = whole;
    share.begin(left);
    if (costs != null) {
      costs.nextWindow(whole);
    }
    return true;
  }

  // Spending.

  /** Books an attempt that is sent now. */
  void sent(long number, OperationInfo operation, long nowNanos) {
    attempts = number + 1;
    // It may arrive after the end of the window.
    boolean late = nowNanos - (earliestEnd - length / ON_THE_WAY) >= 0;
    if (costs != null) {
      costs.sent(number, costs.units(operation, whole), late, nowNanos);
    }
  }

  /** No answer to an attempt follows. */
  void over(long number) {
    if (costs != null) {
      costs.over(number);
    }
  }

  /** Takes back an attempt that was not sent. */
  void unsent(long number) {
    attempts -= number == attempts - 1 ? 1 : 0;
    if (costs != null) {
      costs.unsent(number);
    }
  }

  /** Whether an attempt may be sent now: those before it have what they need. */
  boolean hasRoom(TurnRequest asked, int inFlight) {
    return costs == null ? free(inFlight) > 0 : costs.covers(asked, inFlight, whole);
  }

  /** Whether enough is left for an operation; true where each request costs one unit. */
  boolean covers(TurnRequest asked, int inFlight) {
    return costs == null || costs.covers(asked, inFlight, whole);
  }

  /** When it is worth asking again, because attempts that are under way may cost less. */
  long askAgain(TurnRequest asked, int inFlight, long turn) {
    CostLedger ledger = costs;
    if (ledger == null || inFlight == 0 || covers(asked, inFlight)) {
      return turn;
    }
    long again = CostLedger.again(asked.nowNanos(), length);
    boolean soon = ledger.mustLearn(asked.operation()) || ledger.missing(asked, whole) <= whole;
    return soon && again - turn < 0 ? again : turn;
  }

  /** The largest cost that this quota can ever bear. */
  long mostUnits() {
    return costs == null || policy.limit() == 0 ? Long.MAX_VALUE : whole;
  }

  /** The costs that it can bear, for a message. */
  String range() {
    return "1 to " + whole + ", the whole of " + name();
  }

  private double share(int inFlight) {
    return share.of(left, whole, inFlight);
  }

  private long free(int inFlight) {
    long margin = share(inFlight) < 1 ? Math.min(2, whole / 10) : 0;
    return left - margin - inFlight;
  }

  /**
   * When a further attempt may be sent, after those that wait.
   *
   * @param lastNanos when the latest one was
   * @param inFlight the attempts that are under way
   * @return {@code nowNanos} or later
   */
  long turn(long nowNanos, long lastNanos, int inFlight, TurnQueue line) {
    long free = free(inFlight);
    int waitingHere = line.before(latestEnd);
    if (waitingHere < free) {
      long time = Math.max(0, earliestEnd - length / RESERVE - nowNanos);
      long spacing = spacing(time, (free + 1.0) * share(inFlight));
      long first = lastNanos + spacing - nowNanos > 0 ? lastNanos + spacing : nowNanos;
      long turn = first + waitingHere * spacing;
      if (turn - latestEnd < 0 || turn - nowNanos <= 0) {
        return turn;
      }
    }
    return laterTurn(nowNanos, line, waitingHere);
  }

  /** When it may be sent where requests differ in their cost; first come, first served. */
  long turn(TurnRequest asked, int inFlight) {
    CostLedger ledger = costs;
    if (ledger == null || covers(asked, inFlight)) {
      return asked.nowNanos();
    }
    if (ledger.mustLearn(asked.operation()) && ledger.left(whole) > 0) {
      return CostLedger.again(
          asked.nowNanos(), length); // it waits for another one to end, and not for the window
    }
    long missing = ledger.missing(asked, whole);
    long windows = Math.max(0, Math.min((missing - 1) / whole, LONGEST_NANOS / length));
    long turn = startOf(windows) - asked.nowNanos();
    return asked.nowNanos() + Math.min(turn, 2 * LONGEST_NANOS);
  }

  boolean isOfRequests() {
    return costs == null;
  }

  /** A turn in a later window in which fewer wait than the window has units. */
  private long laterTurn(long nowNanos, TurnQueue line, int waitingHere) {
    double units = Math.max(1, whole * share(0));
    int waiting = line.size() - waitingHere;
    // Invariant: the first fits + 1 windows have more units than operations wait.
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
