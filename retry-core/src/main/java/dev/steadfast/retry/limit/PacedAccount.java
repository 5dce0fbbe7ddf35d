package dev.steadfast.retry.limit;

import dev.steadfast.retry.Guard;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.Quota;
import dev.steadfast.retry.internal.Checks;
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
 * <p>Only an operation that needs a turn, or whose turn has come, takes the lock. Answers and ends
 * are put into a queue, and whoever has the lock next books them: so an answer waits for nobody.
 * All that is done under the lock takes steps in proportion to the logarithm of the number of
 * turns.
 */
final class PacedAccount implements Turn.Account {
  private static final long LATE_NANOS = 1_000_000_000;

  private final Map<OperationInfo, Turn> turns; // of all accounts
  private final @Nullable FixedQuota fixed;
  private final Queue<Runnable> told = new ConcurrentLinkedQueue<>(); // and not booked yet

  private final ReentrantLock lock = new ReentrantLock(); // guards what follows
  private final TurnQueue line = new TurnQueue();
  private final QuotaWindows windows = new QuotaWindows();
  private int inFlight;
  private @Nullable Long lastNanos; // when the latest attempt was sent
  private long order; // of who waits

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

  /**
   * A turn that runs, or one that is due later.
   *
   * @throws IllegalArgumentException if the attempt costs more than a quota can ever bear
   */
  Turn acquire(OperationInfo operation, long nowNanos) {
    Turn kept = kept(operation);
    if (kept != null && kept.atNanos - nowNanos > 0 && !windows.isCostly()) {
      return kept;
    }
    lock.lock();
    try {
      update(nowNanos);
      kept = kept(operation); // it may have been too late
      QuotaWindow.TurnRequest asked = asked(operation, kept, nowNanos);
      QuotaWindow exceeded = windows.exceeded(operation);
      if (exceeded != null) {
        throw Checks.bad("cost", operation.cost(), exceeded.range());
      }
      return kept == null ? begin(asked, next(asked), order++) : take(kept, asked);
    } finally {
      unlock();
    }
  }

  private Turn take(Turn kept, QuotaWindow.TurnRequest asked) {
    boolean due = kept.atNanos - asked.nowNanos() <= 0;
    if (!due && !windows.covers(asked, inFlight)) {
      return kept;
    }
    boolean sent = due && hasRoom(asked);
    leave(kept);
    long atNanos = sent ? asked.nowNanos() : next(asked);
    boolean sooner = due || atNanos - kept.atNanos < 0;
    return begin(asked, sooner ? atNanos : kept.atNanos, kept.number);
  }

  /** When its turn comes: sooner than planned, if attempts have cost less than was booked. */
  private long sooner(Turn kept, QuotaWindow.TurnRequest asked) {
    if (!windows.isCostly()
        || kept.atNanos - asked.nowNanos() <= 0
        || !windows.covers(asked, inFlight)) {
      return kept.atNanos;
    }
    leave(kept);
    long atNanos = next(asked);
    Turn turn =
        atNanos - kept.atNanos < 0
            ? await(asked.operation(), atNanos, kept.number)
            : await(asked.operation(), kept.atNanos, kept.number);
    return turn.atNanos;
  }

  private Turn begin(QuotaWindow.TurnRequest asked, long atNanos, long place) {
    return atNanos - asked.nowNanos() > 0
        ? await(asked.operation(), atNanos, place)
        : send(asked.operation(), asked.nowNanos());
  }

  /** How long until an attempt; reserves a turn if that is not now. */
  long admitsInNanos(OperationInfo operation, long nowNanos) {
    Turn kept = kept(operation);
    if (kept != null && !windows.isCostly()) {
      return Math.max(0, kept.atNanos - nowNanos);
    }
    lock.lock();
    try {
      update(nowNanos);
      kept = kept(operation);
      QuotaWindow.TurnRequest asked = asked(operation, kept, nowNanos);
      if (windows.exceeded(operation) != null) {
        return Guard.NEVER;
      }
      long atNanos = kept == null ? next(asked) : sooner(kept, asked);
      if (kept == null && atNanos - nowNanos > 0) {
        await(operation, atNanos, order++);
      }
      atNanos = windows.askAgain(asked, inFlight, atNanos);
      return Math.max(0, atNanos - nowNanos);
    } finally {
      unlock();
    }
  }

