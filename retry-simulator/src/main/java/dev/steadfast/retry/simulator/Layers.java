package dev.steadfast.retry.simulator;

import dev.steadfast.retry.RetryPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The product of retries in several layers, and what bounds it. */
final class Layers implements Scenario {
  private static final int CLIENTS = 100;
  private static final String MODEL =
      "Amplification: calls pass through layers that each retry what failed below; each attempt at"
          + " the bottom fails with probability p whatever happened before. Waits take no time, and"
          + " load does not make the bottom fail more often: a real one would. Figures are those of"
          + " the second half of the calls, after budgets have spent what they start with.";

  /** One way to configure the layers, and what the closed form says of it. */
  record Arm(String name, Chain.Setup setup, DoubleUnaryOperator closedForm) {}

  /** The load of an arm at one failure rate. */
  record Point(Arm arm, double p, Chain.Load load) {
    double closedForm() {
      return arm.closedForm().applyAsDouble(p);
    }
  }

  @Override
  public String name() {
    return "layers";
  }

  @Override
  public String summary() {
    return "n attempts in L layers: load at the bottom with and without an owner or budgets";
  }

  @Override
  public List<Option> options() {
    return List.of(
        new Option("layers", "4", "layers that retry, 1 to 5; 1 compares the kinds of budget"),
        new Option("attempts", "3", "attempts per layer, the first one counts, 1 to 10"),
        new Option("p", "0.05,0.1,0.2,0.3,0.5,0.7,0.8,0.9,0.95,0.99,1", "failure rates, 0 to 1"),
        new Option("calls", "20000", "calls at the top for each figure"),
        Option.SEED);
  }

  @Override
  public Result run(Arguments arguments, Progress progress) {
    int layers = arguments.integer("layers", 1, 5);
    RetryPolicy policy = policy(arguments.integer("attempts", 1, 10));
    double[] rates = rates(arguments.text("p"));
    int calls = arguments.integer("calls", 100, 10_000_000);
    double most = StrictMath.pow(policy.maxAttempts(), layers) * calls;
    if (most > 1e9) {
      throw BadInputException.of(
          arguments.typed("attempts", "layers", "calls"),
          "together up to " + Numbers.plain(most, 0) + " calls",
          "at most 1000000000");
    }
    List<Arm> arms = layers == 1 ? budgets(policy) : layered(policy, layers);
    progress.begin(name(), (long) arms.size() * rates.length);
    List<Point> points = new ArrayList<>();
    for (Arm arm : arms) {
      Draws[] draws = Draws.each(arguments.seed(), rates.length);
      IntStream.range(0, rates.length)
          .parallel()
          .mapToObj(i -> {
            progress.step();
            return new Point(arm, rates[i], measure(arm, rates[i], draws[i], calls));
          })
          .toList()
          .forEach(points::add);
    }
    return result(points, layers);
  }

  static RetryPolicy policy(int attempts) {
    return RetryPolicy.valueOf("maxAttempts=" + attempts + "; backoff=none; totalTimeout=none");
  }

  private static double[] rates(String text) {
    return List.of(text.split(",", -1)).stream()
        .mapToDouble(each -> {
          if (each.matches("0(\\.[0-9]{1,9})?|1(\\.0{1,9})?")) {
            return Double.parseDouble(each);
          }
          throw BadInputException.of("--p", each, "0 to 1");
        })
        .toArray();
  }

  static Chain.Load measure(Arm arm, double p, Draws draws, int calls) {
    Chain chain = new Chain(arm.setup(), CLIENTS, p, draws);
    chain.calls(calls / 2);
    return chain.calls(calls - calls / 2);
  }

