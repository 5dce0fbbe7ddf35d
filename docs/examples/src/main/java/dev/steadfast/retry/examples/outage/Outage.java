package dev.steadfast.retry.examples.outage;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A server stalls for ten seconds at 70 % load. Which clients let it recover? Real sockets, real
 * time; all runs side by side, each with a server of its own.
 */
public final class Outage {
  private Outage() {}

  /**
   * Runs for about 85 seconds, prints a table and one line per run, and writes a chart.
   *
   * @param args the chart's path, {@code target/outage.svg} by default
   */
  public static void main(String[] args) throws Exception {
    Path chart = Path.of(args.length > 0 ? args[0] : "target/outage.svg");
    List<OutageRun> runs = new ArrayList<>();
    for (String client : List.of("okhttp", "jdk")) {
      Policies.all().forEach((policy, retry) -> runs.add(new OutageRun(client, policy, retry)));
    }
    System.out.printf(
        "A server with 10 workers (100 requests/s) at %d requests/s stalls from second %d to %d.%n"
            + "%d clients, each with a server of its own; this takes %d seconds.%n%n",
        OutageRun.RATE,
        OutageRun.STALL_FROM,
        OutageRun.STALL_UNTIL,
        runs.size(),
        OutageRun.SECONDS);
    runAll(runs);
    table(runs);
    OutageChart.write(runs, chart);
    System.out.println("chart: " + chart);
    System.out.println();
    runs.forEach(Outage::line);
    System.exit(0); // what the storms left behind need not be waited for
  }

  private static void runAll(List<OutageRun> runs) throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    for (OutageRun run : runs) {
      Thread thread = new Thread(() -> start(run), run.client() + "-" + run.policy());
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
  }

  private static void start(OutageRun run) {
    try {
      run.run();
    } catch (IOException e) {
      throw new IllegalStateException(run.client() + " " + run.policy(), e);
    }
  }

  private static void table(List<OutageRun> runs) {
    System.out.printf(
        "%-8s %-8s %10s %8s %12s %14s%n",
        "client", "policy", "recovery", "failed", "peak att./s", "att./s at end");
    for (OutageRun run : runs) {
      System.out.printf(
          "%-8s %-8s %10s %8d %12d %14.0f%n",
          run.client(),
          run.policy(),
          recovery(run),
          run.timeline().failures(),
          run.timeline().peakAttempts(),
          atEnd(run.timeline()));
    }
    System.out.println();
  }

  private static double atEnd(Timeline timeline) {
    int sum = 0;
    for (int second = OutageRun.SECONDS - 10; second < OutageRun.SECONDS; second++) {
      sum += timeline.attempts(second);
    }
    return sum / 10.0;
  }

  private static String recovery(OutageRun run) {
    int seconds = run.timeline().recovery(OutageRun.STALL_UNTIL);
    return seconds < 0 ? "never" : Integer.toString(seconds);
  }

  private static void line(OutageRun run) {
    System.out.printf(
        "outage client=%s policy=%s recovery=%s peak-load=%.1f%n",
        run.client(),
        run.policy(),
        recovery(run),
        run.timeline().peakAttempts() / (double) OutageRun.RATE);
  }
}
