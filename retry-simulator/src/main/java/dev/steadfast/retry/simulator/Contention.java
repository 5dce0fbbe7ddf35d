package dev.steadfast.retry.simulator;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.RetryPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

/**
 * Clients that all want to write one row: the optimistic-concurrency model of the AWS blog on
 * backoff and jitter (Brooker, 2015).
 */
final class Contention implements Scenario {
  private static final double MOST_WORK = 1e9; // some minutes
  private static final Duration CAP = Duration.ofSeconds(2);
  // The original's first ceiling is twice its base of 5 ms; a policy's first ceiling is its base.
  private static final Duration FIRST_CEILING = Duration.ofMillis(10);
  private static final Duration DECORRELATED_BASE = Duration.ofMillis(5);

  private static final String MODEL =
      "Contention, closed: N clients write one row once each, and a write counts only if the row did"
          + " not change since it was read. A network hop is Normal(10 ms, 2 ms), the server's work"
          + " takes no time. So this measures what clients do to each other and not what they do to"
          + " a server's capacity: without backoff all end soonest, because calls are free here.";

  /** A strategy under its short name. */
  record Strategy(String name, RetryPolicy policy) {
    static Strategy of(String name, Backoff backoff) {
      return new Strategy(name, untilDone().backoff(backoff).build());
    }
  }

  static final List<Strategy> STRATEGIES =
      List.of(
          Strategy.of("none", Backoff.none()),
          Strategy.of("exponential", Backoff.exponential(FIRST_CEILING, CAP)),
          Strategy.of("equal", Backoff.equalJitter(FIRST_CEILING, CAP)),
          Strategy.of("full", Backoff.fullJitter(FIRST_CEILING, CAP)),
          Strategy.of("decorrelated", Contention::asPublished),
          Strategy.of("decorrelated-ranged", Backoff.decorrelatedJitter(DECORRELATED_BASE, CAP)));

  // The article clamps what it drew; the library bounds the range that it draws from.
  private static long asPublished(int retry, long previousNanos, LongSupplier random) {
    long base = DECORRELATED_BASE.toNanos();
    long ceiling = 3 * Math.max(base, previousNanos);
    double drawn = base + (random.getAsLong() >>> 11) * 0x1p-53 * (ceiling - base);
    return Math.min(CAP.toNanos(), (long) drawn);
  }

  /** Medians over runs. */
  record Medians(String strategy, int clients, long calls, long millis, long gaveUp) {}

  private static RetryPolicy.Builder untilDone() {
    return RetryPolicy.builder().maxAttempts(Integer.MAX_VALUE).noTotalTimeout();
  }

  @Override
  public String name() {
    return "contention";
  }

  @Override
  public String summary() {
    return "N clients write one row: what the strategies cost in calls and time";
  }

  @Override
  public List<Option> options() {
    return List.of(
        new Option("clients", "10,20,50,100,150,200", "numbers of clients, 1 to 2000 each"),
        Option.runs(100),
        new Option("hop-deviation", "2ms", "deviation of a network hop of 10 ms; 0 is lockstep"),
        Option.policy("beside no backoff and the library's default"),
        Option.SEED);
  }

  @Override
  public Result run(Arguments arguments, Progress progress) {
    int[] clients = arguments.integers("clients", 1, 2000);
    int runs = arguments.integer("runs", 1, 10_000);
    long deviation = arguments.duration("hop-deviation", 0, 5_000_000);
    double work = IntStream.of(clients).mapToDouble(each -> (double) each * each).sum() * runs;
    if (work > MOST_WORK) {
      throw BadInputException.of(
          arguments.typed("clients", "runs"),
          "together up to " + Numbers.plain(work, 0) + " calls",
          "at most " + Numbers.plain(MOST_WORK, 0));
    }
    List<Strategy> strategies = strategies(arguments.policies());
    progress.begin(name(), (long) strategies.size() * clients.length * runs);
    List<Medians> all = new ArrayList<>();
    for (Strategy strategy : strategies) {
      for (int number : clients) {
        Draws[] draws = Draws.each(arguments.seed(), runs);
        Race.Course course = new Race.Course(strategy.policy(), number, deviation);
        all.add(medians(strategy, number, Runs.each(draws, progress, each -> course.run(each))));
      }
    }
    return result(all, runs);
  }

  private static List<Strategy> strategies(List<Arguments.Own> own) {
    if (own.isEmpty()) {
      return STRATEGIES;
    }
    List<Strategy> all = new ArrayList<>(List.of(STRATEGIES.get(0)));
    all.add(new Strategy("default", RetryPolicy.defaults()));
    own.forEach(each -> all.add(new Strategy(each.name(), each.policy())));
    return all;
  }

  static Medians medians(Strategy strategy, int clients, List<Race.Result> outcomes) {
    double calls = Stats.median(outcomes.stream().mapToDouble(Race.Result::calls).toArray());
    double nanos = Stats.median(outcomes.stream().mapToDouble(Race.Result::endNanos).toArray());
    double gaveUp = Stats.median(outcomes.stream().mapToDouble(Race.Result::gaveUp).toArray());
    return new Medians(
        strategy.name(),
        clients,
        Math.round(calls),
        Math.round(nanos / Durations.MILLI),
        Math.round(gaveUp));
  }

  private static String conclusion(List<Medians> all) {
    int most = all.stream().mapToInt(Medians::clients).max().orElseThrow();
    List<Medians> last = all.stream().filter(each -> each.clients() == most).toList();
    Medians fewest = Collections.min(last, Comparator.comparingLong(Medians::calls));
    Medians first = Collections.min(last, Comparator.comparingLong(Medians::millis));
    return "Among "
        + most
        + " clients "
        + fewest.strategy()
        + " makes the fewest calls ("
        + fewest.calls()
        + "), and "
        + first.strategy()
        + " ends first ("
        + Numbers.fixed(first.millis() / 1000.0, 1)
        + " s)"
        + (last.stream().anyMatch(each -> each.gaveUp() > 0)
            ? "; see the table for clients that gave up."
            : ".");
  }

  private Result result(List<Medians> all, int runs) {
    Table series = new Table("", "strategy", "clients", "calls", "millis", "gave-up");
    Table table =
        new Table("Medians of " + runs + " runs", "strategy", "clients", "calls", "ms", "gave up");
    Result result = new Result("Contention: N clients write one row", MODEL, series);
    for (Medians each : all) {
      String[] row = {
        each.strategy(),
        Integer.toString(each.clients()),
        Long.toString(each.calls()),
        Long.toString(each.millis()),
        Long.toString(each.gaveUp())
      };
      series.row(row);
      table.row(row);
      Line line =
          new Line(name())
              .with("strategy", each.strategy())
              .with("clients", each.clients())
              .with("calls", each.calls())
              .with("millis", each.millis());
      result.line(each.gaveUp() > 0 ? line.with("gave-up", each.gaveUp()) : line);
    }
    result.table(table).conclusion(conclusion(all));
    ContentionCharts.draw(all).forEach(result::chart);
    return result;
  }
}
