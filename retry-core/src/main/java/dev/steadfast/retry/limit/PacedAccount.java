package dev.steadfast.retry.limit;

import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.Quota;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The quotas of one key, and the operations that spend from them. Safe for use by many threads.
 *
 * <p>An operation that must wait gets a turn, which is its own until it has come back, has ended,
 * or is a second late. It is not made to wait again, unless somebody else has spent what was left.
 *
 * <p>Only an operation that needs a turn, or whose turn has come, takes the lock. What is learned
 * or has ended is put into a queue, and whoever has the lock next books it: so an answer waits for
 * nobody. All that is done under the lock takes steps in proportion to the logarithm of the number
 * of turns.
 */
final class PacedAccount implements Turn.Account {
  private static final int MOST_WINDOWS = 8;
  private static final long LATE_NANOS = 1_000_000_000;
  // If answers under one key name different partitions, it is not known whose quota the next
  // request spends. Then nothing is held back for this time.
  private static final long MIXED_NANOS = 60_000_000_000L;

  private final Map<OperationInfo, Turn> turns; // of all accounts
  private final @Nullable FixedQuota fixed;
  private final Queue<Runnable> told = new ConcurrentLinkedQueue<>(); // and not booked yet

  private final ReentrantLock lock = new ReentrantLock(); // guards what follows
  private final Line line = new Line();
  private final List<QuotaWindow> windows = new ArrayList<>();
  private int inFlight;
  private @Nullable Long lastNanos; // when the latest attempt was sent
  private @Nullable Long mixedNanos; // when a partition last followed another one
  private long order;

  record Standing(long remaining, int inFlight, int waiting) {}

  /**
   * An account that has learned nothing.
   *
   * @param fixed what the user has named, null for nothing
   */
  PacedAccount(Map<OperationInfo, Turn> turns, @Nullable FixedQuota fixed) {
    this.turns = turns;
    this.fixed = fixed;
  }

  /** A turn that runs, or one that is due later. */
  Turn acquire(OperationInfo operation, long nowNanos) {
    Turn kept = kept(operation);
    if (kept != null && kept.atNanos - nowNanos > 0) {
      return kept;
    }
    lock.lock();
    try {
      update(nowNanos);
      kept = kept(operation); // it may have been too late
      boolean due = kept != null && hasRoom(nowNanos);
      if (kept != null) {
        leave(kept);
      }
      long atNanos = due ? nowNanos : next(nowNanos);
      return atNanos - nowNanos > 0 ? await(operation, atNanos) : send(operation, nowNanos);
    } finally {
      unlock();
    }
  }

  /** How long until an attempt; reserves a turn if that is not now. */
  long admitsInNanos(OperationInfo operation, long nowNanos) {
    Turn kept = kept(operation);
    if (kept != null) {
      return Math.max(0, kept.atNanos - nowNanos);
    }
    lock.lock();
    try {
      update(nowNanos);
      long atNanos = next(nowNanos);
      if (atNanos - nowNanos > 0) {
        await(operation, atNanos);
      }
      return Math.max(0, atNanos - nowNanos);
    } finally {
      unlock();
    }
  }

  /** Ends an attempt. */
  @Override
  public void end(Turn turn, Turn.Ending how) {
    book(() -> {
      if (turn.over) {
        return;
      }
      turn.over = true;
      inFlight--;
      if (how != Turn.Ending.OVER) {
        turns.remove(turn.operation(), turn); // else its answer may still be learned from
      }
      if (how == Turn.Ending.LOST && !turn.answered) {
        windows.forEach(QuotaWindow::lost);
      }
      boolean gone = how == Turn.Ending.RELEASED || how == Turn.Ending.UNSENT;
      Long last = lastNanos;
      if (gone && !turn.answered && last != null && last == turn.atNanos) {
        lastNanos = turn.beforeNanos;
      }
      if (fixed != null && how == Turn.Ending.UNSENT) {
        fixed.unsent(turn.number);
      }
    });
  }

  /** Ends a turn whose attempt was not sent. */
  @Override
  public void withdraw(Turn turn) {
    if (turn.runs) {
      return;
    }
    book(() -> {
      if (!turn.over) {
        leave(turn);
      }
    });
  }

  /** Learns from an answer. */
  void learn(@Nullable Turn attempt, List<Quota> quotas, long nowNanos) {
    book(() -> {
      roll(nowNanos);
      Turn known = attempt != null && attempt.of(this) && attempt.runs ? attempt : null;
      if (known != null) {
        known.answered = true;
      }
      for (Quota quota : quotas) {
        learn(quota, known, nowNanos);
      }
    });
  }

