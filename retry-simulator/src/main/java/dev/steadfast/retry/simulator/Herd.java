package dev.steadfast.retry.simulator;

import dev.steadfast.retry.RetryPolicy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/** Clients that were all told to wait for the same time. */
final class Herd implements Scenario {
  private static final String MODEL =
      "Herd: all clients are turned away at once and told the same wait R; the server does mu calls"
          + " per second, one at a time, and lets Q of them wait; each call beyond gets a 503 and the"
          + " same R. No network delay. Clients give up only if their own policy says so.";

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
        Option.policy("beside the rule exact and the library's default"),
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
          arguments.typed("clients", "queue", "capacity", "retry-after", "runs"),
          "together up to " + Numbers.plain(work, 0) + " calls",
          "at most " + Numbers.plain(MOST_WORK, 0));
    }
    List<HerdRule> rules = rules(spec, arguments.policies());
    progress.begin(name(), (long) rules.size() * runs);
    List<Outcome> outcomes = new ArrayList<>();
    for (HerdRule rule : rules) {
      Draws[] draws = Draws.each(arguments.seed(), runs);
      outcomes.add(
          new Outcome(rule, Runs.each(draws, progress, each -> HerdRun.run(spec, rule, each))));
    }
    return result(spec, outcomes);
  }

  private static List<HerdRule> rules(HerdSpec spec, List<Arguments.Own> own) {
    if (own.isEmpty()) {
      return HerdRule.all(spec);
    }
    List<HerdRule> rules = new ArrayList<>(List.of(HerdRule.exact(spec)));
    rules.add(HerdRule.own("default", RetryPolicy.defaults()));
    own.forEach(each -> rules.add(HerdRule.own(each.name(), each.policy())));
    return rules;
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
            "gave up",
            "waits");
    for (Outcome outcome : outcomes) {
      table.row(
          outcome.rule().name(),
          Numbers.fixed(outcome.callsPerClient(), 1),
          Numbers.fixed(outcome.peakPerSecond() / spec.perSecond(), 1),
          Numbers.fixed(outcome.doneSeconds(), 0),
          Long.toString(outcome.failed()),
          outcome.rule().meaning());
      result.line(line(spec, outcome));
      for (HerdRun.Bin bin : outcome.runs().get(0).arrivals()) {
        series.row(
            outcome.rule().name(),
            Numbers.fixed(bin.tenth() / 10.0, 1),
            Integer.toString(bin.calls()));
      }
    }
    result.table(table).note(needed(spec)).conclusion(conclusion(outcomes));
    HerdCharts.draw(spec, outcomes).forEach(result::chart);
    return result;
  }

  private static String conclusion(List<Outcome> outcomes) {
    Outcome first = Collections.min(outcomes, Comparator.comparingDouble(Outcome::doneSeconds));
    Outcome last = Collections.max(outcomes, Comparator.comparingDouble(Outcome::doneSeconds));
    return first.rule().name()
        + " is done first, after "
        + told(first)
        + ", and "
        + last.rule().name()
        + " last, after "
        + told(last)
        + (outcomes.stream().anyMatch(each -> each.failed() > 0)
            ? "; see the table for clients that gave up."
            : ".");
  }

  private static String told(Outcome outcome) {
    return Numbers.fixed(outcome.doneSeconds(), 0)
        + " s with "
        + Numbers.fixed(outcome.callsPerClient(), 1)
        + " calls for each client";
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
