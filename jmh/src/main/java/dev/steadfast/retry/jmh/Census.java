package dev.steadfast.retry.jmh;

import dev.steadfast.retry.RetryPolicy;
import java.lang.management.ManagementFactory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * Counts objects by class: those that a call makes beyond another one, or those of an operation
 * that waits. Where a benchmark says how many bytes, this says whose.
 *
 * <p>The heap is counted as a whole, garbage included, so nothing may be collected on the way: run
 * it as {@code jmh/run.sh} does, with the serial collector and a young generation of gigabytes.
 */
final class Census {
  private static final int CALLS = 10_000;
  private static final int WARM_UP = 40_000;
  private static final int WAITING = 100_000;
  private static final Pattern LINE = Pattern.compile("\\s*\\d+:\\s+(\\d+)\\s+(\\d+)\\s+(\\S+).*");

  /** What there is of a class. */
  record Count(long objects, long bytes) {
    static final Count NONE = new Count(0, 0);

    Count less(Count other) {
      return new Count(objects - other.objects, bytes - other.bytes);
    }
  }

  private Census() {}

  /**
   * Prints a table.
   *
   * @param args {@code waiting}; or two methods of a benchmark, such as {@code
   *     OkHttpBenchmark.getSteadfast OkHttpBenchmark.getPlain}
   */
  public static void main(String[] args) throws Exception {
    if (args.length == 1 && args[0].equals("waiting")) {
      print("an operation that waits, in all", waiting(WAITING), WAITING);
    } else if (args.length == 2) {
      Map<String, Count> than = made(benchmark(args[1]));
      Map<String, Count> more = less(made(benchmark(args[0])), than);
      print(args[0] + ", more than " + args[1], more, CALLS);
    } else {
      System.err.println("usage: Census waiting | Census <benchmark.method> <benchmark.method>");
      System.exit(2);
    }
    System.exit(0); // the clients' threads are no daemons
  }

  private static Callable<?> benchmark(String name) throws ReflectiveOperationException {
    int dot = name.indexOf('.');
    Class<?> type = Class.forName(Census.class.getPackageName() + "." + name.substring(0, dot));
    Object benchmark = type.getConstructor().newInstance();
    Method method = type.getMethod(name.substring(dot + 1));
    return () -> {
      try {
        return method.invoke(benchmark);
      } catch (InvocationTargetException thrown) {
        throw new IllegalStateException(name, thrown.getCause());
      }
    };
  }

  private static Map<String, Count> made(Callable<?> call) throws Exception {
    repeat(call, WARM_UP);
    System.gc();
    Map<String, Count> before = heap("-all");
    repeat(call, CALLS);
    return less(heap("-all"), before);
  }

  private static void repeat(Callable<?> call, int times) throws Exception {
    for (int i = 0; i < times; i++) {
      call.call();
    }
  }

  static Map<String, Count> waiting(int operations) throws Exception {
    RetryPolicy.Builder policy = RetryPolicy.builder().totalTimeout(Duration.ofMinutes(10));
    Waiters waiters = Waiters.steadfast(policy, Duration.ofMinutes(5));
    Waiters.Attempt fails = () -> false;
    Object[] started = new Object[operations + 1];
    started[operations] = waiters.start(fails); // what is made once is not counted
    Map<String, Count> before = live();
    for (int i = 0; i < operations; i++) {
      started[i] = waiters.start(fails);
    }
    Map<String, Count> more = less(live(), before);
    for (Object operation : started) {
      waiters.cancel(operation);
    }
    return more;
  }

  private static Map<String, Count> live() throws JMException, InterruptedException {
    TimeUnit.MILLISECONDS.sleep(100); // lets what is still on its way come to rest
    System.gc();
    return heap();
  }

  private static Map<String, Count> heap(String... options) throws JMException {
    ObjectName commands = new ObjectName("com.sun.management:type=DiagnosticCommand");
    Object[] arguments = {options};
    String[] types = {String[].class.getName()};
    Object table =
        ManagementFactory.getPlatformMBeanServer()
            .invoke(commands, "gcClassHistogram", arguments, types);
    Map<String, Count> counts = new HashMap<>();
    for (String line : table.toString().lines().toList()) {
      Matcher matcher = LINE.matcher(line);
      if (matcher.matches() && !matcher.group(3).contains("FillerElement")) { // the collector's own
        counts.put(
            matcher.group(3),
            new Count(Long.parseLong(matcher.group(1)), Long.parseLong(matcher.group(2))));
      }
    }
    return counts;
  }

  private static Map<String, Count> less(Map<String, Count> all, Map<String, Count> than) {
    Map<String, Count> rest = new HashMap<>(all);
    than.forEach((type, count) -> rest.put(type, all.getOrDefault(type, Count.NONE).less(count)));
    return rest;
  }

  private static void print(String title, Map<String, Count> counts, int operations) {
    long total = counts.values().stream().mapToLong(Count::bytes).sum();
    System.out.printf(Locale.ROOT, "%s: %d B%n", title, Math.round((double) total / operations));
    List<Map.Entry<String, Count>> rows = new ArrayList<>(counts.entrySet());
    // What is made in one call of two is noise of the clients' pools and of the compiler.
    rows.removeIf(row -> Math.abs(row.getValue().objects()) * 2 < operations);
    rows.sort(Comparator.comparingLong(row -> -row.getValue().bytes()));
    for (Map.Entry<String, Count> row : rows) {
      Count count = row.getValue();
      System.out.printf(
          Locale.ROOT,
          "%6.0f B %5.1f x %s%n",
          (double) count.bytes() / operations,
          (double) count.objects() / operations,
          row.getKey().replaceAll("\\$\\$Lambda.*", " (a lambda)"));
    }
  }
}
