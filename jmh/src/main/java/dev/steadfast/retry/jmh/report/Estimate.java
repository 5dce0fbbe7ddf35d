package dev.steadfast.retry.jmh.report;

import java.util.Arrays;
import java.util.Locale;

/**
 * A number and its error: the half-width of JMH's 99.9 % confidence interval, or as the factory
 * says; 0 where none is known.
 */
record Estimate(double value, double error) {
  static Estimate exact(double value) {
    return new Estimate(value, 0);
  }

  /** The mean of the numbers of a few shots, and how far the farthest lies from it. */
  static Estimate ofShots(double[] shots) {
    double sum = 0;
    for (double shot : shots) {
      sum += shot;
    }
    double mean = sum / shots.length;
    double farthest = 0;
    for (double shot : shots) {
      farthest = Math.max(farthest, Math.abs(shot - mean));
    }
    return new Estimate(mean, farthest);
  }

  /**
   * Of one number per fork: the median, and how far the farther end of its interval of order
   * statistics lies from it. Of ten forks that is the second smallest to the second largest, which
   * holds the true median with 97.9 %.
   */
  static Estimate ofForks(double[] forks) {
    double[] sorted = forks.clone();
    Arrays.sort(sorted);
    int last = sorted.length - 1;
    double median = (sorted[last / 2] + sorted[(last + 1) / 2]) / 2;
    int cut = sorted.length / 8; // one of 8 to 15
    double error = Math.max(sorted[last - cut] - median, median - sorted[cut]);
    return new Estimate(median, error);
  }

  Estimate over(Estimate other) {
    double ratio = value / other.value;
    return new Estimate(ratio, Math.abs(ratio) * Math.hypot(relative(), other.relative()));
  }

  Estimate minus(Estimate other) {
    return new Estimate(value - other.value, Math.hypot(error, other.error));
  }

  private double relative() {
    return value == 0 ? 0 : error / value;
  }

  @Override
  public String toString() {
    String number = number(value);
    String around = number(error);
    return around.equals("0") ? number : number + " ± " + around;
  }

  /** Three digits, or the whole number. */
  static String number(double value) {
    double size = Math.abs(value);
    if (size >= 99.95) {
      return String.format(Locale.ROOT, "%,.0f", value);
    }
    if (size >= 9.995) {
      return String.format(Locale.ROOT, "%.1f", value);
    }
    return size < 0.005 ? "0" : String.format(Locale.ROOT, "%.2f", value);
  }
}
