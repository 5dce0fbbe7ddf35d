package dev.steadfast.retry.http;

import java.util.Locale;
import java.util.function.IntPredicate;

/** Checks of what goes into header fields; messages say name, value and allowed range. */
final class HttpChecks {
  private static final String TOKEN_EXTRAS = "!#$%&'*+-.^_`|~";

  private HttpChecks() {}

  static IllegalArgumentException bad(String name, Object value, String expected) {
    return new IllegalArgumentException(name + ": " + value + " (expected: " + expected + ")");
  }

  static <T> T notNull(String name, T value) {
    if (value == null) {
      throw new NullPointerException(name + ": null (expected: a value)");
    }
    return value;
  }

  /** RFC 9110 section 5.1: a field name is a token. */
  static String headerName(String what, String name) {
    notNull(what, name);
    if (!name.isEmpty() && name.chars().allMatch(HttpChecks::tokenChar)) {
      return name;
    }
    throw bad(what, printable(name), "a header name: letters, digits and " + TOKEN_EXTRAS);
  }

  /** Visible ASCII and spaces within: what every server and client carries unchanged. */
  static String headerValue(String what, String value) {
    notNull(what, value);
    boolean clean = value.chars().allMatch(c -> c >= 0x20 && c <= 0x7e);
    if (clean && value.equals(value.trim())) {
      return value;
    }
    throw bad(what, printable(value), "printable ASCII without surrounding spaces");
  }

  static String notBlank(String what, String value) {
    if (!notNull(what, value).isBlank()) {
      return value;
    }
    throw bad(what, printable(value), "not empty");
  }

  /** Says where a secret breaks a rule, and tells no more of it than the character that does. */
  static void secret(String what, String secret, IntPredicate allowed, String expected) {
    for (int i = 0; i < secret.length(); i++) {
      char c = secret.charAt(i);
      if (!allowed.test(c)) {
        throw bad(what, String.format(Locale.ROOT, "U+%04X at index %d", (int) c, i), expected);
      }
    }
  }

  /** A value in quotes, with what cannot be printed made visible. */
  static String printable(String value) {
    StringBuilder text = new StringBuilder("\"");
    value
        .chars()
        .limit(64)
        .forEach(c -> {
          if (c >= 0x20 && c <= 0x7e) {
            text.append((char) c);
          } else {
            text.append(String.format("\\u%04x", c));
          }
        });
    return text.append(value.length() > 64 ? "...\"" : "\"").toString();
  }

  private static boolean tokenChar(int c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || TOKEN_EXTRAS.indexOf(c) >= 0;
  }
}
