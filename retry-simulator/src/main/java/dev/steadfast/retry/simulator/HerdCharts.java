package dev.steadfast.retry.simulator;

import java.util.List;

/** When the calls of a herd arrive. */
final class HerdCharts {
  private static final int MOST_SECONDS = 120;

  private HerdCharts() {}

  static List<Chart> draw(HerdSpec spec, List<Herd.Outcome> outcomes) {
    String suffix = spec.arriveNanos() > 0 ? "-gate" : "";
    return List.of(
        new Chart(
            "herd" + suffix,
            "Calls per second, by how clients obey a Retry-After of "
                + spec.serverDelaySeconds()
                + " s",
            "Herd model, one run, the first two minutes. A tower is the whole herd at once.",
            frame -> arrivals(spec, outcomes, frame)),
        new Chart(
            "herd-done" + suffix,
            "Time until the last client is served",
            "Herd model, medians over the runs.",
            frame -> done(outcomes, frame)));
  }

  private static Plot arrivals(HerdSpec spec, List<Herd.Outcome> outcomes, Chart.Frame frame) {
    Plot.Columns data = new Plot.Columns("rule", "second", "calls");
    for (Herd.Outcome outcome : outcomes) {
      long[] calls = bySecond(outcome.runs().get(0).arrivals());
      for (int second = 0; second < calls.length; second++) {
        data.row(
            Plot.panel(outcome.rule().meaning(), outcomes.indexOf(outcome)), second, calls[second]);
      }
    }
    int columns = frame.columns(Math.min(outcomes.size(), 3));
    int rows = (outcomes.size() + columns - 1) / columns;
    return Plot.in(frame, 50 + rows * 165)
        .data(data, "x", "second", "y", "calls")
        .layer("bar", "stat", "identity", "fill", Palette.BLUE.hex(), "width", 1, "size", 0)
        .layer(
            "hline",
            "yintercept",
            spec.perSecond(),
            "linetype",
            "dashed",
            "color",
            Palette.INK.hex())
        .scale("x", "seconds")
        .scale("y", "calls per second")
        .sign(Legend.Mark.AREA, Palette.BLUE.hex(), "calls that arrive")
        .sign(Legend.Mark.DASHED, Palette.INK.hex(), "calls that the server can do")
        .panels("rule", columns, "fixed");
  }

  private static long[] bySecond(List<HerdRun.Bin> arrivals) {
    long last = arrivals.get(arrivals.size() - 1).tenth() / 10;
    long[] calls = new long[(int) Math.min(MOST_SECONDS, last + 1)];
    for (HerdRun.Bin bin : arrivals) {
      if (bin.tenth() / 10 < calls.length) {
        calls[(int) (bin.tenth() / 10)] += bin.calls();
      }
    }
    return calls;
  }

  private static Plot done(List<Herd.Outcome> outcomes, Chart.Frame frame) {
    Plot.Columns data = new Plot.Columns("rule", "seconds");
    for (Herd.Outcome outcome : outcomes) {
      data.row(outcome.rule().name(), outcome.doneSeconds());
    }
    return Plot.in(frame, 300)
        .data(data, "x", "rule", "y", "seconds")
        .layer("bar", "stat", "identity", "fill", Palette.BLUE.hex(), "width", 0.6, "size", 0)
        .scale("x", "")
        .scale("y", "seconds");
  }
}