  private QuotaWindow.TurnRequest asked(
      OperationInfo operation, @Nullable Turn kept, long nowNanos) {
    TurnQueue.Ahead ahead = kept == null ? line.all() : line.before(kept);
    return new QuotaWindow.TurnRequest(operation, ahead, nowNanos);
  }

  /** Ends an attempt. */
  @Override
  public void end(Turn turn, Turn.Ending how) {
    book(() -> {
      if (turn.over) {
        return;
      }
      turn.over = true;
      if (!turn.answered) {
        inFlight--;
      }
      windows.over(turn.number);
      if (how != Turn.Ending.OVER) {
        turns.remove(turn.operation(), turn); // else its answer may still be learned from
      }
      if (how == Turn.Ending.LOST && !turn.answered) {
        windows.lost();
      }
      boolean gone = how == Turn.Ending.RELEASED || how == Turn.Ending.UNSENT;
      Long last = lastNanos;
      if (gone && !turn.answered && last != null && last == turn.atNanos) {
        lastNanos = turn.beforeNanos;
      }
      if (how == Turn.Ending.UNSENT) {
        unsent(turn.number);
      }
    });
  }

  private void unsent(long number) {
    windows.unsent(number);
    if (fixed != null) {
      fixed.unsent(number);
    }
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
      windows.roll(nowNanos);
      Turn known = attempt != null && attempt.of(this) && attempt.runs ? attempt : null;
      windows.learn(quotas, known, nowNanos, inFlight);
      if (known != null && !known.answered && !known.over) {
        inFlight--;
      }
      if (known != null) {
        known.answered = true;
      }
    });
  }

  /** Corrects the cost with which a call was booked, 0 for none. */
  void settle(int reserved, int used) {
    book(() -> windows.settle(reserved, used));
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
    windows.roll(nowNanos);
    Turn first = line.first();
    while (first != null && nowNanos - first.atNanos > LATE_NANOS) {
      leave(first);
      first = line.first();
    }
  }

  // Turns.

  private @Nullable Turn kept(OperationInfo operation) {
    Turn turn = turns.get(operation);
    return turn != null && turn.of(this) && !turn.runs ? turn : null;
  }

  private Turn await(OperationInfo operation, long atNanos, long place) {
    Turn turn = Turn.due(this, operation, place, atNanos);
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
    long number = windows.sent(operation, nowNanos);
    Turn turn = Turn.running(this, operation, number, nowNanos);
    inFlight++;
    turn.beforeNanos = lastNanos;
    lastNanos = nowNanos;
    if (fixed != null) {
      fixed.sent(nowNanos);
    }
    turns.put(operation, turn);
    return turn;
  }

  private boolean hasRoom(QuotaWindow.TurnRequest asked) {
    return windows.hasRoom(asked, inFlight) && (fixed == null || fixed.hasRoom(asked.nowNanos()));
  }

  /** When all quotas allow a further attempt: the strictest decides. */
  private long next(QuotaWindow.TurnRequest asked) {
    long nowNanos = asked.nowNanos();
    Long last = lastNanos;
    long since = last == null ? nowNanos - QuotaWindow.MOST_SPACING_NANOS : last;
    long learned = windows.turn(asked, since, inFlight, line);
    long named = fixed == null ? nowNanos : fixed.turn(nowNanos, asked.ahead().turns(), line);
    return named - learned > 0 ? named : learned;
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
      long named = fixed == null ? Long.MAX_VALUE : fixed.left();
      return new Standing(Math.min(named, windows.left()), inFlight, line.size());
    } finally {
      unlock();
    }
  }
}
