package dev.steadfast.retry.simulator;

/**
 * One option of a scenario.
 *
 * @param name without the dashes
 * @param fallback what holds where the option is not given; empty for nothing
 * @param help what it means, in a line
 */
record Option(String name, String fallback, String help) {
  static final Option SEED = new Option("seed", "1", "the same seed gives the same result");
  static final Option CSV = new Option("csv", "", "file for the series behind the charts");
  static final Option HTML = new Option("html", "", "file for the report with its charts");
  static final Option SVG = new Option("svg", "", "directory for each chart as a file of its own");

  static final String POLICY_NAME = "policy";
  static final int MOST_POLICIES = 5;

  static Option policy(String beside) {
    String help = "a policy of your own, " + beside + "; up to " + MOST_POLICIES + " times";
    return new Option(POLICY_NAME, "", help);
  }

  static Option runs(int runs) {
    return new Option("runs", Integer.toString(runs), "runs, each with a seed of its own");
  }
}
