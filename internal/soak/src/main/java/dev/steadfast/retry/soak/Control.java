package dev.steadfast.retry.soak;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * How late a timer of the JDK's and two hand-overs are in this process: what a busy machine does to
 * every deadline, and no fault of the library's.
 */
final class Control {
  private static final long EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long KEPT_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final ScheduledExecutorService timer = Pools.timer("control-timer");
  private final Executor first = Pools.fixed("control-first", 1);
  private final Executor second = Pools.fixed("control-second", 1);
  private final Queue<Seen> seen = new ConcurrentLinkedQueue<>();
  private volatile long dueNanos;
  private volatile long latestNanos;

  /** How late it was, and when. */
  private record Seen(long atNanos, long lateNanos) {}

  Control() {
    begin();
  }

  private void begin() {
    dueNanos = System.nanoTime() + EVERY_NANOS;
    timer.schedule(
        () -> first.execute(() -> second.execute(this::end)), EVERY_NANOS, TimeUnit.NANOSECONDS);
  }

  private void end() {
    long now = System.nanoTime();
    seen.add(new Seen(now, now - dueNanos));
    latestNanos = Math.max(latestNanos, now - dueNanos);
    for (Seen oldest = seen.peek();
        oldest != null && now - oldest.atNanos() > KEPT_NANOS;
        oldest = seen.peek()) {
      seen.remove();
    }
    begin();
  }

  /** The most since a time, with what is under way. */
  long latestSince(long nanos) {
    long most = Math.max(0, System.nanoTime() - dueNanos);
    for (Seen each : seen) {
      if (each.atNanos() - nanos >= 0) {
        most = Math.max(most, each.lateNanos());
      }
    }
    return most;
  }

  /** The most of all times. */
  long latestMillis() {
    return latestNanos / 1_000_000;
  }
}
