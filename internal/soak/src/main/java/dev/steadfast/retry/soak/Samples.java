package dev.steadfast.retry.soak;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

/** What this process holds over time, and how fast that grows. */
final class Samples {
  // The first samples are from a process that still warms up.
  private static final int LEFT_OUT_PERCENT = 25;

  private final long startNanos = System.nanoTime();
  private final List<Sample> samples = new ArrayList<>();

  /** What the process held at one time. */
  private record Sample(double minutes, double heapKib, double threads, double descriptors) {}

  /** Growth per minute, with the standard error of a straight line through the samples. */
  record Slope(String name, double perMinute, double error, double first, double last) {
    /** Whether it grows faster than its noise, and by more than may be by chance. */
    boolean grows(double least) {
      return perMinute > 3 * error && last - first > least;
    }

    @Override
    public String toString() {
      return String.format(
          Locale.ROOT,
          "%s: %+.3f ± %.3f per minute, from %.0f to %.0f",
          name,
          perMinute,
          error,
          first,
          last);
    }
  }

  /** Takes a sample, after a garbage collection. */
  void take() {
    System.gc();
    System.gc(); // what references of the first one have let go
    samples.add(
        new Sample(
            (System.nanoTime() - startNanos) / 60e9,
            ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / 1024.0,
            ManagementFactory.getThreadMXBean().getThreadCount(),
            openFiles()));
  }

  private static double openFiles() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
        ? unix.getOpenFileDescriptorCount()
        : 0;
  }

  int size() {
    return samples.size();
  }

  Slope heapKib() {
    return slope("heap after collection, KiB", Sample::heapKib);
  }

  Slope threads() {
    return slope("threads", Sample::threads);
  }

  Slope descriptors() {
    return slope("file descriptors", Sample::descriptors);
  }

  private Slope slope(String name, ToDoubleFunction<Sample> value) {
    List<Sample> used = samples.subList(samples.size() * LEFT_OUT_PERCENT / 100, samples.size());
    int n = used.size();
    double x = used.stream().mapToDouble(Sample::minutes).average().orElse(0);
    double y = used.stream().mapToDouble(value).average().orElse(0);
    double xx = 0;
    double xy = 0;
    for (Sample each : used) {
      xx += (each.minutes() - x) * (each.minutes() - x);
      xy += (each.minutes() - x) * (value.applyAsDouble(each) - y);
    }
    double perMinute = n > 2 ? xy / xx : 0;
    double squares = 0;
    for (Sample each : used) {
      double off = value.applyAsDouble(each) - y - perMinute * (each.minutes() - x);
      squares += off * off;
    }
    double error = n > 2 ? Math.sqrt(squares / (n - 2) / xx) : 0;
    return new Slope(
        name,
        perMinute,
        error,
        n == 0 ? 0 : value.applyAsDouble(used.get(0)),
        n == 0 ? 0 : value.applyAsDouble(used.get(n - 1)));
  }

  /** The threads of this process, by name without numbers. */
  static Map<String, Integer> threadNames() {
    Map<String, Integer> names = new TreeMap<>();
    for (Thread each : Thread.getAllStackTraces().keySet()) {
      names.merge(each.getName().replaceAll("[0-9]+", "N"), 1, Integer::sum);
    }
    return names;
  }

  /** The library's threads, with what they do. */
  static Map<Thread, StackTraceElement[]> ownThreads() {
    Map<Thread, StackTraceElement[]> threads = new HashMap<>(Thread.getAllStackTraces());
    threads.keySet().removeIf(each -> !each.getName().startsWith("steadfast-"));
    return threads;
  }

  /** The same as text. */
  static String ownStacks() {
    StringBuilder text = new StringBuilder();
    ownThreads()
        .forEach((thread, frames) -> {
          text.append("\n  ").append(thread.getName()).append(", ").append(thread.getState());
          for (StackTraceElement frame : frames) {
            text.append("\n    ").append(frame);
          }
        });
    return text.toString();
  }
}
