package dev.steadfast.retry.http;

/** Reads numbers strictly: ASCII digits and nothing else. */
final class Digits {
  private static final int MOST = 18; // fits a long

  private Digits() {}

  /** The number, -1 if this is none or has more than 18 digits. */
  static long parse(String value) {
    if (value.isEmpty() || value.length() > MOST) {
      return -1;
    }
    long number = 0;
    for (int i = 0; i < value.length(); i++) {
      int digit = value.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        return -1;
      }
      number = number * 10 + digit;
    }
    return number;
  }
}
