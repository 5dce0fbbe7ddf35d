package dev.steadfast.retry.jmh;

import dev.steadfast.retry.RetryScheduler;
import dev.steadfast.retry.threads.TimerScheduler;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * Schedules a million timers of 30 s per second and cancels each at once. Prints how much memory
 * they hold, and how often the timer thread wakes: its voluntary context switches on Linux.
 */
final class TimerCensus {
  private static final int PER_MILLI = 1_000;
  private static final int SECONDS = 10;

  private TimerCensus() {}

  /** Prints a line per second. */
  public static void main(String[] args) throws Exception {
    RetryScheduler timers = TimerScheduler.system();
    long before = live();
    long wakes = 0;
    for (int second = 1; second <= SECONDS; second++) {
      long start = System.nanoTime();
      for (int milli = 1; milli <= 1_000; milli++) {
        for (int i = 0; i < PER_MILLI; i++) {
          timers.schedule(TimeUnit.SECONDS.toNanos(30), () -> {}).cancel();
        }
        long left = start + TimeUnit.MILLISECONDS.toNanos(milli) - System.nanoTime();
        if (left > 0) {
          LockSupport.parkNanos(left);
        }
      }
      double took = (System.nanoTime() - start) / 1e9;
      long held = live() - before;
      long all = wakes();
      System.out.printf(
          Locale.ROOT,
          "%d: a million in %.2f s, %.1f MB held, the timer thread slept %d times, %d threads%n",
          second,
          took,
          held / 1e6,
          all - wakes,
          ManagementFactory.getThreadMXBean().getThreadCount());
      wakes = all;
    }
  }

  private static long live() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  private static long wakes() throws IOException {
    try (Stream<Path> tasks = Files.list(Path.of("/proc/self/task"))) {
      return tasks.mapToLong(TimerCensus::wakes).sum();
    }
  }

  private static long wakes(Path task) {
    try {
      List<String> status = Files.readAllLines(task.resolve("status"));
      return status.get(0).endsWith("steadfast-timer")
          ? status.stream()
              .filter(line -> line.startsWith("voluntary_ctxt_switches:"))
              .mapToLong(line -> Long.parseLong(line.replaceAll("\\D+", "")))
              .sum()
          : 0;
    } catch (IOException ended) {
      return 0;
    }
  }
}
