package dev.steadfast.retry.simulator;

import dev.steadfast.retry.RetryPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Clients of a server that accepts so many calls within a time and refuses the rest. */
final class Quota implements Scenario {
  private static final String MODEL =
      "Quota: threads that call as fast as they may, 10 ms apart; 20 ms on the way there and back."
          + " The server answers 429 beyond its quota. Left out: its capacity, and costs that differ.";

  private static final long LEAST_WINDOW = Durations.SECOND;
  private static final long MOST_WINDOW = 3_600 * Durations.SECOND;
  private static final double MOST_CALLS = 20e6;
  private static final int CALLS_PER_SECOND = 100; // of a thread, at most

  /** A rule and what its runs came to. */
  private record Measured(QuotaSpec.Rule rule, List<QuotaRun.Result> runs) {
    double median(ToDoubleFunction<QuotaRun.Result> figure) {
      return Stats.median(runs.stream().mapToDouble(figure).toArray());
    }

    String whole(ToDoubleFunction<QuotaRun.Result> figure) {
      return Numbers.fixed(median(figure), 0);
    }
  }

  @Override
  public String name() {
    return "quota";
  }

  @Override
  public String summary() {
    return "a server accepts so many calls per minute: who is refused, and what is used";
  }

  @Override
  public List<Option> options() {
    return List.of(
        new Option("requests", "100", "calls that the server accepts in a window, 1 to 100000"),
        new Option("window", "60s", "the window, 1s to 1h"),
        new Option("server", "fixed", "fixed (one window follows another) or sliding"),
        new Option("headers", "yes", "whether answers tell what is left: yes or no"),
        new Option("clients", "1", "processes that share the quota, 1 to 100"),
        new Option("workers", "16", "threads of each, 1 to 1000"),
        new Option(
            "named", "", "the quota that each client names [its share of what the server accepts]"),
        new Option("policy", "", "a policy of your own, once [the library's default]"),
        Option.runs(3),
        Option.SEED);
  }

  @Override
  public Result run(Arguments arguments, Progress progress) {
    QuotaSpec spec = spec(arguments);
    int share = Math.max(1, spec.server().requests() / spec.clients());
    int named = arguments.has("named") ? arguments.integer("named", 1, 1_000_000) : share;
    int runs = arguments.integer("runs", 1, 1_000);
    double calls =
        Durations.seconds(spec.endNanos())
            * spec.clients()
            * spec.workers()
            * CALLS_PER_SECOND
            * runs;
    if (calls > MOST_CALLS) {
      throw BadInputException.of(
          arguments.typed("window", "clients", "workers", "runs"),
          "together up to " + Numbers.plain(calls, 0) + " calls",
          "at most " + Numbers.plain(MOST_CALLS, 0));
    }
    List<QuotaSpec.Rule> rules =
        List.of(
            new QuotaSpec.Rule("none", 0, false),
            new QuotaSpec.Rule("headers", 0, true),
            new QuotaSpec.Rule("named", named, true));
    progress.begin(name(), (long) rules.size() * runs);
    List<Measured> all = new ArrayList<>();
    for (QuotaSpec.Rule rule : rules) {
      Draws[] draws = Draws.each(arguments.seed(), runs);
      all.add(
          new Measured(rule, Runs.each(draws, progress, each -> QuotaRun.run(spec, rule, each))));
    }
    return result(spec, all);
  }

  private static QuotaSpec spec(Arguments arguments) {
    List<Arguments.Own> own = arguments.policies();
    if (own.size() > 1) {
      throw BadInputException.of("--policy", "given " + own.size() + " times", "once");
    }
    QuotaSpec.Server server =
        new QuotaSpec.Server(
            arguments.integer("requests", 1, 100_000),
            arguments.duration("window", LEAST_WINDOW, MOST_WINDOW),
            either(arguments, "server", "sliding", "fixed"),
            either(arguments, "headers", "yes", "no"));
    return new QuotaSpec(
        server,
        arguments.integer("clients", 1, 100),
        arguments.integer("workers", 1, 1_000),
        own.isEmpty() ? RetryPolicy.defaults() : own.get(0).policy());
  }

  /** Whether an option that is one of two words is the first of them. */
  private static boolean either(Arguments arguments, String name, String first, String second) {
    String text = arguments.text(name);
    if (!text.equals(first) && !text.equals(second)) {
      throw BadInputException.of("--" + name, text, first + " or " + second);
    }
    return text.equals(first);
  }

  private Result result(QuotaSpec spec, List<Measured> all) {
    String quota =
        spec.server().requests() + " requests per " + Durations.print(spec.server().windowNanos());
    Table series = new Table("", "rule", "run", "sent", "refused", "failed", "used");
    Result result = new Result("Quota: " + quota, MODEL, series);
    Table table =
        new Table(
            "Medians of " + all.get(0).runs().size() + " runs, each of 10 windows",
            "rule",
            "sent",
            "refused",
            "failed calls",
            "used",
            "p99 s",
            "pacing");
    for (Measured each : all) {
      table.row(
          each.rule().name(),
          each.whole(QuotaRun.Result::sent),
          each.whole(QuotaRun.Result::refused),
          each.whole(QuotaRun.Result::failed),
          Numbers.percent(each.median(QuotaRun.Result::used)),
          Numbers.fixed(each.median(QuotaRun.Result::slowest), 1),
          meaning(each.rule()));
      result.line(
          new Line(name())
              .with("rule", each.rule().name())
              .with("sent", each.whole(QuotaRun.Result::sent))
              .with("refused", each.whole(QuotaRun.Result::refused))
              .with("used", Numbers.fixed(each.median(QuotaRun.Result::used), 3)));
      for (int run = 0; run < each.runs().size(); run++) {
        QuotaRun.Result one = each.runs().get(run);
        series.row(
            each.rule().name(),
            Integer.toString(run + 1),
            Long.toString(one.sent()),
            Long.toString(one.refused()),
            Long.toString(one.failed()),
            Numbers.fixed(one.used(), 3));
      }
    }
    Measured none = all.get(0);
    Measured named = all.get(2);
    return result
        .table(table)
        .conclusion(
            "The server refuses "
                + none.whole(QuotaRun.Result::refused)
                + " attempts without pacing, "
                + all.get(1).whole(QuotaRun.Result::refused)
                + " with pacing by headers, and "
                + named.whole(QuotaRun.Result::refused)
                + " with a quota that clients name.");
  }

  private static String meaning(QuotaSpec.Rule rule) {
    if (!rule.paced()) {
      return "none";
    }
    return rule.requests() == 0 ? "by headers" : rule.requests() + " for each client, and headers";
  }
}
