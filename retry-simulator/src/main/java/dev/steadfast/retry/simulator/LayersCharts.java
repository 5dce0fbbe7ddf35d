package dev.steadfast.retry.simulator;

import java.util.List;

/** Amplification against the failure rate. */
final class LayersCharts {
  private LayersCharts() {}

  static List<Chart> draw(List<Layers.Point> points, int layers) {
    if (points.stream().mapToDouble(Layers.Point::p).distinct().count() < 2) {
      return List.of();
    }
    boolean one = layers == 1;
    return List.of(
        new Chart(
            one ? "budgets" : "layers",
            one
                ? "Load against the failure rate, by kind of budget"
                : "Load at the bottom of " + layers + " layers against the failure rate",
            "Amplification model. Dots are simulated with the library's own objects."
                + (one ? "" : " The line of budget is an upper bound. The scale is logarithmic."),
            frame -> curve(points, one, frame)));
  }

  private static Plot curve(List<Layers.Point> points, boolean linear, Chart.Frame frame) {
    Plot.Columns data = new Plot.Columns("arm", "p", "load");
    Plot.Columns forms = new Plot.Columns("arm", "p", "load");
    List<String> names = points.stream().map(point -> point.arm().name()).distinct().toList();
    points.forEach(point -> data.row(point.arm().name(), point.p(), point.load().load()));
    for (Layers.Arm arm : points.stream().map(Layers.Point::arm).distinct().toList()) {
      for (int i = 0; i <= 200; i++) {
        forms.row(arm.name(), i / 200.0, arm.closedForm().applyAsDouble(i / 200.0));
      }
    }
    Plot plot =
        Plot.in(frame, 380)
            .data(data, "x", "p", "y", "load", "color", "arm")
            .layerOn(forms, Plot.map("x", "p", "y", "load", "color", "arm"), "line", "size", 1)
            .layer("point", "size", 2.5)
            .scale("x", "failure rate of one attempt")
            .colours("color", Legend.Mark.LINE, names, Palette.SERIES)
            .sign(Legend.Mark.DOT, Palette.INK.hex(), "simulated (lines: closed forms)");
    return linear
        ? plot.scale("y", "attempts per call")
        : plot.scale(
            "y",
            "attempts per call",
            "trans",
            "log10",
            "breaks",
            List.of(1.0, 3.0, 10.0, 30.0, 81.0));
  }
}
