package dev.steadfast.retry.internal;

import java.math.BigDecimal;

/** A cursor over a text form; its errors point at the character. */
public final class TextReader {
  private final String text;
  private int position;

  public TextReader(String text) {
    this.text = Checks.notNull("text", text);
  }

  public int position() {
    return position;
  }

  public boolean atEnd() {
    return position == text.length();
  }

  public void skipSpaces() {
    while (!atEnd() && text.charAt(position) == ' ') {
      position++;
    }
  }

  public boolean take(String token) {
    if (!text.startsWith(token, position)) {
      return false;
    }
    position += token.length();
    return true;
  }

  public void expect(String token) {
    if (!take(token)) {
      throw error(position, "'" + token + "'");
    }
  }

  public void expectEnd() {
    if (!atEnd()) {
      throw error(position, "the end of the text");
    }
  }

  public String letters() {
    int start = position;
    while (!atEnd() && isLetter(text.charAt(position))) {
      position++;
    }
    return text.substring(start, position);
  }

  public long digits(String expected) {
    int start = position;
    long value = 0;
    while (!atEnd() && isDigit(text.charAt(position))) {
      int digit = text.charAt(position) - '0';
      if (value > (Long.MAX_VALUE - digit) / 10) {
        throw error(start, "a number of at most " + Long.MAX_VALUE);
      }
      value = value * 10 + digit;
      position++;
    }
    if (position == start) {
      throw error(start, expected);
    }
    return value;
  }

  public boolean atDigit() {
    return digitAt(position);
  }

  /** Digits, with a point and more digits if there are any. */
  public BigDecimal amount(String expected) {
    long whole = digits(expected);
    if (atEnd() || text.charAt(position) != '.' || !digitAt(position + 1)) {
      return BigDecimal.valueOf(whole);
    }
    position++;
    int start = position;
    long fraction = digits(expected);
    return BigDecimal.valueOf(whole).add(BigDecimal.valueOf(fraction, position - start));
  }

  public double decimal(String expected) {
    int start = position;
    while (!atEnd() && (isDigit(text.charAt(position)) || isExponent(start))) {
      position++;
    }
    try {
      return Double.parseDouble(text.substring(start, position));
    } catch (NumberFormatException e) {
      throw error(start, expected);
    }
  }

  public IllegalArgumentException error(int at, String expected) {
    String found = at < text.length() ? "'" + text.charAt(at) + "'" : "the end";
    return bad(at, found + " (expected: " + expected + ")");
  }

  /** Points at a value that is not allowed. The message says why. */
  public IllegalArgumentException bad(int at, String message) {
    StringBuilder found = new StringBuilder("character ");
    found.append(at + 1).append(": ").append(message);
    found.append("\n  ").append(text).append("\n  ");
    for (int i = 0; i < Math.min(at, text.length()); i++) {
      found.append(' ');
    }
    return new IllegalArgumentException(found.append('^').toString());
  }

  private boolean isExponent(int start) {
    char c = text.charAt(position);
    return c == '.' || c == 'E' || (c == '-' && position > start);
  }

  private boolean digitAt(int at) {
    return at < text.length() && isDigit(text.charAt(at));
  }

  private static boolean isLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }
}
