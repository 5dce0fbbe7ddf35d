package dev.steadfast.retry.simulator;

import java.util.List;

/** All scenarios, with numbers of runs that take half a minute. */
final class Tour {
  static final List<Option> OPTIONS =
      List.of(
          Option.runs(20),
          Option.SEED,
          new Option("html", "simulator-report.html", Option.HTML.help()),
          Option.SVG);

  private Tour() {}

  /** The commands that run, as they would be typed. */
  static List<List<String>> commands(int runs) {
    String many = Integer.toString(runs);
    String few = Integer.toString(Math.max(1, runs / 5));
    return List.of(
        List.of("outage", "--kind", "stall", "--horizon", "160s", "--runs", few),
        List.of("outage", "--kind", "slow", "--horizon", "120s", "--runs", few),
        List.of("outage", "--kind", "fail-fast", "--horizon", "120s", "--runs", few),
        List.of("contention", "--runs", many),
        List.of("layers"),
        List.of("layers", "--layers", "1", "--attempts", "4", "--calls", "100000"),
        List.of("herd", "--runs", few),
        List.of("herd", "--arrive-over", "10s", "--runs", few),
        List.of("delays"));
  }
}
