package dev.steadfast.retry;

import dev.steadfast.retry.internal.Durations;

/** How strategies print themselves. */
final class BackoffText {
  private BackoffText() {}

  static String of(String name, long base, long cap, String growth) {
    return name + "(" + Durations.print(base) + ".." + Durations.print(cap) + growth + ")";
  }

  static String growth(double multiplier, double usual) {
    if (multiplier == usual) {
      return "";
    }
    boolean whole = multiplier == Math.rint(multiplier);
    return ", x" + (whole ? Long.toString((long) multiplier) : Double.toString(multiplier));
  }
}