  static List<Arm> layered(RetryPolicy policy, int layers) {
    int n = policy.maxAttempts();
    double bound = StrictMath.pow(1.1, layers);
    return List.of(
        new Arm(
            "every-layer",
            new Chain.Setup(policy, layers, Budget.NONE, false),
            p -> ClosedForms.layered(p, n, layers)),
        new Arm(
            "one-owner",
            new Chain.Setup(policy, layers, Budget.NONE, true),
            p -> ClosedForms.load(p, n)),
        new Arm(
            "budget",
            new Chain.Setup(policy, layers, Budget.SUCCESS, false),
            p -> Math.min(ClosedForms.layered(p, n, layers), bound)));
  }

  static List<Arm> budgets(RetryPolicy policy) {
    int n = policy.maxAttempts();
    return List.of(
        arm("no-retry", policy.toBuilder().maxAttempts(1).build(), "none", p -> 1),
        arm("unlimited", policy, "none", p -> ClosedForms.load(p, n)),
        arm("success", policy, "success(0.1,10,0)", p -> ClosedForms.successFunded(p, n, 0.1)),
        arm("request", policy, "request(0.1,0,10s)", p -> ClosedForms.requestFunded(p, n, 0.1)),
        arm("grpc", policy, "grpc(10,0.1)", p -> p > 0.1 / 1.1 ? 1 : ClosedForms.load(p, n)),
        arm("aws", policy, "aws(500,5,5)", p -> ClosedForms.awsQuota(p, n, 5)),
        new Arm(
            "retry-breaker",
            new Chain.Setup(policy, 1, Budget.RETRY_BREAKER, false),
            p -> p < 0.1 ? ClosedForms.load(p, n) : 1));
  }

  private static Arm arm(
      String name, RetryPolicy policy, String budget, DoubleUnaryOperator closedForm) {
    return new Arm(name, new Chain.Setup(policy, 1, Budget.parse(budget), false), closedForm);
  }

  private Result result(List<Point> points, int layers) {
    String[] heading = {"arm", "p", "load", "success", "closed form"};
    Table series = new Table("", heading);
    Table table = new Table("Attempts at the bottom per call at the top", heading);
    int attempts =
        points.stream().mapToInt(each -> each.arm().setup().policy().maxAttempts()).max().orElse(1);
    String title =
        layers == 1
            ? "Budgets: " + attempts + " attempts in one layer"
            : "Layers: " + attempts + " attempts in each of " + layers;
    Result result = new Result(title, MODEL, series);
    for (Point point : points) {
      String[] row = {
        point.arm().name(),
        Numbers.plain(point.p(), 4),
        Numbers.fixed(point.load().load(), 3),
        Numbers.fixed(point.load().success(), 3),
        Numbers.fixed(point.closedForm(), 3)
      };
      series.row(row);
      table.row(row);
      result.line(
          new Line(name())
              .with("arm", row[0])
              .with("layers", layers)
              .with("p", row[1])
              .with("load", row[2])
              .with("success", row[3])
              .with("closed-form", row[4]));
    }
    result.table(table).note(note(attempts, layers)).conclusion(conclusion(points));
    LayersCharts.draw(points, layers).forEach(result::chart);
    return result;
  }

  private static String conclusion(List<Point> points) {
    double worst = points.stream().mapToDouble(Point::p).max().orElseThrow();
    String loads =
        points.stream()
            .filter(each -> each.p() == worst)
            .map(each -> each.arm().name() + " " + Numbers.plain(each.load().load(), 2))
            .collect(Collectors.joining(", "));
    return "Where "
        + Numbers.percent(worst)
        + " of the attempts fail, a call costs so many attempts at the bottom: "
        + loads
        + ".";
  }

  private static String note(int attempts, int layers) {
    if (layers == 1) {
      return "A budget is a bound that holds when most attempts fail, which is when it counts."
          + " retry-breaker is none of the library's: it is there to compare, and its closed form is"
          + " that of a long memory.";
    }
    return attempts
        + " attempts in each of "
        + layers
        + " layers: at worst "
        + Numbers.plain(StrictMath.pow(attempts, layers), 0)
        + " at the bottom. The closed form of budget is an upper bound, 1.1^"
        + layers
        + ".";
  }
}
