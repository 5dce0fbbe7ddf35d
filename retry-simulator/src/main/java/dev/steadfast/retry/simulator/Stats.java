package dev.steadfast.retry.simulator;

import java.util.Arrays;

/** Sums and quantiles of what was measured. */
final class Stats {
  private Stats() {}

  /** Values in their order. Immutable. */
  static final class Sorted {
    private final double[] values;

    Sorted(double[] values) {
      this.values = values.clone();
      Arrays.sort(this.values);
    }

    double quantile(double share) {
      return Stats.quantile(values, share);
    }
  }

  static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  static double mean(double[] values) {
    double sum = 0;
    for (double value : values) {
      sum += value;
    }
    return values.length == 0 ? 0 : sum / values.length;
  }

  /** The value below which a share of the sorted values lies, between two by their distance. */
  static double quantile(double[] sorted, double share) {
    double place = share * (sorted.length - 1);
    int below = (int) place;
    int above = Math.min(below + 1, sorted.length - 1);
    return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
  }
}
