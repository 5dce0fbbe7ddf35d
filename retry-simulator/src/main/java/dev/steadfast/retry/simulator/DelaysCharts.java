package dev.steadfast.retry.simulator;

import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Fans of delays by retry. */
final class DelaysCharts {
  private static final int LABELS = 6; // what a phone has room for

  private DelaysCharts() {}

  static List<Chart> draw(List<Delays.Drawn> all) {
    if (all.stream().allMatch(each -> each.waits().rows().isEmpty())) {
      return List.of(); // a policy that never waits
    }
    return List.of(
        new Chart(
            "delays",
            "The wait before each retry",
            "Delays of one client whose every attempt fails.",
            frame -> fans(all, frame)),
        new Chart(
            "delays-total",
            "All waits up to each retry",
            "Delays of one client whose every attempt fails. A retry that would come after your"
                + " deadline is not made.",
            frame -> totals(all, frame)),
        new Chart(
            "timeline",
            "Eight calls, attempt by attempt",
            "Delays of one client: each call is a line.",
            frame -> timeline(all, frame)));
  }

  private static Plot timeline(List<Delays.Drawn> all, Chart.Frame frame) {
    Plot.Columns starts = new Plot.Columns("strategy", "call", "start");
    Plot.Columns attempts = new Plot.Columns("strategy", "call", "start", "end");
    Plot.Columns waits = new Plot.Columns("strategy", "call", "start", "end");
    Plot.Columns limits = new Plot.Columns("strategy", "at");
    for (Delays.Drawn drawn : all) {
      String name = Plot.panel(drawn.name(), all.indexOf(drawn));
      long longest =
          drawn.waits().attempts().stream().mapToLong(Waits.Attempt::endNanos).max().orElse(0);
      drawn
          .policy()
          .totalTimeout()
          .filter(limit -> limit.toNanos() < 2 * longest) // a far one would squeeze the calls
          .ifPresent(limit -> limits.row(name, seconds((double) limit.toNanos())));
      for (Waits.Attempt attempt : drawn.waits().attempts()) {
        double start = seconds((double) attempt.startNanos());
        double end = seconds((double) attempt.endNanos());
        starts.row(name, attempt.operation(), start);
        attempts.row(name, attempt.operation(), start, end);
        waits.row(name, attempt.operation(), end, seconds((double) attempt.nextNanos()));
      }
    }
    int columns = all.size() == 1 ? 1 : frame.columns(2);
    int rows = (all.size() + columns - 1) / columns;
    Map<String, Object> segment =
        Plot.map("x", "start", "xend", "end", "y", "call", "yend", "call");
    return Plot.in(frame, 60 + rows * 190)
        .data(starts, "x", "start", "y", "call")
        .layerOn(waits, segment, "segment", "size", 0.8, "color", Palette.GREY.hex())
        .layerOn(attempts, segment, "segment", "size", 5, "color", Palette.ORANGE.hex())
        .layer("point", "size", 2.5, "color", Palette.BLUE.hex())
        .layerOn(
            limits,
            Plot.map("xintercept", "at"),
            "vline",
            "linetype",
            "dashed",
            "color",
            Palette.INK.hex())
        .scale("x", "seconds")
        .scale("y", "call", "format", "d")
        .sign(Legend.Mark.DOT, Palette.BLUE.hex(), "an attempt begins")
        .sign(Legend.Mark.THICK, Palette.ORANGE.hex(), "the attempt")
        .sign(Legend.Mark.LINE, Palette.GREY.hex(), "the wait after it")
        .sign(Legend.Mark.DASHED, Palette.INK.hex(), "the total timeout, where it is near")
        .panels("strategy", columns, "fixed");
  }

  private static Plot fans(List<Delays.Drawn> all, Chart.Frame frame) {
    Plot.Columns data = new Plot.Columns("strategy", "retry", "min", "p5", "median", "p95", "max");
    for (Delays.Drawn drawn : all) {
      for (Waits.Row row : drawn.waits().rows()) {
        Waits.Spread spread = row.spread();
        data.row(
            Plot.panel(drawn.name(), all.indexOf(drawn)),
            row.retry(),
            seconds(spread.min()),
            seconds(spread.p5()),
            seconds(spread.median()),
            seconds(spread.p95()),
            seconds(spread.max()));
      }
    }
    int columns = all.size() == 1 ? 1 : frame.columns(2);
    int rows = (all.size() + columns - 1) / columns;
    return Plot.in(frame, 60 + rows * 190)
        .data(data, "x", "retry", "y", "median")
        .layer(
            "ribbon",
            "mapping",
            Plot.map("ymin", "min", "ymax", "max"),
            "alpha",
            0.18,
            "size",
            0,
            "fill",
            Palette.BLUE.hex())
        .layer(
            "ribbon",
            "mapping",
            Plot.map("ymin", "p5", "ymax", "p95"),
            "alpha",
            0.35,
            "size",
            0,
            "fill",
            Palette.BLUE.hex())
        .layer("line", "size", 1.2, "color", Palette.BLUE.hex())
        .layer("point", "size", 2, "color", Palette.BLUE.hex())
        .scale("x", "retry", "format", "d", "breaks", retries(all))
        .scale("y", "seconds")
        .sign(Legend.Mark.LINE, Palette.BLUE.hex(), "median")
        .sign(new Legend.Sign(Legend.Mark.AREA, Palette.BLUE.hex(), 0.47, "90 % of the waits"))
        .sign(new Legend.Sign(Legend.Mark.AREA, Palette.BLUE.hex(), 0.18, "all of them"))
        .panels("strategy", columns, "fixed");
  }

  private static Plot totals(List<Delays.Drawn> all, Chart.Frame frame) {
    Plot.Columns data = new Plot.Columns("strategy", "retry", "median", "p95");
    for (Delays.Drawn drawn : all) {
      for (Waits.Row row : drawn.waits().rows()) {
        data.row(
            drawn.name(), row.retry(), seconds(row.soFar().median()), seconds(row.soFar().p95()));
      }
    }
    List<String> names = all.stream().map(Delays.Drawn::name).toList();
    return Plot.in(frame, 360)
        .data(data, "x", "retry", "y", "median", "color", "strategy")
        .layer("line", "size", 1.2)
        .layer("line", "mapping", Plot.map("y", "p95"), "linetype", "dashed", "size", 0.8)
        .scale("x", "retry", "format", "d", "breaks", retries(all))
        .scale("y", "seconds")
        .colours("color", Legend.Mark.LINE, names, Palette.SERIES)
        .sign(Legend.Mark.LINE, Palette.INK.hex(), "median")
        .sign(Legend.Mark.DASHED, Palette.INK.hex(), "95 %");
  }

  // The axis by itself would have halves, which look like the same retry twice.
  private static List<Double> retries(List<Delays.Drawn> all) {
    int most = all.stream().mapToInt(each -> each.waits().rows().size()).max().orElse(1);
    int step = (most + LABELS - 1) / LABELS;
    return IntStream.rangeClosed(1, most)
        .filter(retry -> (retry - 1) % step == 0)
        .mapToObj(retry -> (double) retry)
        .toList();
  }

  private static double seconds(double nanos) {
    return nanos / Durations.SECOND;
  }
}
