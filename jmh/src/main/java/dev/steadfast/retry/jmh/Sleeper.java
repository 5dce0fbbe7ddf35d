package dev.steadfast.retry.jmh;

import java.util.function.LongConsumer;

/** Fails once, and tells how long after its time it is called again. */
final class Sleeper implements Waiters.Attempt {
  private final long delayNanos;
  private final LongConsumer late;
  private long failedNanos;

  Sleeper(long delayNanos, LongConsumer late) {
    this.delayNanos = delayNanos;
    this.late = late;
  }

  // The engine hands the operation from thread to thread, and what was written with it.
  @Override
  public boolean run() {
    long now = System.nanoTime();
    if (failedNanos == 0) {
      failedNanos = now;
      return false;
    }
    late.accept(now - failedNanos - delayNanos);
    return true;
  }
}
