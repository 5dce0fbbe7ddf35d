package dev.steadfast.retry.http;

import dev.steadfast.retry.internal.JsonScanner;
import java.util.HashSet;
import java.util.Set;

/**
 * Finds the names that a JSON body gives to its error: the members {@code type}, {@code code} and
 * {@code status} of the object {@code error}, and {@code error_code} anywhere in it. An event of a
 * stream may be the error itself. This class accepts whatever a server sends, and throws nothing.
 */
final class ErrorTypes {
  private static final Set<String> OF_ERROR = Set.of("type", "code", "status");

  private ErrorTypes() {}

  static Set<String> of(String body) {
    return within(body, Integer.MAX_VALUE);
  }

  /** The same for an event that is an error: without the object, its own members count. */
  static Set<String> ofEvent(String data) {
    Set<String> within = of(data);
    return within.isEmpty() ? within(data, 1) : within;
  }

  /** The depth is that of the error's members; the largest number if they are yet to be found. */
  private static Set<String> within(String body, int depth) {
    Set<String> found = new HashSet<>();
    JsonScanner json = new JsonScanner(body);
    int ofError = depth;
    for (char first = json.step(); first != 0; first = json.step()) {
      boolean begun = ofError < Integer.MAX_VALUE;
      if (!begun && first == '{' && "error".equals(json.member())) {
        ofError = json.depth();
      } else if (begun && (first == '}' || first == ']') && json.depth() < ofError) {
        return found; // the error is over
      } else if (first == '"' && isType(json, ofError)) {
        found.add(json.text());
      }
    }
    return found;
  }

  private static boolean isType(JsonScanner json, int ofError) {
    String member = json.member();
    return member != null
        && ((json.depth() == ofError && OF_ERROR.contains(member))
            || (json.depth() >= ofError && member.equals("error_code")));
  }
}
