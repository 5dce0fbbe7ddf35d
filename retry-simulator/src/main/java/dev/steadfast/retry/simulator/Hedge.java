package dev.steadfast.retry.simulator;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/** The effect of a second copy of a slow call on the tail, and its cost. */
final class Hedge implements Scenario {
  private static final String MODEL =
      "Hedging, a preview: Steadfast does not hedge. A copy of a call is sent when the first has not"
          + " been answered after a delay; the first answer wins. Latencies do not depend on load"
          + " here, and a real backend that slows down as a whole gets every hedge on top.";
  private static final long MOST_CALLS = 100_000_000;
  private static final double[] LEVELS = {0.5, 0.9, 0.99, 0.999};

  /** A delay and what it came to; the latencies are sorted. */
  record Outcome(String name, double delayMillis, double extra, Stats.Sorted latencies) {
    double quantile(double share) {
      return latencies.quantile(share);
    }
  }

  /** The setup that is the same for all delays. */
  record Setup(Latency latency, int copies, double correlation, int samples, int fanOut) {
    Setup withoutFanOut() {
      return new Setup(latency, copies, correlation, samples, 1);
    }
  }

  @Override
  public String name() {
    return "hedge";
  }

  @Override
  public String summary() {
    return "a preview: what a second copy of a slow call does for the tail";
  }

  @Override
  public List<Option> options() {
    return List.of(
        new Option("after", "p90,p95,p99", "delays of the hedge: p1 to p99.9, or durations"),
        new Option("copies", "2", "copies at most, 2 to 5, each a delay after the one before"),
        new Option("latency", "mixture", "mixture or exponential"),
        new Option("stalls", "0.01", "share of calls that stall, for the mixture"),
        new Option("correlation", "0", "share of hedges that meet the same latency again"),
        new Option("fan-out", "1", "calls made at once, of which the slowest counts, 1 to 1000"),
        new Option("rho", "0.7", "load without hedges, for the warning"),
        new Option("samples", "200000", "calls to draw, 1000 to 5000000"),
        Option.SEED);
  }

  @Override
  public Result run(Arguments arguments, Progress progress) {
    Setup setup =
        new Setup(
            latency(arguments),
            arguments.integer("copies", 2, 5),
            arguments.decimal("correlation", 0, 1),
            arguments.integer("samples", 1_000, 5_000_000),
            arguments.integer("fan-out", 1, 1_000));
    if ((long) setup.samples() * setup.fanOut() > MOST_CALLS) {
      throw BadInputException.of(
          arguments.typed("samples", "fan-out"),
          "together " + (long) setup.samples() * setup.fanOut() + " calls",
          "at most " + MOST_CALLS);
    }
    double rho = arguments.decimal("rho", 0.01, 0.99);
    List<String> delays = List.of(arguments.text("after").split(",", -1));
    progress.begin(name(), delays.size() + 1);
    List<Outcome> outcomes = new ArrayList<>();
    Outcome plain = measure("none", Double.POSITIVE_INFINITY, setup, arguments.seed());
    outcomes.add(plain);
    Outcome one =
        setup.fanOut() == 1
            ? plain
            : measure("one", Double.POSITIVE_INFINITY, setup.withoutFanOut(), arguments.seed());
    for (String delay : delays) {
      progress.step();
      outcomes.add(measure(delay, millis(delay, one), setup, arguments.seed()));
    }
    return result(setup, outcomes, rho);
  }

  private static Latency latency(Arguments arguments) {
    double stalls = arguments.decimal("stalls", 0, 1);
    return switch (arguments.text("latency")) {
      case "mixture" -> Latency.mixture(stalls);
      case "exponential" -> Latency.exponential();
      default ->
          throw BadInputException.of(
              "--latency", arguments.text("latency"), "mixture or exponential");
    };
  }