  /** The request was sent before anything was known, or by other means, if there is no attempt. */
  private void learn(Quota quota, @Nullable Turn attempt, long nowNanos) {
    long sentNanos = attempt == null ? nowNanos : attempt.atNanos;
    int index = indexOf(quota.policy().name());
    if (index < 0) {
      if (windows.size() < MOST_WINDOWS) {
        windows.add(new QuotaWindow(quota, sentNanos, nowNanos));
      }
      return;
    }
    QuotaWindow known = windows.get(index);
    String partition = known.policy().partition();
    if (partition == null || partition.equals(quota.policy().partition())) {
      if (attempt == null && known.isVague(quota)) {
        known.spentBefore();
      } else {
        known.learn(quota, sentNanos, nowNanos, inFlight);
      }
    } else {
      windows.set(index, new QuotaWindow(quota, sentNanos, nowNanos));
      mixedNanos = nowNanos;
    }
  }

  private int indexOf(String name) {
    for (int i = 0; i < windows.size(); i++) {
      if (windows.get(i).name().equals(name)) {
        return i;
      }
    }
    return -1;
  }

  // The lock.

  /** Books what was told, at once if nobody has the lock. */
  private void book(Runnable what) {
    told.add(what);
    bookRest();
  }

  private void bookRest() {
    // Whoever has the lock comes here after letting it go, so nothing is left behind.
    while (!told.isEmpty() && lock.tryLock()) {
      try {
        bookTold();
      } finally {
        lock.unlock();
      }
    }
  }

  private void bookTold() {
    Runnable next = told.poll();
    while (next != null) {
      next.run();
      next = told.poll();
    }
  }

  private void unlock() {
    lock.unlock();
    bookRest();
  }

  private void update(long nowNanos) {
    bookTold();
    roll(nowNanos);
    Turn first = line.first();
    while (first != null && nowNanos - first.atNanos > LATE_NANOS) {
      leave(first);
      first = line.first();
    }
  }

  private void roll(long nowNanos) {
    boolean rolled = false;
    for (QuotaWindow window : windows) {
      rolled |= window.roll(nowNanos);
    }
    if (rolled) {
      windows.removeIf(QuotaWindow::isForgotten);
    }
  }

  // Turns.

  private @Nullable Turn kept(OperationInfo operation) {
    Turn turn = turns.get(operation);
    return turn != null && turn.of(this) && !turn.runs ? turn : null;
  }

  private Turn await(OperationInfo operation, long atNanos) {
    Turn turn = Turn.due(this, operation, order++, atNanos);
    line.add(turn);
    turns.put(operation, turn);
    return turn;
  }

  private void leave(Turn turn) {
    turn.over = true;
    line.remove(turn);
    turns.remove(turn.operation(), turn);
  }

  private Turn send(OperationInfo operation, long nowNanos) {
    Turn turn = Turn.running(this, operation, nowNanos);
    inFlight++;
    turn.beforeNanos = lastNanos;
    lastNanos = nowNanos;
    if (fixed != null) {
      turn.number = fixed.sent(nowNanos);
    }
    turns.put(operation, turn);
    return turn;
  }

  private boolean hasRoom(long nowNanos) {
    for (QuotaWindow window : windows) {
      if (!window.hasRoom(inFlight)) {
        return false;
      }
    }
    return fixed == null || fixed.hasRoom(nowNanos);
  }

  /** When all quotas allow a further attempt: the strictest decides. */
  private long next(long nowNanos) {
    long latest = fixed == null ? nowNanos : fixed.turn(nowNanos, line);
    if (isMixed(nowNanos)) {
      return latest;
    }
    Long last = lastNanos;
    long since = last == null ? nowNanos - QuotaWindow.MOST_SPACING_NANOS : last;
    for (QuotaWindow window : windows) {
      long turn = window.turn(nowNanos, since, inFlight, line);
      latest = turn - latest > 0 ? turn : latest;
    }
    return latest;
  }

  /** Whether it is not known whose quota an operation spends. */
  private boolean isMixed(long nowNanos) {
    Long mixed = mixedNanos;
    return mixed != null && nowNanos - mixed < MIXED_NANOS;
  }

  // How it stands.

  /** Whether nothing is lost if the account is forgotten, but for what it has learned. */
  boolean isIdle(long nowNanos) {
    lock.lock();
    try {
      bookTold();
      boolean unused = inFlight == 0 && line.size() == 0;
      return unused && (fixed == null || fixed.isWhole(nowNanos));
    } finally {
      unlock();
    }
  }

  Standing state() {
    lock.lock();
    try {
      bookTold();
      long least = fixed == null ? Long.MAX_VALUE : fixed.left();
      for (QuotaWindow window : windows) {
        least = Math.min(least, window.left());
      }
      return new Standing(least, inFlight, line.size());
    } finally {
      unlock();
    }
  }
}
