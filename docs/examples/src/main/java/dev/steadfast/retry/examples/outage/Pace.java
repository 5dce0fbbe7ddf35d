package dev.steadfast.retry.examples.outage;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/** Keeps the time of the arrivals, and says how well the machine kept up. */
final class Pace {
  /** Half a timeout: what begins later than that comes in a bunch with others. */
  private static final long TOLERANCE = Scenario.TIMEOUT.toNanos() / 2;

  private final long origin;
  private final OperatingSystemMXBean system =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
  private final long cpuBefore = system.getProcessCpuTime();
  private final long createdAt = System.nanoTime();
  private final AtomicLongArray lateNanos;
  private final AtomicInteger arrivals = new AtomicInteger();

  Pace(long origin, int atMost) {
    this.origin = origin;
    this.lateNanos = new AtomicLongArray(atMost);
  }

  /** Waits for a moment. */
  void awaits(long moment) {
    while (now() < moment) {
      LockSupport.parkNanos(moment - now());
    }
    if (moment >= 0) {
      lateNanos.set(arrivals.getAndIncrement(), now() - moment);
    }
  }

  private long now() {
    return System.nanoTime() - origin;
  }

  /** Whether the arrivals came as they should. */
  boolean kept() {
    long[] late = late();
    return late[late.length * 99 / 100] < TOLERANCE;
  }

  private long[] late() {
    return IntStream.range(0, arrivals.get()).mapToLong(lateNanos::get).sorted().toArray();
  }

  @Override
  public String toString() {
    long[] sorted = late();
    return String.format(
        Locale.ROOT,
        "99 %% of the operations began less than %.0f ms late, the latest %.0f ms; servers and clients"
            + " used %.2f of %d processors; load average %.1f",
        sorted[sorted.length * 99 / 100] / 1e6,
        sorted[sorted.length - 1] / 1e6,
        (double) (system.getProcessCpuTime() - cpuBefore) / (System.nanoTime() - createdAt),
        Runtime.getRuntime().availableProcessors(),
        system.getSystemLoadAverage());
  }
}
