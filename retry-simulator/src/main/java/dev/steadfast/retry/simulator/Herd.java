package dev.steadfast.retry.simulator;

import java.util.ArrayList;
import java.util.List;

/** Clients that were all told to wait for the same time. */
final class Herd implements Scenario {
  private static final String MODEL =
      "Herd: all clients are turned away at once and told the same wait R; the server does mu calls"
          + " per second, one at a time, and lets Q of them wait; each call beyond gets a 503 and the"
          + " same R. No network delay. The clients never give up.";

  private static final double MOST_WORK = 1e8; // a minute or two for each rule

  /** A rule and what its runs came to. */
  record Outcome(HerdRule rule, List<HerdRun.Result> runs) {
    double callsPerClient() {
      return Stats.median(runs.stream().mapToDouble(HerdRun.Result::callsPerClient).toArray());
    }

    double peakPerSecond() {
      return Stats.median(runs.stream().mapToDouble(HerdRun.Result::peakPerSecond).toArray());
    }

    double doneSeconds() {
      return Stats.median(runs.stream().mapToDouble(HerdRun.Result::doneNanos).toArray())
          / Durations.SECOND;
    }

    long failed() {
      return Math.round(Stats.median(runs.stream().mapToDouble(HerdRun.Result::failed).toArray()));
    }
  }

  @Override
  public String name() {
    return "herd";
  }

  @Override
  public String summary() {
    return "all clients are told the same Retry-After: what each spread rule makes of it";
  }

  @Override
  public List<Option> options() {
    return List.of(
        new Option("clients", "1000", "clients with a call each, 1 to 10000"),
        new Option("capacity", "100", "calls per second that the server can do"),
        new Option("queue", "10", "calls that may wait at the server"),
        new Option("retry-after", "10", "seconds that the server asks for, 1 to 3600"),
        new Option("hop", "0", "mean time on the way to the server, deviation a fifth of it"),
        new Option(
            "arrive-over", "0", "first calls come over this time, the server is closed then"),
        new Option("policy", "", "a policy of your own instead of the rules"),
        Option.runs(20),
        Option.SEED);
  }

  @Override
  public Result run(Arguments arguments, Progress progress) {
    HerdSpec spec = spec(arguments);
    int runs = arguments.integer("runs", 1, 10_000);
    double work = spec.mostCalls() * runs;
    if (work > MOST_WORK) {
      throw BadInputException.of(
          "--clients, --queue, --capacity and --runs",
          "up to " + Numbers.plain(work, 0) + " calls",
          "at most " + Numbers.plain(MOST_WORK, 0));
    }
    List<HerdRule> rules =
        arguments
            .policy()
            .map(own -> List.of(HerdRule.own(own)))
            .orElseGet(() -> HerdRule.all(spec));
    progress.begin(name(), (long) rules.size() * runs);
    List<Outcome> outcomes = new ArrayList<>();
    for (HerdRule rule : rules) {
      Draws[] draws = Draws.each(arguments.seed(), runs);
      outcomes.add(
          new Outcome(rule, Runs.each(draws, progress, each -> HerdRun.run(spec, rule, each))));
    }
    return result(spec, outcomes);
  }

  private static HerdSpec spec(Arguments arguments) {
    return new HerdSpec(
        arguments.integer("clients", 1, 10_000),
        arguments.decimal("capacity", 1, 100_000),
        arguments.integer("queue", 0, 100_000),
        arguments.integer("retry-after", 1, 3600),
        arguments.duration("hop", 0, Durations.SECOND),
        arguments.duration("arrive-over", 0, 3_600 * Durations.SECOND));
  }

  private Result result(HerdSpec spec, List<Outcome> outcomes) {
    Table series = new Table("", "rule", "second", "calls");
    String over = Durations.print(spec.arriveNanos());
    String come = spec.arriveNanos() == 0 ? "" : ", coming over " + over;
    Result result =
        new Result(
            "Herd: "
                + spec.clients()
                + " clients told to wait "
                + spec.serverDelaySeconds()
                + " s"
                + come,
            MODEL,
            series);
    Table table =
        new Table(
            "Medians of " + outcomes.get(0).runs().size() + " runs",
            "rule",
            "calls/client",
            "peak/mu",
            "done s",
            "waits");
    for (Outcome outcome : outcomes) {
      table.row(
          outcome.rule().name(),
          Numbers.fixed(outcome.callsPerClient(), 1),
          Numbers.fixed(outcome.peakPerSecond() / spec.perSecond(), 1),
          Numbers.fixed(outcome.doneSeconds(), 0),
          outcome.rule().meaning());
      result.line(line(spec, outcome));
      for (HerdRun.Bin bin : outcome.runs().get(0).arrivals()) {
        series.row(
            outcome.rule().name(),
            Numbers.fixed(bin.tenth() / 10.0, 1),
            Integer.toString(bin.calls()));
      }
    }
    result.table(table).note(needed(spec));
    HerdCharts.draw(spec, outcomes).forEach(result::chart);
    return result;
  }

  private static String needed(HerdSpec spec) {
    double needed = spec.clients() / spec.perSecond();
    return "To serve "
        + spec.clients()
        + " clients takes "
        + Numbers.plain(needed, 1)
        + " s, so they must be spread over as much; the clients cannot know that, and R is a fair"
        + " stand-in. A longer wait alone, max(R, backoff), does not take them apart.";
  }

  private Line line(HerdSpec spec, Outcome outcome) {
    Line line =
        new Line(name())
            .with("rule", outcome.rule().name())
            .with("calls-per-client", Numbers.fixed(outcome.callsPerClient(), 1))
            .with("peak", Numbers.fixed(outcome.peakPerSecond() / spec.perSecond(), 1))
            .with("done", Numbers.fixed(outcome.doneSeconds(), 0));
    return outcome.failed() > 0 ? line.with("gave-up", outcome.failed()) : line;
  }
}
