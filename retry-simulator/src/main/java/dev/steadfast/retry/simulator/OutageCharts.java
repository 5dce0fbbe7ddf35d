package dev.steadfast.retry.simulator;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;

/** Load over time, and what budgets and breakers do meanwhile. */
final class OutageCharts {
  private static final int MOST_SECONDS = 600;

  private final OutageSpec spec;
  private final List<Outage.Outcome> outcomes;
  private final int from;
  private final int to;

  private OutageCharts(OutageSpec spec, List<Outage.Outcome> outcomes) {
    this.spec = spec;
    this.outcomes = outcomes;
    int start = (int) (spec.trigger().startNanos() / Durations.SECOND);
    int end = (int) (spec.trigger().endNanos() / Durations.SECOND);
    this.from = start - 20;
    this.to = Math.min(spec.seconds(), end + Math.min(MOST_SECONDS, 80 + 2 * (end - start)));
  }

  static List<Chart> draw(OutageSpec spec, List<Outage.Outcome> outcomes) {
    OutageCharts charts = new OutageCharts(spec, outcomes);
    String kind = spec.trigger().kind().toString();
    String rate = Numbers.plain(spec.arrivalsPerSecond(), 2);
    List<Chart> all = new ArrayList<>();
    all.add(
        new Chart(
            "outage-" + kind,
            "Load during and after an outage (" + kind + ") at " + rate + " calls per second",
            "Overload model, one run.",
            charts::load));
    if (outcomes.stream().anyMatch(OutageCharts::guarded)) {
      all.add(
          new Chart(
              "outage-" + kind + "-strip",
              "Breakers and budgets during and after that outage (" + kind + ")",
              "Overload model, the same run.",
              charts::strip));
    }
    return all;
  }

  private static boolean guarded(Outage.Outcome outcome) {
    return outcome.protection().shedding().breaker().isPresent()
        || outcome.protection().budget().bounds();
  }

  private static String label(Outage.Outcome outcome) {
    return outcome.protection().label();
  }

  private String panel(Outage.Outcome outcome) {
    return Plot.panel(label(outcome), outcomes.indexOf(outcome));
  }

  private Plot load(Chart.Frame frame) {
    Plot.Columns data = new Plot.Columns("policy", "second", "attempts", "kind");
    Plot.Columns good = new Plot.Columns("policy", "second", "good");
    Plot.Columns band = new Plot.Columns("policy", "start", "end", "bottom", "top");
    Plot.Columns back = new Plot.Columns("policy", "at");
    double top = top();
    double start = Durations.seconds(spec.trigger().startNanos());
    double end = Durations.seconds(spec.trigger().endNanos());
    for (Outage.Outcome outcome : outcomes) {
      OutageTrace trace = outcome.traces().get(0);
      band.row(panel(outcome), start, end, 0, top);
      if (trace.recovery() >= 0) {
        back.row(panel(outcome), end + trace.recovery());
      }
      for (int i = from; i < to; i++) {
        data.row(panel(outcome), i, trace.firstTries[i], "first tries");
        data.row(panel(outcome), i, trace.retries[i], "retries");
        good.row(panel(outcome), i, trace.good[i]);
      }
    }
    int columns = outcomes.size() == 1 ? 1 : frame.columns(2);
    int rows = (outcomes.size() + columns - 1) / columns;
    return Plot.in(frame, 90 + rows * 180)
        .data(data, "x", "second", "y", "attempts", "fill", "kind")
        .layerOn(
            band,
            Plot.map("xmin", "start", "xmax", "end", "ymin", "bottom", "ymax", "top"),
            "rect",
            "fill",
            Palette.BAND.hex(),
            "alpha",
            0.18,
            "size",
            0)
        .layer("area", "stat", "identity", "position", "stack", "alpha", 0.75, "size", 0)
        .layer(
            "hline",
            "yintercept",
            spec.server().perSecond(),
            "linetype",
            "dashed",
            "color",
            Palette.INK.hex())
        .layerOn(
            back,
            Plot.map("xintercept", "at"),
            "vline",
            "linetype",
            "dotted",
            "size",
            1,
            "color",
            Palette.INK.hex())
        .layerOn(
            good,
            Plot.map("x", "second", "y", "good"),
            "line",
            "size",
            1.2,
            "color",
            Palette.GREEN.hex())
        .scale("x", "seconds")
        .scale("y", "per second", "limits", List.of(0, top))
        .colours(
            "fill",
            Legend.Mark.AREA,
            List.of("first tries", "retries"),
            List.of(Palette.BLUE.hex(), Palette.ORANGE.hex()))
        .sign(Legend.Mark.LINE, Palette.GREEN.hex(), "calls that succeed")
        .sign(Legend.Mark.DASHED, Palette.INK.hex(), "capacity")
        .sign(new Legend.Sign(Legend.Mark.AREA, Palette.BAND.hex(), 0.18, "outage"))
        .sign(Legend.Mark.DOTTED, Palette.INK.hex(), "recovered")
        .panels("policy", columns, "fixed");
  }

  private double top() {
    double most = spec.server().perSecond();
    for (Outage.Outcome outcome : outcomes) {
      most = Math.max(most, (double) outcome.traces().get(0).peak());
    }
    return most * 1.03;
  }

  private Plot strip(Chart.Frame frame) {
    Plot.Columns data = new Plot.Columns("from", "to", "bottom", "top", "shade");
    // The scale of shades needs both of its ends, and one shade alone has none. These have no size.
    data.row(from, from, 0, 0, 0).row(from, from, 0, 0, 1);
    List<String> names = new ArrayList<>();
    for (Outage.Outcome outcome : outcomes) {
      OutageTrace trace = outcome.traces().get(0);
      if (outcome.protection().budget().bounds()) {
        stripRow(data, names.size(), second -> 1 - trace.funded[second]);
        names.add(label(outcome) + ": empty");
      }
      if (outcome.protection().shedding().breaker().isPresent()) {
        stripRow(data, names.size(), second -> trace.open[second]);
        names.add(label(outcome) + ": open");
      }
    }
    List<Double> places = IntStream.range(0, names.size()).mapToObj(i -> (double) i).toList();
    return Plot.in(frame, 80 + 40 * names.size())
        .data(data, "xmin", "from", "xmax", "to", "ymin", "bottom", "ymax", "top", "alpha", "shade")
        .layer("rect", "fill", Palette.PURPLE.hex(), "size", 0)
        .scale("alpha", "", "range", List.of(0, 1), "limits", List.of(0, 1), "guide", "none")
        .scale("x", "seconds")
        .scale("y", "", "breaks", places, "labels", names)
        .sign(shade(1, "all clients have an empty budget, or an open breaker"))
        .sign(shade(0.4, "some of them"));
  }

  private static Legend.Sign shade(double opacity, String meaning) {
    return new Legend.Sign(Legend.Mark.AREA, Palette.PURPLE.hex(), opacity, meaning);
  }

  /** A rectangle for each stretch of equal shade: seams between seconds would show. */
  private void stripRow(Plot.Columns data, int row, IntToDoubleFunction shade) {
    int begin = from;
    for (int second = from; second < to; second++) {
      double now = shade.applyAsDouble(second);
      boolean last = second + 1 == to || shade.applyAsDouble(second + 1) != now;
      if (last) {
        data.row(begin, second + 1, row - 0.35, row + 0.35, now);
        begin = second + 1;
      }
    }
  }
}
