package dev.steadfast.retry.simulator;

import java.util.List;
import java.util.Optional;
import java.util.StringJoiner;

/** The results of the runs of an outage, as text, lines and charts. */
final class OutageReport {
  private static final String MODEL =
      "Overload, open: calls arrive by chance at a share of the capacity whether or not the server"
          + " answers; one queue, first come first served; each client gives up after its timeout,"
          + " and the server does that work all the same. No network delay, no queue in the client."
          + " Recovered is the first of five seconds in a row whose calls succeed to 99 %.";

  private final OutageSpec spec;
  private final List<Outage.Outcome> outcomes;

  private OutageReport(OutageSpec spec, List<Outage.Outcome> outcomes) {
    this.spec = spec;
    this.outcomes = outcomes;
  }

  static Result of(OutageSpec spec, List<Outage.Outcome> outcomes) {
    return new OutageReport(spec, outcomes).result();
  }

  private Result result() {
    String kind = spec.trigger().kind().toString();
    String length = Durations.print(spec.trigger().lengthNanos());
    Result result =
        new Result(
            "Outage: " + kind + " of " + length + " at " + rate() + " calls per second",
            MODEL,
            series());
    result.table(table()).conclusion(conclusion(length));
    for (Outage.Outcome outcome : outcomes) {
      Protection protection = outcome.protection();
      if (isOwn(protection)) {
        result.note(protection.label() + " is " + protection.configuration());
      }
      result.note(protection.label() + ": " + new Verdicts(spec, protection).line());
      result.line(line(outcome));
    }
    OutageCharts.draw(spec, outcomes).forEach(result::chart);
    return result;
  }

  private static boolean isOwn(Protection protection) {
    return protection.label().startsWith(Option.POLICY_NAME);
  }

  private String rate() {
    return Numbers.plain(spec.arrivalsPerSecond(), 2);
  }

  private String conclusion(String length) {
    StringJoiner back = new StringJoiner(", ");
    StringJoiner never = new StringJoiner(", ");
    for (Outage.Outcome outcome : outcomes) {
      String label = outcome.protection().label();
      if (Double.isInfinite(outcome.recovery())) {
        never.add(label);
      } else {
        back.add(outcome.recoveryText() + " s (" + label + ")");
      }
    }
    String end = " after the end of the outage of " + length;
    if (back.length() == 0) {
      return "Calls do not succeed again" + end + ": " + never + ".";
    }
    return "Calls succeed again "
        + back.toString().replaceFirst(", ([^,]*)$", " and $1")
        + end
        + (never.length() == 0 ? "." : "; not within the run: " + never + ".");
  }

  private Table table() {
    int runs = outcomes.get(0).traces().size();
    Table table =
        new Table(
            "Medians of " + runs + (runs == 1 ? " run" : " runs"),
            "policy",
            "recovery s",
            "goodput/s",
            "failed",
            "refused",
            "peak/s",
            "steady/s",
            "load");
    for (Outage.Outcome outcome : outcomes) {
      table.row(
          outcome.protection().label(),
          outcome.recoveryText(),
          Long.toString(outcome.goodput()),
          Long.toString(outcome.failed()),
          Long.toString(outcome.refused()),
          Long.toString(outcome.peak()),
          Long.toString(outcome.steady()),
          Numbers.fixed(outcome.loadDuring(), 2) + " x");
    }
    return table;
  }

  private Line line(Outage.Outcome outcome) {
    Protection protection = outcome.protection();
    Line line = new Line("outage").with("policy", protection.label());
    if (isOwn(protection)) {
      line.with("budget", protection.budget().text())
          .with("breaker", text(protection.shedding().breaker()))
          .with("limit", text(protection.shedding().limit()));
    }
    return line.with("kind", spec.trigger().kind().toString())
        .with("rps", rate())
        .with("recovery", outcome.recoveryText())
        .with("failed", outcome.failed())
        .with("peak", outcome.peak())
        .with("steady", outcome.steady())
        .with("goodput", outcome.goodput())
        .with("refused", outcome.refused());
  }

  private static String text(Optional<?> part) {
    return part.map(Object::toString).orElse("none");
  }

  private Table series() {
    Table series =
        new Table(
            "",
            "policy",
            "second",
            "first-tries",
            "retries",
            "goodput",
            "held-back",
            "arrived",
            "served",
            "funded",
            "open");
    for (Outage.Outcome outcome : outcomes) {
      OutageTrace trace = outcome.traces().get(0);
      for (int second = 0; second < trace.seconds(); second++) {
        series.row(
            outcome.protection().label(),
            Integer.toString(second),
            Long.toString(trace.firstTries[second]),
            Long.toString(trace.retries[second]),
            Long.toString(trace.good[second]),
            Long.toString(trace.held[second]),
            Long.toString(trace.arrived[second]),
            Long.toString(trace.served[second]),
            Numbers.fixed(trace.funded[second], 2),
            Numbers.fixed(trace.open[second], 2));
      }
    }
    return series;
  }
}
