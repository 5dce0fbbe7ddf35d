package dev.steadfast.retry.internal;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.function.IntPredicate;

/** Argument checks. Their messages have the name, the value and the allowed range. */
public final class Checks {
  private static final String TOKEN_EXTRAS = "!#$%&'*+-.^_`|~";

  private Checks() {}

  public static IllegalArgumentException bad(String name, Object value, String expected) {
    return new IllegalArgumentException(name + ": " + value + " (expected: " + expected + ")");
  }

  public static <T> T notNull(String name, T value) {
    if (value == null) {
      throw new NullPointerException(name + ": null (expected: a value)");
    }
    return value;
  }

  public static int atLeast(String name, int value, int minimum) {
    if (value >= minimum) {
      return value;
    }
    throw bad(name, value, ">= " + minimum);
  }

  public static int within(String name, int value, int minimum, int maximum) {
    if (value >= minimum && value <= maximum) {
      return value;
    }
    throw bad(name, value, minimum + " to " + maximum);
  }

  // Written as "inside the range" and never as its negation, so that NaN fails.
  public static double within(String name, double value, double minimum, double maximum) {
    if (value >= minimum && value <= maximum) {
      return value;
    }
    throw bad(name, value, minimum + " to " + maximum);
  }

  public static Duration positive(String name, Duration value) {
    if (notNull(name, value).compareTo(Duration.ZERO) > 0) {
      return value;
    }
    throw bad(name, value, "more than zero");
  }

  public static Duration notNegative(String name, Duration value) {
    if (!notNull(name, value).isNegative()) {
      return value;
    }
    throw bad(name, value, "zero or more");
  }

  public static String notBlank(String name, String value) {
    if (!isBlank(notNull(name, value))) {
      return value;
    }
    throw bad(name, printable(value), "not empty");
  }

  /** Whether a text has nothing but white space. */
  public static boolean isBlank(String value) {
    return value.codePoints().allMatch(Character::isWhitespace);
  }

  /** Text without half a surrogate pair: UTF-8 cannot write one, and writes '?' instead. */
  public static String wellFormed(String name, String value) {
    if (StandardCharsets.UTF_8.newEncoder().canEncode(value)) {
      return value;
    }
    throw bad(name, "holds half a surrogate pair", "well-formed text");
  }

  /** Text that a database keeps. */
  public static String kept(String name, String value, int least, int most) {
    notNull(name, value);
    if (value.length() < least || value.length() > most) {
      throw bad(name, value.length() + " characters", least + " to " + most);
    }
    wellFormed(name, value);
    secret(name, value, c -> c != 0, "no NUL");
    return value;
  }

  /** RFC 9110 section 5.1: a field name is a token. */
  public static String headerName(String name, String value) {
    return token(name, value, "a header name");
  }

  /** RFC 9110 section 9.1: a method is a token, and case-sensitive. */
  public static String method(String name, String value) {
    return token(name, value, "a method");
  }

  private static String token(String name, String value, String expected) {
    notNull(name, value);
    if (!value.isEmpty() && value.chars().allMatch(Checks::tokenChar)) {
      return value;
    }
    throw bad(name, printable(value), expected + ": letters, digits and " + TOKEN_EXTRAS);
  }

  /** Visible ASCII and spaces within: what every server and client carries unchanged. */
  public static String headerValue(String name, String value) {
    notNull(name, value);
    boolean clean = value.chars().allMatch(c -> c >= 0x20 && c <= 0x7e);
    if (clean && value.equals(value.trim())) {
      return value;
    }
    throw bad(name, printable(value), "printable ASCII without surrounding spaces");
  }

  /** Checks a secret. The message shows no more of it than the first character that is wrong. */
  public static void secret(String name, String secret, IntPredicate allowed, String expected) {
    for (int i = 0; i < secret.length(); i++) {
      char c = secret.charAt(i);
      if (!allowed.test(c)) {
        throw bad(name, String.format(Locale.ROOT, "U+%04X at index %d", (int) c, i), expected);
      }
    }
  }

  /** A value in quotes, with what cannot be printed made visible. */
  public static String printable(String value) {
    StringBuilder text = new StringBuilder("\"");
    value
        .chars()
        .limit(64)
        .forEach(c -> {
          if (c >= 0x20 && c <= 0x7e) {
            text.append((char) c);
          } else {
            text.append(String.format(Locale.ROOT, "\\u%04x", c));
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
