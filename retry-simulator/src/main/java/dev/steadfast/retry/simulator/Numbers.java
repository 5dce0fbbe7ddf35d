package dev.steadfast.retry.simulator;

/**
 * Numbers as text, the same on every JDK: {@code Double.toString} and {@code String.format} of a
 * double changed with JDK 19.
 */
final class Numbers {
  private static final long[] POWERS = {1, 10, 100, 1_000, 10_000, 100_000, 1_000_000};

  private Numbers() {}

  /** A number with a fixed number of decimals, 0 to 6. */
  static String fixed(double value, int decimals) {
    if (Double.isNaN(value)) {
      return "-";
    }
    long power = POWERS[decimals];
    long scaled = Math.round(Math.abs(value) * power);
    String whole = Long.toString(scaled / power);
    String sign = value < 0 && scaled != 0 ? "-" : "";
    if (decimals == 0) {
      return sign + whole;
    }
    String digits = Long.toString(power + scaled % power).substring(1);
    return sign + whole + "." + digits;
  }

  /** A number with at most the given number of decimals, and no zeros at the end. */
  static String plain(double value, int decimals) {
    String text = fixed(value, decimals);
    if (text.indexOf('.') < 0) {
      return text;
    }
    int end = text.length();
    while (text.charAt(end - 1) == '0') {
      end--;
    }
    return text.substring(0, text.charAt(end - 1) == '.' ? end - 1 : end);
  }

  static String percent(double share) {
    return plain(share * 100, 1) + " %";
  }
}
