package dev.steadfast.retry.http;

import dev.steadfast.retry.internal.Checks;
import java.util.Optional;

/**
 * How a key is written on the wire: bare, as commercial APIs want it, or as the structured string
 * of draft-ietf-httpapi-idempotency-key-header (RFC 9651 section 3.3.3). Servers take the two for
 * different keys, so the form never changes within an operation.
 */
enum KeyForm {
  BARE,
  QUOTED;

  String write(String key, int maxLength) {
    check(key, maxLength);
    if (this == QUOTED) {
      return '"' + key.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
    if (!key.equals(key.trim())) {
      throw Checks.bad("idempotency key", "with surrounding spaces", "none, they would be lost");
    }
    return key;
  }

  static void check(String key, int maxLength) {
    Checks.notNull("idempotency key", key);
    if (key.isEmpty() || key.length() > maxLength) {
      throw Checks.bad(
          "idempotency key", "of " + key.length() + " characters", "1 to " + maxLength);
    }
    Checks.secret("idempotency key", key, c -> c >= 0x20 && c <= 0x7e, "printable ASCII");
  }

  /** The key behind a structured string, empty if the text is none. */
  static Optional<String> parseQuoted(String wire) {
    int last = wire.length() - 1;
    if (last < 1 || wire.charAt(0) != '"') {
      return Optional.empty();
    }
    StringBuilder key = new StringBuilder();
    for (int i = 1; i <= last; i++) {
      char c = wire.charAt(i);
      if (c == '"') {
        return i == last ? Optional.of(key.toString()) : Optional.empty();
      }
      if (c == '\\') {
        i++;
        if (i > last || (wire.charAt(i) != '"' && wire.charAt(i) != '\\')) {
          return Optional.empty();
        }
        c = wire.charAt(i);
      } else if (c < 0x20 || c > 0x7e) {
        return Optional.empty();
      }
      key.append(c);
    }
    return Optional.empty();
  }
}
