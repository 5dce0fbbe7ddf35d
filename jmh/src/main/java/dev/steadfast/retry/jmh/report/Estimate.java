package dev.steadfast.retry.jmh.report;

import java.util.Locale;

/** A number with the half-width of its 99.9 % confidence interval; 0 where one is not known. */
record Estimate(double value, double error) {
  static Estimate exact(double value) {
    return new Estimate(value, 0);
  }

  /** Of numbers from few shots: their mean, and how far they lie from it. */
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
