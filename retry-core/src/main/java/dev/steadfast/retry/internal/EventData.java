package dev.steadfast.retry.internal;

import org.jspecify.annotations.Nullable;

/**
 * The members of a JSON object that tell what an event is: {@code type} and {@code error}, not
 * those of objects within it. It takes whatever a server sends, and throws nothing.
 */
final class EventData {
  private final String text;
  private int at;
  private int depth;
  private @Nullable String name; // of the member whose value comes next
  private String type = "";
  private boolean error;

  private EventData(String text) {
    this.text = text;
  }

  static EventData of(String data) {
    EventData members = new EventData(data.trim());
    boolean goesOn = members.text.startsWith("{");
    while (goesOn && members.at < members.text.length()) {
      goesOn = members.step(members.text.charAt(members.at++));
    }
    return members;
  }

  /** The value of {@code type}, empty if it is no text. */
  String type() {
    return type;
  }

  /** Whether {@code error} is an object or a text that says something. */
  boolean hasError() {
    return error;
  }

  /** Returns false once the object is over. */
  private boolean step(char next) {
    switch (next) {
      case '{', '[' -> {
        error |= next == '{' && depth == 1 && "error".equals(name);
        depth++;
        name = null;
      }
      case '}', ']' -> {
        depth--;
        return depth > 0;
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
    } else if (depth == 1 && "type".equals(name)) {
      type = value;
    } else if (depth == 1 && "error".equals(name)) {
      error |= !value.isEmpty();
    }
  }
}
