package dev.steadfast.retry.simulator;

import java.util.List;
import java.util.function.ToLongFunction;

/** Calls and completion against the number of clients. */
final class ContentionCharts {
  private static final List<Double> STEPS =
      List.of(0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1e3, 3e3, 1e4, 3e4, 1e5);

  private ContentionCharts() {}

  static List<Chart> draw(List<Contention.Medians> all) {
    if (all.stream().mapToInt(Contention.Medians::clients).distinct().count() < 2) {
      return List.of();
    }
    return List.of(
        new Chart(
            "contention-calls",
            "Calls that N clients make until each has written once",
            "Contention model. Both axes are logarithmic. Jitter halves the calls and more; the"
                + " least of them come from full and equal jitter.",
            frame -> spec(all, Contention.Medians::calls, "calls", frame)),
        new Chart(
            "contention-time",
            "Time until the last of N clients has written",
            "Contention model, in seconds, both axes logarithmic. Without backoff all end soonest,"
                + " because calls are free in this model: it shows contention, not capacity.",
            frame -> spec(all, Contention.Medians::millis, "seconds", frame)));
  }

  private static Plot spec(
      List<Contention.Medians> all,
      ToLongFunction<Contention.Medians> value,
      String unit,
      Chart.Frame frame) {
    Plot.Columns data = new Plot.Columns("strategy", "clients", "value");
    double scale = unit.equals("seconds") ? 1000 : 1;
    List<String> names = all.stream().map(Contention.Medians::strategy).distinct().toList();
    all.forEach(each -> data.row(each.strategy(), each.clients(), value.applyAsLong(each) / scale));
    List<Double> clients = clients(all);
    List<Double> values = all.stream().map(each -> value.applyAsLong(each) / scale).toList();
    return Plot.in(frame, 400)
        .data(data, "x", "clients", "y", "value", "color", "strategy")
        .layer("line", "size", 1.2)
        .layer("point", "size", 2.5)
        .scale("x", "clients", "trans", "log10", "breaks", clients, "limits", around(clients))
        .scale("y", unit, "trans", "log10", "breaks", STEPS, "limits", around(values))
        .colours("color", Legend.Mark.LINE, names, Palette.SERIES);
  }

  private static List<Double> around(List<Double> values) {
    double least = values.stream().min(Double::compare).orElse(1.0);
    double most = values.stream().max(Double::compare).orElse(1.0);
    return List.of(least / 1.1, most * 1.1);
  }

  private static List<Double> clients(List<Contention.Medians> all) {
    return all.stream().map(each -> (double) each.clients()).distinct().toList();
  }
}
