package dev.steadfast.retry.limit;

import dev.steadfast.retry.OperationInfo;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The quotas of one key, and the operations that spend from them. Safe for use by many threads. The
 * lock is held for a few steps of arithmetic, and only where a server has told of a quota.
 *
 * <p>An operation that must wait gets a turn, which is its own until it has come back, has ended,
 * or is a second late. It is not made to wait again, unless somebody else has spent what was left.
 */
final class PacedAccount {
  private static final int MOST_WINDOWS = 8;
  private static final long LATE_NANOS = 1_000_000_000;
  // If answers under one key name different partitions, it is not known whose quota the next
  // request spends. Then nothing is held back for this time.
  private static final long MIXED_NANOS = 60_000_000_000L;

  private final Map<OperationInfo, Turn> turns; // of all accounts
  private final ReentrantLock lock = new ReentrantLock();
  private final TreeSet<Turn> waiting = new TreeSet<>(Turn::compare);
  private final List<QuotaWindow> windows = new ArrayList<>();
  private final int[] waitingHere = new int[MOST_WINDOWS];
  private int inFlight;
  private @Nullable Long lastNanos; // when the latest attempt was sent
  private @Nullable Long mixedNanos; // when a partition last followed another one
  private long order;

  record State(long remaining, int inFlight, int waiting) {}

  PacedAccount(Map<OperationInfo, Turn> turns) {
    this.turns = turns;
  }

  /** A turn that runs, or one that is due later. */
  Turn acquire(OperationInfo operation, long nowNanos) {
    lock.lock();
    try {
      update(nowNanos);
      Turn kept = kept(operation);
      if (kept != null && kept.atNanos - nowNanos > 0) {
        return kept;
      }
      boolean due = kept != null && hasRoom();
      if (kept != null) {
        leave(kept);
      }
      Turn turn = new Turn(this, operation, order++, due ? nowNanos : next(nowNanos));
      if (turn.atNanos - nowNanos > 0) {
        await(turn);
      } else {
        turn.atNanos = nowNanos;
        turn.runs = true;
        inFlight++;
        turn.beforeNanos = lastNanos;
        lastNanos = nowNanos;
        turns.put(operation, turn);
      }
      return turn;
    } finally {
      lock.unlock();
    }
  }

  /** How long until an attempt; reserves a turn if that is not now. */
  long admitsInNanos(OperationInfo operation, long nowNanos) {
    lock.lock();
    try {
      update(nowNanos);
      Turn turn = kept(operation);
      if (turn == null) {
        turn = new Turn(this, operation, order++, next(nowNanos));
        if (turn.atNanos - nowNanos > 0) {
          await(turn);
        }
      }
      return Math.max(0, turn.atNanos - nowNanos);
    } finally {
      lock.unlock();
    }
  }

  /** Ends an attempt. */
  void end(Turn turn, Turn.Ending how) {
    lock.lock();
    try {
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
      Long last = lastNanos;
      if (how == Turn.Ending.RELEASED && !turn.answered && last != null && last == turn.atNanos) {
        lastNanos = turn.beforeNanos;
      }
    } finally {
      lock.unlock();
    }
  }

  /** Ends a turn whose attempt was not sent. */
  void withdraw(Turn turn) {
    lock.lock();
    try {
      if (!turn.over && !turn.runs) {
        leave(turn);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Learns from an answer. */
  void learn(@Nullable Turn attempt, List<Quota> quotas, long nowNanos) {
    lock.lock();
    try {
      update(nowNanos);
      long sentNanos = nowNanos;
      if (attempt != null && attempt.of(this) && attempt.runs) {
        sentNanos = attempt.atNanos;
        attempt.answered = true;
      }
      for (Quota quota : quotas) {
        learn(quota, sentNanos, nowNanos);
      }
      recount();
    } finally {
      lock.unlock();
    }
  }

  private void learn(Quota quota, long sentNanos, long nowNanos) {
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
      known.learn(quota, sentNanos, nowNanos, inFlight);
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

  /** Whether it is not known whose quota an operation spends. */
  private boolean isMixed(long nowNanos) {
    Long mixed = mixedNanos;
    return mixed != null && nowNanos - mixed < MIXED_NANOS;
  }

  // Turns.

  private @Nullable Turn kept(OperationInfo operation) {
    Turn turn = turns.get(operation);
    return turn != null && turn.of(this) && !turn.runs ? turn : null;
  }

  private boolean hasRoom() {
    for (QuotaWindow window : windows) {
      if (!window.hasRoom(inFlight)) {
        return false;
      }
    }
    return true;
  }

  private void await(Turn turn) {
    waiting.add(turn);
    turns.put(turn.operation(), turn);
    place(turn);
  }

  private void leave(Turn turn) {
    turn.over = true;
    waiting.remove(turn);
    turns.remove(turn.operation(), turn);
    for (int i = 0; i < windows.size(); i++) {
      waitingHere[i] -= (turn.here >> i) & 1;
    }
  }

  private void place(Turn turn) {
    turn.here = 0;
    for (int i = 0; i < windows.size(); i++) {
      if (turn.atNanos - windows.get(i).latestEnd() < 0) {
        turn.here |= 1 << i;
        waitingHere[i]++;
      }
    }
  }

  private void recount() {
    Arrays.fill(waitingHere, 0);
    waiting.forEach(this::place);
  }

  private void update(long nowNanos) {
    boolean rolled = false;
    for (QuotaWindow window : windows) {
      rolled |= window.roll(nowNanos);
    }
    if (rolled) {
      windows.removeIf(QuotaWindow::isForgotten);
      recount();
    }
    while (!waiting.isEmpty() && nowNanos - waiting.first().atNanos > LATE_NANOS) {
      leave(waiting.first());
    }
  }

  /** When all quotas allow a further attempt: the strictest decides. */
  private long next(long nowNanos) {
    long latest = nowNanos;
    if (isMixed(nowNanos)) {
      return latest;
    }
    Long last = lastNanos;
    long since = last == null ? nowNanos - QuotaWindow.MOST_SPACING_NANOS : last;
    for (int i = 0; i < windows.size(); i++) {
      int here = waitingHere[i];
      QuotaWindow.Ahead ahead = new QuotaWindow.Ahead(inFlight, here, waiting.size() - here);
      long turn = windows.get(i).turn(nowNanos, since, ahead);
      latest = turn - latest > 0 ? turn : latest;
    }
    return latest;
  }

  // How it stands.

  boolean isIdle() {
    lock.lock();
    try {
      return inFlight == 0 && waiting.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  State state() {
    lock.lock();
    try {
      long least = Long.MAX_VALUE;
      for (QuotaWindow window : windows) {
        least = Math.min(least, window.left());
      }
      return new State(least, inFlight, waiting.size());
    } finally {
      lock.unlock();
    }
  }
}
