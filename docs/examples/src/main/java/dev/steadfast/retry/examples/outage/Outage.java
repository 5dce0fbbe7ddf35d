package dev.steadfast.retry.examples.outage;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * A server stalls for ten seconds at 70 % load, and then another one fails at once for as long.
 * Which clients let them recover, and when? Over real HTTP and in real time, all clients side by
 * side.
 */
public final class Outage {
  private Outage() {}

  /**
   * Runs all clients with all policies, prints the results and draws them.
   *
   * @param arguments the file for the chart; then, if need be, the seed of the arrivals and of the
   *     servers
   * @throws IOException if a port cannot be opened or the chart not be written
   * @throws InterruptedException never
   */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    Path chart = Path.of(arguments[0]);
    long seed = arguments.length > 1 ? Long.parseLong(arguments[1]) : Scenario.SEED;
    OutageReport.introduce();
    List<OutageRun> all = new ArrayList<>();
    for (World.Kind kind : World.Kind.values()) {
      List<OutageRun> runs = round(kind, seed);
      if (kind == World.Kind.STALL) {
        OutageChart.write(runs, chart);
      }
      all.addAll(runs);
    }
    System.out.println();
    System.out.println("The chart: " + chart);
    System.out.println();
    OutageReport.printLines(all);
    System.exit(0);
  }

  private static List<OutageRun> round(World.Kind kind, long seed)
      throws IOException, InterruptedException {
    List<Long> arrivals = Scenario.arrivals(seed);
    long origin = System.nanoTime() + Scenario.WARM_UP * Scenario.SECOND;
    List<OutageRun> runs = runs(kind, seed, origin);
    List<OutageRun> rehearsal = rehearsal(origin);
    Pace pace = new Pace(origin, runs.size() * arrivals.size());
    List<Thread> drivers = new ArrayList<>();
    runs.forEach(run -> drivers.add(driver(run, arrivals, pace)));
    rehearsal.forEach(run -> drivers.add(driver(run, warmUp(arrivals), pace)));
    for (Thread driver : drivers) {
      driver.join();
    }
    awaitTheLast(runs);
    runs.forEach(run -> run.tally().end());
    OutageReport.print(kind, runs, pace);
    rehearsal.forEach(OutageRun::close);
    runs.forEach(OutageRun::close);
    return runs;
  }

  private static List<OutageRun> runs(World.Kind kind, long seed, long origin) throws IOException {
    List<OutageRun> runs = new ArrayList<>();
    for (OutageRun.Client client : OutageRun.Client.values()) {
      for (Policy policy : Policy.values()) {
        runs.add(new OutageRun(client, policy, Scenario.world(kind, seed), origin));
      }
    }
    return runs;
  }

  /** Fails from its first call on, before the others do. */
  private static List<OutageRun> rehearsal(long origin) throws IOException {
    List<OutageRun> runs = new ArrayList<>();
    for (OutageRun.Client client : OutageRun.Client.values()) {
      runs.add(new OutageRun(client, Policy.JITTER, Scenario.stalledWorld(), origin));
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
