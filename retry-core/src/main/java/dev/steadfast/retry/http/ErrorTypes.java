package dev.steadfast.retry.http;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the names that a JSON body gives to its error: the members {@code type}, {@code code} and
 * {@code status} of the object {@code error}, and {@code error_code} anywhere in it. An event of a
 * stream may be the error itself. It takes whatever a server sends, and throws nothing.
 */
final class ErrorTypes {
  private static final Set<String> OF_ERROR = Set.of("type", "code", "status");

  private final String text;
  private final Set<String> found = new HashSet<>();
  private int at;
  private int depth;
  private int errorDepth = Integer.MAX_VALUE; // of the members of the error, once it has begun
  private @Nullable String name; // of the member whose value comes next

  private ErrorTypes(String text) {
    this.text = text;
  }

  static Set<String> of(String body) {
    return new ErrorTypes(body).all();
  }

  /** The same for an event that is an error: without the object, its own members count. */
  static Set<String> ofEvent(String data) {
    Set<String> within = of(data);
    if (!within.isEmpty()) {
      return within;
    }
    ErrorTypes itself = new ErrorTypes(data);
    itself.errorDepth = 1;
    return itself.all();
  }

  private Set<String> all() {
    boolean goesOn = true;
    while (goesOn && at < text.length()) {
      goesOn = step(text.charAt(at++));
    }
    return found;
  }

  /** Returns false once the error is over. */
  private boolean step(char next) {
    switch (next) {
      case '{', '[' -> {
        depth++;
        if (errorDepth == Integer.MAX_VALUE && next == '{' && "error".equals(name)) {
          errorDepth = depth;
        }
        name = null;
      }
      case '}', ']' -> {
        depth--;
        return errorDepth == Integer.MAX_VALUE || depth >= errorDepth;
      }
      case '"' -> string();
      case ',' -> name = null;
      default -> {} // white space, a number, or a word
    }
    return true;
  }

  private void string() {
    int start = at;
    while (at < text.length() && text.charAt(at) != '"') {
      at += text.charAt(at) == '\\' ? 2 : 1;
    }
    if (at >= text.length()) {
      at = text.length(); // cut off
      return;
    }
    String value = text.substring(start, at++);
    while (at < text.length() && text.charAt(at) <= ' ') {
      at++;
    }
    if (at < text.length() && text.charAt(at) == ':') {
      at++;
      name = value;
    } else if (isType()) {
      found.add(value);
    }
  }

  private boolean isType() {
    String member = name;
    return member != null
        && ((depth == errorDepth && OF_ERROR.contains(member))
            || (depth >= errorDepth && member.equals("error_code")));
  }
}
