package dev.steadfast.retry.simulator;

import java.util.List;

/** The tail of the latency with and without hedges. */
final class HedgeCharts {
  private static final int STEPS = 120;
  private static final List<Double> SHARES = List.of(1.0, 0.1, 0.01, 0.001, 0.0001);
  private static final List<String> PERCENT = List.of("100 %", "10 %", "1 %", "0.1 %", "0.01 %");

  private HedgeCharts() {}

  static List<Chart> draw(int fanOut, List<Hedge.Outcome> outcomes) {
    boolean one = fanOut == 1;
    return List.of(
        new Chart(
            one ? "hedge" : "hedge-fan-out",
            one
                ? "Share of calls that take longer, with a hedge after each delay"
                : "Share of requests that take longer, each of which needs " + fanOut + " calls",
            "Hedging model, a preview: Steadfast does not hedge. Both axes are logarithmic.",
            frame -> tail(outcomes, frame)));
  }

  private static Plot tail(List<Hedge.Outcome> outcomes, Chart.Frame frame) {
    Plot.Columns data = new Plot.Columns("hedge", "millis", "share");
    for (Hedge.Outcome outcome : outcomes) {
      for (int i = 0; i <= STEPS; i++) {
        double share = StrictMath.pow(10, -4.0 * i / STEPS);
        data.row(name(outcome), outcome.quantile(1 - share), share);
      }
    }
    List<String> names = outcomes.stream().map(HedgeCharts::name).toList();
    return Plot.in(frame, 380)
        .data(data, "x", "millis", "y", "share", "color", "hedge")
        .layer("path", "size", 1.2)
        .scale("x", "milliseconds", "trans", "log10")
        .scale("y", "share", "trans", "log10", "breaks", SHARES, "labels", PERCENT)
        .colours("color", Legend.Mark.LINE, names, Palette.SERIES);
  }

  private static String name(Hedge.Outcome outcome) {
    return outcome.name().equals("none")
        ? "no hedge"
        : "after " + outcome.name() + " (+" + Numbers.percent(outcome.extra()) + ")";
  }
}
