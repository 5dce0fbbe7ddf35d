package dev.steadfast.retry.examples.outage;

import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;

/** What the run prints. */
final class OutageReport {
  private static final String ROW = "%-7s %-8s %-11s %-18s %-12s %-13s %-9s %-9s %s%n";
  private static final int LAST_SECONDS = 10;

  private OutageReport() {}

  static void introduce() {
    say(
        "Ten servers on this machine, each with %d workers, an unbounded queue and",
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
        "watched for %d s more. That takes %d s, in real time. Then the same with ten servers that",
        Scenario.SECONDS - Scenario.STALL_ENDS, Scenario.SECONDS + Scenario.WARM_UP);
    say("answer 503 at once for %d s.", Scenario.STALL);
    say("");
    for (Policy policy : Policy.values()) {
      say("  %-8s %s", policy, policy.title());
    }
    say("");
    say(
        "OkHttp's own bound of 5 calls per host is lifted here, so that only the policy binds. It would");
    say(
        "bind before any of them: %d calls per second of %d ms are %d at a time without an outage.",
        Scenario.LOAD,
        Scenario.MEAN_SERVICE.toMillis(),
        Scenario.LOAD * Scenario.MEAN_SERVICE.toMillis() / 1000);
  }

  static void print(World.Kind kind, List<OutageRun> runs, Pace pace) {
    say("");
    say("After %s:", kind.title());
    System.out.printf(
        Locale.ROOT,
        ROW,
        "client",
        "policy",
        "recovery",
        "closed form",
        "peak load",
        "load at end",
        "refused",
        "goodput",
        "failed operations");
    runs.forEach(OutageReport::printRow);
    say("");
    say(
        "Recovery: seconds from the end of the outage to the first of %d in a row in which 99 %% of",
        Tally.GOOD_SECONDS);
    say(
        "the operations succeed. Load: attempts at the server per second, divided by %d first tries;",
        Scenario.LOAD);
    say(
        "peak: the busiest second, end: the mean of the last %d; %.1f is the capacity. Refused:",
        LAST_SECONDS, (double) Scenario.CAPACITY / Scenario.LOAD);
    say(
        "operations that a breaker or a limit ended. Goodput: the share of the operations that succeed,");
    say("in the outage and %d s after it.", Scenario.AFTERMATH);
    if (kind == World.Kind.STALL) {
      say(
          "Without retries, the same arrivals and service times in virtual time recover in %s.",
          text(Scenario.onPaper(Scenario.SEED).recovery(Scenario.STALL_ENDS), " s"));
    }
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
        run.policy().expected(run.kind()),
        load(run.peakLoad()),
        load(tally.finalRate(LAST_SECONDS) / Scenario.LOAD),
        tally.refusals(),
        share(run.goodput()),
        tally.failed() + " of " + tally.operations());
  }

  /** For machines: one line for each run. */
  static void printLines(List<OutageRun> runs) {
    for (OutageRun run : runs) {
      say(
          "outage client=%s policy=%s recovery=%s peak-load=%s kind=%s refused=%d goodput=%s",
          run.client(),
          run.policy(),
          text(run.recovery(), ""),
          load(run.peakLoad()),
          run.kind(),
          run.tally().refusals(),
          share(run.goodput()));
    }
  }

  static String text(OptionalInt recovery, String unit) {
    return recovery.isPresent() ? recovery.getAsInt() + unit : "never";
  }

  private static String load(double load) {
    return String.format(Locale.ROOT, "%.1f", load);
  }

  private static String share(double share) {
    return String.format(Locale.ROOT, "%.2f", share);
  }

  private static void say(String format, Object... values) {
    System.out.printf(Locale.ROOT, format + "%n", values);
  }
}
