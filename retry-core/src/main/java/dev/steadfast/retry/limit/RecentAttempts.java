package dev.steadfast.retry.limit;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * How many attempts were sent, and how many of them succeeded, in the last two seconds. The share
 * that a client holds back follows from that: it sends at most twice what succeeds. Lock-free and
 * safe for use by many threads.
 *
 * <p>The SRE book takes a window of two minutes, which remembers an outage long after its end. It
 * also counts attempts that were held back. They do not count here, because they would delay the
 * recovery of a client that has held back most of its attempts. One attempt in ten is sent in any
 * case, because otherwise nobody would learn that the server is well again.
 *
 * @see <a href="https://sre.google/sre-book/handling-overload/">Handling Overload, Site Reliability
 *     Engineering, O'Reilly 2016: client-side throttling</a>
 */
final class RecentAttempts {
  private static final int SLOTS = 8;
  private static final long SLOT_NANOS = 250_000_000;
  private static final double PER_SUCCESS = 2;
  private static final double MOST = 0.9;

  // A slot is one long: the time that it counts for, sent, succeeded.
  private static final int TICK_SHIFT = 40;
  private static final int SENT_SHIFT = 20;
  private static final long COUNT_MASK = (1L << SENT_SHIFT) - 1;
  private static final long TICK_MASK = (1L << (64 - TICK_SHIFT)) - 1;

  private final long originNanos;
  private final AtomicLongArray slots = new AtomicLongArray(SLOTS);
  private volatile long latestTick; // of the latest attempt that was sent

  /** A window that begins with an attempt that was sent, and lost. */
  RecentAttempts(long nowNanos) {
    this.originNanos = nowNanos;
    add(0, 1, 0);
  }

  /** An attempt is sent. */
  void sent(long nowNanos) {
    long tick = tick(nowNanos);
    latestTick = tick;
    add(tick, 1, 0);
  }

  /**
   * An attempt that was sent says nothing, so it does not count. It is taken from those of the
   * latest time, as an attempt does not keep its own.
   */
  void forget() {
    add(latestTick, -1, 0);
  }

  /** An attempt succeeded. It counts for the time of the latest one that was sent. */
  void succeeded() {
    add(latestTick, 0, 1);
  }

  /** The share to hold back of the attempts that are about to be sent, from 0 to 0.9. */
  double share(long nowNanos) {
    return share(tick(nowNanos), 1);
  }

  /** Whether more was sent than twice what succeeded. */
  boolean isInExcess() {
    return share(latestTick, 0) > 0;
  }

  private double share(long tick, int more) {
    long sent = more;
    long succeeded = 0;
    for (int i = 0; i < SLOTS; i++) {
      long slot = slots.get(i);
      if (age(tick, slot) < SLOTS) {
        sent += sentIn(slot);
        succeeded += slot & COUNT_MASK;
      }
    }
    return Math.max(0, Math.min(MOST, (sent - PER_SUCCESS * succeeded) / (sent + 1)));
  }

  // Ticks come round again after 48 days, and a thread may come with a time that is a little old.
  private long tick(long nowNanos) {
    return Math.floorDiv(nowNanos - originNanos, SLOT_NANOS) & TICK_MASK;
  }

  private static long age(long tick, long slot) {
    return (tick - (slot >>> TICK_SHIFT)) & TICK_MASK;
  }

  private static long sentIn(long slot) {
    return (slot >>> SENT_SHIFT) & COUNT_MASK;
  }

  private void add(long tick, int sent, int succeeded) {
    int index = (int) (tick % SLOTS);
    long before;
    long after;
    do {
      before = slots.get(index);
      boolean old = before >>> TICK_SHIFT != tick;
      long sends = bounded((old ? 0 : sentIn(before)) + sent);
      long successes = bounded((old ? 0 : before & COUNT_MASK) + succeeded);
      after = (tick << TICK_SHIFT) | (sends << SENT_SHIFT) | successes;
    } while (!slots.compareAndSet(index, before, after));
  }

  private static long bounded(long count) {
    return Math.max(0, Math.min(COUNT_MASK, count));
  }

  @Override
  public String toString() {
    return "holds back " + share(latestTick, 1);
  }
}