  private static double millis(String delay, Outcome one) {
    if (delay.matches("p[0-9]{1,2}(\\.[0-9]{1,3})?")) {
      double percent = Double.parseDouble(delay.substring(1));
      if (percent >= 1 && percent <= 99.9) {
        return one.quantile(percent / 100);
      }
    }
    double nanos = Durations.nanos(delay);
    if (nanos > 0) {
      return nanos / Durations.MILLI;
    }
    throw BadInputException.of("--after", delay, "p1 to p99.9, or a duration");
  }

  static Outcome measure(String name, double delay, Setup setup, long seed) {
    Draws draws = Draws.of(seed);
    double[] latencies = new double[setup.samples()];
    long copies = 0;
    for (int i = 0; i < latencies.length; i++) {
      for (int call = 0; call < setup.fanOut(); call++) {
        double first = setup.latency().draw(draws);
        double best = first;
        for (int copy = 1; copy < setup.copies() && best > copy * delay; copy++) {
          boolean same = draws.uniform() < setup.correlation();
          double took = same ? first : setup.latency().draw(draws);
          best = Math.min(best, copy * delay + took);
          copies++;
        }
        latencies[i] = Math.max(latencies[i], best);
      }
    }
    double calls = (double) setup.samples() * setup.fanOut();
    return new Outcome(name, delay, copies / calls, new Stats.Sorted(latencies));
  }

  private Result result(Setup setup, List<Outcome> outcomes, double rho) {
    Table series = new Table("", "after", "share", "millis");
    Table table =
        new Table("Latency in ms", "after", "delay", "extra load", "p50", "p90", "p99", "p99.9");
    String fanOut = setup.fanOut() == 1 ? "" : ": the slowest of " + setup.fanOut() + " calls";
    Result result = new Result("Hedging (preview)" + fanOut, MODEL, series);
    for (Outcome outcome : outcomes) {
      table.row(row(outcome));
      result.line(line(outcome));
      for (int i = 1; i < 1000; i++) {
        double share = i / 1000.0;
        series.row(
            outcome.name(), Numbers.fixed(share, 3), Numbers.fixed(outcome.quantile(share), 3));
      }
    }
    double worst = setup.copies() * rho;
    result
        .table(table)
        .conclusion(conclusion(outcomes))
        .note(
            "Where the backend slows down as a whole every call is hedged: "
                + setup.copies()
                + " x rho "
                + Numbers.fixed(rho, 2)
                + " = "
                + Numbers.fixed(worst, 2)
                + (worst > 1 ? " > 1, and it does not come back by itself" : " < 1")
                + ". Hedges belong into the same budget as retries.");
    HedgeCharts.draw(setup.fanOut(), outcomes).forEach(result::chart);
    return result;
  }

  private static String conclusion(List<Outcome> outcomes) {
    Outcome none = outcomes.get(0);
    Outcome best =
        Collections.min(outcomes, Comparator.comparingDouble(each -> each.quantile(0.999)));
    return "Of the hedges, the one after "
        + best.name()
        + " cuts p99.9 the most: from "
        + value(none.quantile(0.999))
        + " ms to "
        + value(best.quantile(0.999))
        + " ms, for "
        + Numbers.percent(best.extra())
        + " more calls.";
  }

  private static String[] row(Outcome outcome) {
    List<String> row = new ArrayList<>();
    row.add(outcome.name());
    row.add(Double.isInfinite(outcome.delayMillis()) ? "-" : value(outcome.delayMillis()));
    row.add(Numbers.percent(outcome.extra()));
    for (double level : LEVELS) {
      row.add(value(outcome.quantile(level)));
    }
    return row.toArray(new String[0]);
  }

  private Line line(Outcome outcome) {
    return new Line(name())
        .with("after", outcome.name())
        .with("extra", Numbers.fixed(outcome.extra(), 4))
        .with("p50", value(outcome.quantile(0.5)))
        .with("p99", value(outcome.quantile(0.99)))
        .with("p999", value(outcome.quantile(0.999)));
  }

  private static String value(double millis) {
    return Numbers.fixed(millis, 1);
  }
}
