package dev.steadfast.retry.simulator;

import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryDecision;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryState;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.Verdict;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * What was drawn from a policy by operations whose every attempt fails.
 *
 * @param rows by retry
 * @param ends by the reason for which operations ended
 */
record Waits(List<Row> rows, List<End> ends) {
  static final Waits NONE = new Waits(List.of(), List.of());

  /** How much to draw. */
  record Sample(int operations, int retries, long attemptNanos) {}

  /** How values are spread, in nanoseconds. */
  record Spread(double min, double p5, double median, double p95, double max, double mean) {
    static Spread of(double[] values) {
      double[] sorted = values.clone();
      Arrays.sort(sorted);
      return new Spread(
          sorted[0],
          Stats.quantile(sorted, 0.05),
          Stats.quantile(sorted, 0.5),
          Stats.quantile(sorted, 0.95),
          sorted[sorted.length - 1],
          Stats.mean(sorted));
    }
  }

  /** One retry: which share of operations got there, their waits, and all waits up to there. */
  record Row(int retry, double reached, Spread spread, Spread soFar) {}

  /** One reason to end, and when that was. */
  record End(String reason, double share, Spread at) {}

  static Waits draw(RetryPolicy policy, Sample sample, Draws draws) {
    return new Drawing(policy, sample, draws).all();
  }

  /** Collects. */
  private static final class Drawing {
    private final RetryPolicy policy;
    private final Sample sample;
    private final Draws draws;
    private final double[][] waits;
    private final double[][] sums;
    private final int[] reached;
    private final Map<StopReason, List<Double>> ends = new EnumMap<>(StopReason.class);

    Drawing(RetryPolicy policy, Sample sample, Draws draws) {
      this.policy = policy;
      this.sample = sample;
      this.draws = draws;
      this.waits = new double[sample.retries()][sample.operations()];
      this.sums = new double[sample.retries()][sample.operations()];
      this.reached = new int[sample.retries()];
    }

    Waits all() {
      for (int i = 0; i < sample.operations(); i++) {
        operation();
      }
      List<Row> rows = new ArrayList<>();
      for (int i = 0; i < sample.retries() && reached[i] > 0; i++) {
        double share = (double) reached[i] / sample.operations();
        rows.add(new Row(i + 1, share, spread(waits, i), spread(sums, i)));
      }
      List<End> reasons = new ArrayList<>();
      ends.forEach((reason, times) -> {
        double share = (double) times.size() / sample.operations();
        double[] at = times.stream().mapToDouble(each -> each).toArray();
        reasons.add(new End(reason.toString().replace(' ', '-'), share, Spread.of(at)));
      });
      return new Waits(rows, reasons);
    }

    private Spread spread(double[][] values, int retry) {
      return Spread.of(Arrays.copyOf(values[retry], reached[retry]));
    }

    private void operation() {
      RetryBudget.Account account = RetryBudget.unlimited().account("any");
      RetryState state = RetryState.of(policy, account, draws.generator());
      state.begin(0, Long.MAX_VALUE);
      long now = 0;
      double waited = 0;
      for (int retry = 0; retry <= sample.retries(); retry++) {
        int attempt = state.startAttempt();
        now += Math.min(sample.attemptNanos(), state.attemptTimeoutNanos(attempt, now));
        RetryDecision decision = state.next(Verdict.retryable(FailureKind.UNAVAILABLE), now);
        if (decision instanceof RetryDecision.Stop stop) {
          ends.computeIfAbsent(stop.reason(), reason -> new ArrayList<>()).add((double) now);
          return;
        }
        long delay = ((RetryDecision.Retry) decision).delayNanos();
        now += delay;
        waited += delay;
        if (retry < sample.retries()) {
          waits[retry][reached[retry]] = delay;
          sums[retry][reached[retry]++] = waited;
        }
      }
    }
  }
}
