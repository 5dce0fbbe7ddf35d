package dev.steadfast.retry.simulator;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.RetryPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** How long a policy waits, retry by retry, and when it gives up. */
final class Delays implements Scenario {
  private static final String MODEL =
      "Delays: one client whose every attempt fails, with no budget and no breaker; drawn again and"
          + " again from the policy itself. Nothing is said about the server.";
  private static final long MOST_WAITS = 10_000_000; // each is kept until it is sorted
  private static final Duration BASE = Duration.ofMillis(100);
  private static final Duration CAP = Duration.ofSeconds(10);

  /** A policy and what was drawn from it. */
  record Drawn(String name, RetryPolicy policy, Waits waits) {}

  @Override
  public String name() {
    return "delays";
  }

  @Override
  public String summary() {
    return "how long a policy waits before each retry, and when it gives up";
  }

  @Override
  public List<Option> options() {
    return List.of(
        Option.policy("beside the library's default"),
        new Option("attempt-takes", "0", "how long each attempt takes before it fails"),
        new Option("retries", "12", "retries to look at, 1 to 100"),
        new Option("samples", "20000", "operations to draw, 100 to 1000000"),
        Option.SEED);
  }

  @Override
  public Result run(Arguments arguments, Progress progress) {
    int retries = arguments.integer("retries", 1, 100);
    int samples = arguments.integer("samples", 100, 1_000_000);
    if ((long) retries * samples > MOST_WAITS) {
      throw BadInputException.of(
          arguments.typed("retries", "samples"),
          "together " + (long) retries * samples + " waits",
          "at most " + MOST_WAITS);
    }
    long takes = arguments.duration("attempt-takes", 0, 3_600 * Durations.SECOND);
    List<Drawn> all = new ArrayList<>();
    List<Drawn> wanted = policies(arguments, retries);
    progress.begin(name(), wanted.size());
    for (Drawn each : wanted) {
      Draws draws = Draws.of(arguments.seed());
      Waits waits = Waits.draw(each.policy(), new Waits.Sample(samples, retries, takes), draws);
      all.add(new Drawn(each.name(), each.policy(), waits));
      progress.step();
    }
    return result(all);
  }

  private static List<Drawn> policies(Arguments arguments, int retries) {
    if (arguments.policies().isEmpty()) {
      return List.of(
          strategy("exponential", Backoff.exponential(BASE, CAP), retries),
          strategy("equal", Backoff.equalJitter(BASE, CAP), retries),
          strategy("full", Backoff.fullJitter(BASE, CAP), retries),
          strategy("decorrelated", Backoff.decorrelatedJitter(BASE, CAP), retries));
    }
    List<Drawn> all = new ArrayList<>();
    all.add(new Drawn("default", RetryPolicy.defaults(), Waits.NONE));
    arguments.policies().forEach(own -> all.add(new Drawn(own.name(), own.policy(), Waits.NONE)));
    return all;
  }

  private static Drawn strategy(String name, Backoff backoff, int retries) {
    RetryPolicy policy =
        RetryPolicy.builder().maxAttempts(retries + 1).noTotalTimeout().backoff(backoff).build();
    return new Drawn(name, policy, Waits.NONE);
  }

  private Result result(List<Drawn> all) {
    Table series =
        new Table(
            "",
            "strategy",
            "retry",
            "reached",
            "min",
            "p5",
            "median",
            "p95",
            "max",
            "mean",
            "cumulative",
            "cumulative-p95");
    Result result = new Result("Delays before each retry", MODEL, series);
    for (Drawn each : all) {
      Table table =
          new Table(
              each.name() + ": " + each.policy().backoff() + ", milliseconds",
              "retry",
              "reached",
              "min",
              "p5",
              "median",
              "p95",
              "max",
              "mean",
              "waited so far",
              "p95");
      for (Waits.Row row : each.waits().rows()) {
        String[] cells = cells(row);
        table.row(cells);
        String[] named = new String[cells.length + 1];
        named[0] = each.name();
        System.arraycopy(cells, 0, named, 1, cells.length);
        series.row(named);
        result.line(line(each, cells));
      }
      result.table(table);
      if (each.name().startsWith(Option.POLICY_NAME)) {
        result.table(call(each));
      }
      for (Waits.End end : each.waits().ends()) {
        result.note(note(each, end));
        result.line(line(each, end));
      }
    }
    result.conclusion(conclusion(all));
    DelaysCharts.draw(all).forEach(result::chart);
    return result;
  }

  private static String conclusion(List<Drawn> all) {
    return "When every attempt fails, half of the operations have ended within "
        + all.stream().map(Delays::ended).collect(Collectors.joining(", "))
        + ".";
  }

  private static String ended(Drawn drawn) {
    double nanos = drawn.waits().ended().median();
    return Numbers.plain(nanos / Durations.SECOND, 1) + " s (" + drawn.name() + ")";
  }

  private static Table call(Drawn drawn) {
    Table table =
        new Table(
            "One call of " + drawn.name() + ", milliseconds",
            "attempt",
            "begins",
            "fails",
            "then waits");
    for (Waits.Attempt attempt : drawn.waits().attempts()) {
      if (attempt.operation() == 1) {
        table.row(
            Integer.toString(attempt.number()),
            millis((double) attempt.startNanos()),
            millis((double) attempt.endNanos()),
            attempt.waitNanos() > 0 ? millis((double) attempt.waitNanos()) : "-");
      }
    }
    return table;
  }

  private static String[] cells(Waits.Row row) {
    return new String[] {
      Integer.toString(row.retry()),
      Numbers.percent(row.reached()),
      millis(row.spread().min()),
      millis(row.spread().p5()),
      millis(row.spread().median()),
      millis(row.spread().p95()),
      millis(row.spread().max()),
      millis(row.spread().mean()),
      millis(row.soFar().median()),
      millis(row.soFar().p95())
    };
  }

  private static String millis(double nanos) {
    return Numbers.fixed(nanos / Durations.MILLI, 0);
  }

  private Line line(Drawn drawn, String[] cells) {
    return new Line(name())
        .with("strategy", drawn.name())
        .with("retry", cells[0])
        .with("reached", cells[1].replace(" ", ""))
        .with("min", cells[2])
        .with("p5", cells[3])
        .with("median", cells[4])
        .with("p95", cells[5])
        .with("max", cells[6])
        .with("cumulative", cells[8]);
  }

  private Line line(Drawn drawn, Waits.End end) {
    return new Line(name())
        .with("strategy", drawn.name())
        .with("end", end.reason())
        .with("share", Numbers.percent(end.share()).replace(" ", ""))
        .with("median", millis(end.at().median()))
        .with("p95", millis(end.at().p95()));
  }

  private static String note(Drawn drawn, Waits.End end) {
    return drawn.name()
        + " ends "
        + Numbers.percent(end.share())
        + " of the operations by "
        + end.reason()
        + ", half of them within "
        + millis(end.at().median())
        + " ms, 95 % within "
        + millis(end.at().p95())
        + " ms.";
  }
}
