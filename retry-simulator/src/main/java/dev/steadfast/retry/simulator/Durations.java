package dev.steadfast.retry.simulator;

/** Durations as the policies' text form writes them. */
final class Durations {
  static final long SECOND = 1_000_000_000L;
  static final double MILLI = 1e6;

  private static final String[] UNITS = {"ns", "us", "ms", "s", "m", "h"};
  private static final long[] NANOS = {1, 1_000, 1_000_000, SECOND, 60 * SECOND, 3_600 * SECOND};

  private Durations() {}

  /** Reads digits, perhaps with a fraction, and a unit; -1 for anything else. */
  static double nanos(String text) {
    int unitAt = 0;
    while (unitAt < text.length() && !Character.isLetter(text.charAt(unitAt))) {
      unitAt++;
    }
    String unit = text.substring(unitAt);
    String number = text.substring(0, unitAt);
    if (!number.matches("[0-9]{1,9}(\\.[0-9]{1,6})?")) {
      return number.equals("0") ? 0 : -1;
    }
    for (int i = 0; i < UNITS.length; i++) {
      if (UNITS[i].equals(unit)) {
        return Double.parseDouble(number) * NANOS[i];
      }
    }
    return number.equals("0") && unit.isEmpty() ? 0 : -1;
  }

  /** The largest unit that needs no fraction. */
  static String print(long nanos) {
    int unit = nanos == 0 ? 3 : UNITS.length - 1;
    while (nanos % NANOS[unit] != 0) {
      unit--;
    }
    return nanos / NANOS[unit] + UNITS[unit];
  }

  static double seconds(long nanos) {
    return nanos / (double) SECOND;
  }
}
