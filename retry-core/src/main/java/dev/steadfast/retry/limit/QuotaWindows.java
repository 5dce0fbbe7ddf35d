package dev.steadfast.retry.limit;

import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.Quota;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The quotas of one account that answers have told of, and the attempts that spend from them. Not
 * safe for use by several threads, except for {@link #isCostly}.
 */
final class QuotaWindows {
  private static final int MOST_WINDOWS = 8;
  // If answers under one key name different partitions, it is not known whose quota the next
  // request spends. Then nothing is held back for this time.
  private static final long MIXED_NANOS = 60_000_000_000L;

  private final List<QuotaWindow> windows = new ArrayList<>();
  private @Nullable Long mixedNanos; // when a partition last followed another one
  private long attempts; // how many were sent
  private @Nullable CostLedger spent; // null until a caller tells of a cost
  private volatile boolean costly;

  /** Whether requests differ in their cost in one of the quotas. Safe for use by many threads. */
  boolean isCostly() {
    return costly;
  }

  /** The quota that can never bear what an attempt costs; null if there is none. */
  @Nullable QuotaWindow exceeded(OperationInfo operation) {
    for (QuotaWindow window : windows) {
      if (operation.cost() > window.mostUnits()) {
        return window;
      }
    }
    return null;
  }

  // Learning.

  /**
   * Learns from an answer.
   *
   * @param attempt null if its request was sent before anything was known, or by other means
   * @param inFlight the attempts that are under way, this one included
   */
  void learn(List<Quota> quotas, @Nullable Turn attempt, long nowNanos, int inFlight) {
    long sentNanos = attempt == null ? nowNanos : attempt.atNanos;
    long number = attempt == null ? attempts - 1 - inFlight : attempt.number;
    QuotaWindow.QuotaAnswer answer =
        new QuotaWindow.QuotaAnswer(number, sentNanos, nowNanos, inFlight);
    windows.forEach(QuotaWindow::unmentioned);
    for (Quota quota : quotas) {
      learn(quota, answer, attempt != null);
    }
    lookForCosts();
  }

  private void lookForCosts() {
    boolean now = false;
    for (QuotaWindow window : windows) {
      now |= !window.isOfRequests();
    }
    costly = now;
  }

  private void learn(Quota quota, QuotaWindow.QuotaAnswer answer, boolean known) {
    int index = indexOf(quota.policy().name());
    if (index < 0) {
      if (windows.size() < MOST_WINDOWS) {
        windows.add(window(quota, answer));
      }
      return;
    }
    QuotaWindow window = windows.get(index);
    String partition = window.policy().partition();
    if (partition != null && !partition.equals(quota.policy().partition())) {
      windows.set(index, window(quota, answer));
      mixedNanos = answer.nowNanos();
      return;
    }
    if (!known && window.isVague(quota)) {
      window.spentBefore();
    } else {
      window.learn(quota, answer);
    }
  }

  private QuotaWindow window(Quota quota, QuotaWindow.QuotaAnswer answer) {
    CostLedger known = spent == null ? new CostLedger() : spent;
    return new QuotaWindow(quota, answer, known, attempts);
  }

  private int indexOf(String name) {
    for (int i = 0; i < windows.size(); i++) {
      if (windows.get(i).name().equals(name)) {
        return i;
      }
    }
    return -1;
  }

  /** Corrects the cost with which a call was booked, 0 for none. */
  void settle(int reserved, int used) {
    windows.forEach(window -> window.settle(reserved, used));
  }

  /** An attempt got no answer. */
  void lost() {
    windows.forEach(QuotaWindow::lost);
  }

  /** Begins with the next window of each quota whose window is over. */
  void roll(long nowNanos) {
    boolean rolled = false;
    for (QuotaWindow window : windows) {
      rolled |= window.roll(nowNanos);
    }
    if (rolled && windows.removeIf(QuotaWindow::isForgotten)) {
      lookForCosts();
    }
  }

  // Spending.

  /** Books an attempt that is sent now, and returns its number. */
  long sent(OperationInfo operation, long nowNanos) {
    long number = attempts++;
    for (QuotaWindow window : windows) {
      window.sent(number, operation, nowNanos);
    }
    if (spent == null && operation.cost() > 0) {
      spent = new CostLedger();
    }
    if (spent != null) {
      spent.sent(number, operation.cost(), false, nowNanos);
    }
    return number;
  }

  /** No answer to an attempt follows. */
  void over(long number) {
    windows.forEach(window -> window.over(number));
    if (spent != null) {
      spent.over(number);
    }
  }

  /** Takes back an attempt that was not sent. */
  void unsent(long number) {
    attempts -= number == attempts - 1 ? 1 : 0;
    windows.forEach(window -> window.unsent(number));
    if (spent != null) {
      spent.unsent(number);
    }
  }

  /** Whether there is enough left of the quotas in which requests differ in their cost. */
  boolean covers(QuotaWindow.TurnRequest asked, int inFlight) {
    for (QuotaWindow window : windows) {
      if (!window.covers(asked, inFlight)) {
        return false;
      }
    }
    return true;
  }

  /** Whether all quotas have room for an attempt now. */
  boolean hasRoom(QuotaWindow.TurnRequest asked, int inFlight) {
    for (QuotaWindow window : windows) {
      if (!window.hasRoom(asked, inFlight)) {
        return false;
      }
    }
    return true;
  }

  /**
   * When all quotas allow a further attempt: the strictest decides.
   *
   * @param lastNanos when the latest attempt was sent
   * @param inFlight the attempts that are under way
   * @return now or later
   */
  long turn(QuotaWindow.TurnRequest asked, long lastNanos, int inFlight, TurnQueue line) {
    long nowNanos = asked.nowNanos();
    long latest = nowNanos;
    if (isMixed(nowNanos)) {
      return latest;
    }
    for (QuotaWindow window : windows) {
      long turn =
          window.isOfRequests()
              ? window.turn(nowNanos, lastNanos, inFlight, line)
              : window.turn(asked, inFlight);
      latest = turn - latest > 0 ? turn : latest;
    }
    return latest;
  }

  /** Whether it is not known whose quota an operation spends. */
  private boolean isMixed(long nowNanos) {
    Long mixed = mixedNanos;
    return mixed != null && nowNanos - mixed < MIXED_NANOS;
  }

  /** When it is worth asking again, at the latest when the turn comes. */
  long askAgain(QuotaWindow.TurnRequest asked, int inFlight, long turn) {
    long again = turn;
    for (QuotaWindow window : windows) {
      again = window.askAgain(asked, inFlight, again);
    }
    return again;
  }

  /** The rest of the quota that has the least left; the largest number if there is none. */
  long left() {
    long least = Long.MAX_VALUE;
    for (QuotaWindow window : windows) {
      least = Math.min(least, window.left());
    }
    return least;
  }

  @Override
  public String toString() {
    return windows.toString();
  }
}
