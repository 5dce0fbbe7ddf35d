package dev.steadfast.retry.examples.outage;

import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;

/** What the run prints. */
final class OutageReport {
  private static final String ROW = "%-7s %-8s %-11s %-18s %-12s %-13s %s%n";
  private static final int LAST_SECONDS = 10;

  private OutageReport() {}

  static void introduce() {
    say("A %d s stall at %d %% load", Scenario.STALL, Scenario.LOAD);
    say("");
    say(
        "Eight servers on this machine, each with %d workers, an unbounded queue and",
        Scenario.WORKERS);
    say(
        "%d requests per second of capacity, which do the work for clients that have given up,",
        Scenario.CAPACITY);
    say(
        "too. Each has a client of its own: %d operations per second at random times, a",
        Scenario.LOAD);
    say(
        "timeout of 1 s per attempt. After %d s all workers stop for %d s; then the clients are",
        Scenario.STALL_BEGINS, Scenario.STALL);
    say(
        "watched for %d s more. That takes %d s, in real time.",
        Scenario.SECONDS - Scenario.STALL_ENDS, Scenario.SECONDS + Scenario.WARM_UP);
    say("");
    for (Policy policy : Policy.values()) {
      say("  %-8s %s", policy, policy.title());
    }
  }

  static void print(List<OutageRun> runs, Pace pace) {
    say("");
    System.out.printf(
        Locale.ROOT,
        ROW,
        "client",
        "policy",
        "recovery",
        "closed form",
        "peak load",
        "load at end",
        "failed operations");
    runs.forEach(OutageReport::printRow);
    say("");
    say(
        "Recovery: seconds from the end of the stall to the first of %d in a row in which 99 %% of",
        Tally.GOOD_SECONDS);
    say(
        "the operations succeed. Load: attempts at the server per second, divided by %d first tries;",
        Scenario.LOAD);
    say(
        "peak: the busiest second, end: the mean of the last %d; %.1f is the capacity.",
        LAST_SECONDS, (double) Scenario.CAPACITY / Scenario.LOAD);
    say(
        "Without retries, the same arrivals and service times in virtual time recover in %s.",
        text(Scenario.onPaper(Scenario.SEED).recovery(Scenario.STALL_ENDS), " s"));
    say("The machine: %s.", pace);
    if (!pace.kept()) {
      say("");
      say(
          "IT DID NOT KEEP UP: these results are not about the policies. Run it on a calm machine.");
    }
  }

  private static void printRow(OutageRun run) {
    Tally tally = run.tally();
    System.out.printf(
        Locale.ROOT,
        ROW,
        run.client(),
        run.policy(),
        text(run.recovery(), " s"),
        run.policy().expected(),
        load(run.peakLoad()),
        load(tally.finalRate(LAST_SECONDS) / Scenario.LOAD),
        tally.failed() + " of " + tally.operations());
  }

  /** For machines: one line for each run. */
  static void printLines(List<OutageRun> runs) {
    for (OutageRun run : runs) {
      say(
          "outage client=%s policy=%s recovery=%s peak-load=%s",
          run.client(), run.policy(), text(run.recovery(), ""), load(run.peakLoad()));
    }
  }

  static String text(OptionalInt recovery, String unit) {
    return recovery.isPresent() ? recovery.getAsInt() + unit : "never";
  }

  private static String load(double load) {
    return String.format(Locale.ROOT, "%.1f", load);
  }

  private static void say(String format, Object... values) {
    System.out.printf(Locale.ROOT, format + "%n", values);
  }
}
