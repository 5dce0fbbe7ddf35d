package dev.steadfast.retry.examples.outage;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * A server stalls for ten seconds at 70 % load. Which clients let it recover, and when? Over real
 * HTTP and in real time, all of them side by side.
 */
public final class Outage {
  private Outage() {}

  /**
   * Runs all clients with all policies, prints the results and draws them.
   *
   * @param arguments the file for the chart
   * @throws IOException if a port cannot be opened or the chart not be written
   * @throws InterruptedException never
   */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    Path chart = Path.of(arguments[0]);
    List<Long> arrivals = Scenario.arrivals(Scenario.SEED);
    long origin = System.nanoTime() + Scenario.WARM_UP * Scenario.SECOND;
    List<OutageRun> runs = runs(origin);
    List<OutageRun> rehearsal = rehearsal(origin);
    OutageReport.introduce();
    Pace pace = new Pace(origin, runs.size() * arrivals.size());
    List<Thread> drivers = new ArrayList<>();
    runs.forEach(run -> drivers.add(driver(run, arrivals, pace)));
    rehearsal.forEach(run -> drivers.add(driver(run, warmUp(arrivals), pace)));
    for (Thread driver : drivers) {
      driver.join();
    }
    awaitTheLast(runs);
    runs.forEach(run -> run.tally().end());
    OutageReport.print(runs, pace);
    OutageChart.write(runs, chart);
    System.out.println();
    System.out.println("The chart: " + chart);
    System.out.println();
    OutageReport.printLines(runs);
    System.exit(0);
  }

  private static List<OutageRun> runs(long origin) throws IOException {
    List<OutageRun> runs = new ArrayList<>();
    for (OutageRun.Client client : OutageRun.Client.values()) {
      for (Policy policy : Policy.values()) {
        runs.add(new OutageRun(client, policy, Scenario.queue(Scenario.SEED), origin));
      }
    }
    return runs;
  }

  /** Fails from its first call on, before the others do. */
  private static List<OutageRun> rehearsal(long origin) throws IOException {
    List<OutageRun> runs = new ArrayList<>();
    for (OutageRun.Client client : OutageRun.Client.values()) {
      runs.add(new OutageRun(client, Policy.JITTER, Scenario.stalledQueue(), origin));
    }
    return runs;
  }

  private static List<Long> warmUp(List<Long> arrivals) {
    return arrivals.stream().filter(arrival -> arrival < 0).toList();
  }

  /** A thread for each run: on a busy machine one for all would be late for all. */
  private static Thread driver(OutageRun run, List<Long> arrivals, Pace pace) {
    Thread driver =
        new Thread(
            () -> {
              for (long arrival : arrivals) {
                pace.awaits(arrival);
                run.begin(arrival);
              }
            },
            "driver");
    driver.setDaemon(true);
    driver.start();
    return driver;
  }

  /** Four attempts of a second and the waits between them; then what is left has failed. */
  private static void awaitTheLast(List<OutageRun> runs) {
    long give = System.nanoTime() + 2L * Scenario.MAX_ATTEMPTS * Scenario.TIMEOUT.toNanos();
    while (runs.stream().anyMatch(run -> run.underWay() > 0) && System.nanoTime() - give < 0) {
      LockSupport.parkNanos(Scenario.SECOND / 20);
    }
  }
}
