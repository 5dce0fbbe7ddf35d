package dev.steadfast.retry.simulator;

import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.StopReason;
import dev.steadfast.retry.engine.Decider;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The waits that operations get from a policy if every attempt fails.
 *
 * @param rows by retry
 * @param ends by the reason for which operations ended
 * @param ended when operations ended, or were looked at no longer
 * @param attempts those of the first operations
 */
record Waits(List<Row> rows, List<End> ends, Spread ended, List<Attempt> attempts) {
  static final Waits NONE = new Waits(List.of(), List.of(), Spread.of(new double[] {0}), List.of());
  private static final int SHOWN = 8;

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

  /**
   * One attempt of an operation.
   *
   * @param operation the number of the operation
   * @param number the first one is 1
   * @param startNanos when it begins, from the beginning of the operation
   * @param endNanos when it fails
   * @param nextNanos when the next one begins; where there is none, when it fails
   */
  record Attempt(int operation, int number, long startNanos, long endNanos, long nextNanos) {
    long waitNanos() {
      return nextNanos - endNanos;
    }
  }

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
    private final double[] endedAt;
    private final Map<StopReason, List<Double>> ends = new EnumMap<>(StopReason.class);
    private final List<Attempt> attempts = new ArrayList<>();

    Drawing(RetryPolicy policy, Sample sample, Draws draws) {
      this.policy = policy;
      this.sample = sample;
      this.draws = draws;
      this.waits = new double[sample.retries()][sample.operations()];
      this.sums = new double[sample.retries()][sample.operations()];
      this.reached = new int[sample.retries()];
      this.endedAt = new double[sample.operations()];
    }

    Waits all() {
      for (int i = 0; i < sample.operations(); i++) {
        operation(i + 1);
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
      return new Waits(rows, reasons, Spread.of(endedAt), attempts);
    }

    private Spread spread(double[][] values, int retry) {
      return Spread.of(Arrays.copyOf(values[retry], reached[retry]));
    }

    private void operation(int number) {
      RetryBudget.Account account = RetryBudget.unlimited().account("any");
      Decider decider = Decider.begin(policy, account, draws.generator(), 0);
      long now = 0;
      double waited = 0;
      for (int retry = 0; retry <= sample.retries(); retry++) {
        long start = now;
        int attempt = decider.startAttempt();
        now += Math.min(sample.attemptNanos(), decider.timeoutNanos(now));
        long delay = decider.next(Outcomes.UNAVAILABLE, now);
        endedAt[number - 1] = now;
        if (number <= SHOWN) {
          long next = retry < sample.retries() ? now + delay : now;
          attempts.add(new Attempt(number, attempt, start, now, next));
        }
        if (decider.end().isPresent()) {
          ends.computeIfAbsent(decider.end().get(), reason -> new ArrayList<>()).add((double) now);
          return;
        }
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
