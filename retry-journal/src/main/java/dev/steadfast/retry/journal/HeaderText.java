package dev.steadfast.retry.journal;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** A header block as text: one {@code name: value} on each line. */
final class HeaderText {
  // These carry sessions, tokens, challenges and proofs of passwords.
  private static final Set<String> SECRET_OF_ANSWERS =
      Set.of(
          "set-cookie",
          "set-cookie2",
          "www-authenticate",
          "proxy-authenticate",
          "authentication-info",
          "authorization",
          "x-access-token",
          "x-amz-security-token",
          "x-auth-token",
          "x-csrf-token",
          "x-refresh-token",
          "x-subject-token",
          "proxy-authentication-info");

  private HeaderText() {}

  /** Writes the headers of a request. */
  static String write(Map<String, List<String>> headers) {
    StringBuilder text = new StringBuilder();
    headers.forEach((name, lines) -> {
      for (String line : lines) {
        text.append(name).append(": ").append(oneLine(line)).append('\n');
      }
    });
    return text.toString();
  }

  /** Writes the headers of an answer, without those that may hold a secret. */
  static String writeAnswer(Map<String, List<String>> headers) {
    Map<String, List<String>> kept = new TreeMap<>(headers);
    kept.keySet().removeIf(name -> SECRET_OF_ANSWERS.contains(name.toLowerCase(Locale.ROOT)));
    return write(kept);
  }

  // RFC 9110 section 5.5: CR, LF and NUL are not valid in a value; a space may replace them.
  private static String oneLine(String value) {
    return value.replace('\r', ' ').replace('\n', ' ').replace('\0', ' ');
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @throws IllegalArgumentException if a line has no colon
   */
  static Map<String, List<String>> read(String text) {
    Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    for (String line : text.lines().toList()) {
      if (line.isEmpty()) {
        continue;
      }
      int colon = line.indexOf(": ");
      if (colon < 1) {
        throw new IllegalArgumentException("a header line without a colon");
      }
      headers
          .computeIfAbsent(line.substring(0, colon), name -> new ArrayList<>())
          .add(line.substring(colon + 2));
    }
    return headers;
  }
}
