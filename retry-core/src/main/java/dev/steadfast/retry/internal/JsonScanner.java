package dev.steadfast.retry.internal;

import org.jspecify.annotations.Nullable;

/**
 * Steps through the texts, objects and lists of a JSON text. It accepts whatever a server sends,
 * and throws nothing. Confined to one thread.
 */
public final class JsonScanner {
  private final String json;
  private int at;
  private int depth;
  private @Nullable String next; // the name of the member whose value comes next
  private @Nullable String member;
  private String text = "";

  /** Begins before the first value of a JSON text. */
  public JsonScanner(String json) {
    this.json = json;
  }

  /**
   * Goes on to the next text that is a value, or to the next beginning or end of an object or list.
   *
   * @return its first character, which is a quote for a text; 0 if the JSON text is over
   */
  public char step() {
    while (at < json.length()) {
      char first = json.charAt(at++);
      switch (first) {
        case '{', '[' -> {
          depth++;
          return reached(first);
        }
        case '}', ']' -> {
          depth--;
          return reached(first);
        }
        case '"' -> {
          if (isValue()) {
            member = next;
            return first;
          }
        }
        case ',' -> next = null;
        default -> {} // white space, a number, or a word
      }
    }
    return 0;
  }

  private char reached(char first) {
    member = next;
    next = null;
    return first;
  }

  /** Reads a text. Returns false if it is the name of a member, or cut off. */
  private boolean isValue() {
    int start = at;
    while (at < json.length() && json.charAt(at) != '"') {
      at += json.charAt(at) == '\\' ? 2 : 1;
    }
    if (at >= json.length()) {
      at = json.length(); // cut off
      return false;
    }
    text = json.substring(start, at++);
    while (at < json.length() && json.charAt(at) <= ' ') {
      at++;
    }
    if (at == json.length() || json.charAt(at) != ':') {
      return true;
    }
    at++;
    next = text;
    return false;
  }

  /** How many objects and lists have begun and not ended. */
  public int depth() {
    return depth;
  }

  /** The name of the member whose value this step is, null if it is the value of none. */
  public @Nullable String member() {
    return member;
  }

  /** The latest text, with its escapes. */
  public String text() {
    return text;
  }
}
