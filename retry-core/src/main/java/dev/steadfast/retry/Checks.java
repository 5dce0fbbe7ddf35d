package dev.steadfast.retry;

import java.time.Duration;

/** Argument checks whose messages say name, value and allowed range. */
final class Checks {
  private Checks() {}

  static IllegalArgumentException bad(String name, Object value, String expected) {
    return new IllegalArgumentException(name + ": " + value + " (expected: " + expected + ")");
  }

  static int atLeast(String name, int value, int minimum) {
    if (value >= minimum) {
      return value;
    }
    throw bad(name, value, ">= " + minimum);
  }

  static int within(String name, int value, int minimum, int maximum) {
    if (value >= minimum && value <= maximum) {
      return value;
    }
    throw bad(name, value, minimum + " to " + maximum);
  }

  // Written as "inside the range" and never as its negation, so that NaN fails.
  static double within(String name, double value, double minimum, double maximum) {
    if (value >= minimum && value <= maximum) {
      return value;
    }
    throw bad(name, value, minimum + " to " + maximum);
  }

  static Duration positive(String name, Duration value) {
    if (notNull(name, value).compareTo(Duration.ZERO) > 0) {
      return value;
    }
    throw bad(name, value, "more than zero");
  }

  static Duration notNegative(String name, Duration value) {
    if (!notNull(name, value).isNegative()) {
      return value;
    }
    throw bad(name, value, "zero or more");
  }

  static <T> T notNull(String name, T value) {
    if (value == null) {
      throw new NullPointerException(name + ": null (expected: a value)");
    }
    return value;
  }
}
