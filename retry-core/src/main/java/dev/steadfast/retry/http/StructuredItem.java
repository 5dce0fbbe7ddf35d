package dev.steadfast.retry.http;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A member of a list in the form of RFC 9651, whose value is a string or a token, with its
 * parameters. A list of which any part is malformed, or that has an inner list, is empty.
 *
 * @param name the value
 * @param parameters by name, as they were written
 */
record StructuredItem(String name, Map<String, String> parameters) {
  /** The value that {@link #number} returns if there is no such parameter. */
  static final long ABSENT = -1;

  /**
   * The value that {@link #number} returns if there is one that is no number, or less than zero.
   */
  private static final long UNUSABLE = -2;

  private static final int MOST = 16; // items, and parameters of each

  // All repetitions are possessive: no text makes the matcher go back, or recurse.
  private static final String STRING = "\"[ !#-\\[\\]-~]*+(?:\\\\[\"\\\\][ !#-\\[\\]-~]*+)*+\"";
  private static final String TOKEN = "[A-Za-z*][A-Za-z0-9!#$%&'*+.^_`|~:/-]*+";
  private static final String NUMBER_OR_DATE = "@?+-?+[0-9]{1,15}+(?:\\.[0-9]{1,3}+)?+";
  private static final String BYTES_OR_BOOLEAN = ":[A-Za-z0-9+/=]*+:|\\?[01]";
  private static final String DISPLAY_STRING = "%\"[ !#$&-~]*+(?:%[0-9a-f]{2}[ !#$&-~]*+)*+\"";

  private static final Pattern NAME = Pattern.compile(STRING + "|" + TOKEN);
  private static final Pattern PARAMETER =
      Pattern.compile(
          "; *+([a-z*][a-z0-9_.*-]*+)(?:=("
              + String.join("|", STRING, TOKEN, NUMBER_OR_DATE, BYTES_OR_BOOLEAN, DISPLAY_STRING)
              + "))?+");
  private static final Pattern COMMA = Pattern.compile("[ \t]*+,[ \t]*+");

  /** The members of a list. */
  static List<StructuredItem> list(String text) {
    Reader reader = new Reader(ServerDelayParser.trim(text));
    List<StructuredItem> items = new ArrayList<>();
    do {
      StructuredItem item = reader.item();
      if (item == null || items.size() == MOST) {
        return List.of();
      }
      items.add(item);
    } while (reader.next(COMMA) != null);
    return reader.atEnd() ? items : List.of();
  }

  /** A whole number of zero or more, else less than zero. */
  long number(String parameter) {
    String value = parameters.get(parameter);
    if (value == null) {
      return ABSENT;
    }
    long number = Digits.parse(value);
    return number < 0 ? UNUSABLE : number;
  }

  /** A text, null if there is none. */
  @Nullable String text(String parameter) {
    String value = parameters.get(parameter);
    return value == null ? null : unquoted(value);
  }

  private static String unquoted(String value) {
    return value.charAt(0) == '"'
        ? value.substring(1, value.length() - 1).replaceAll("\\\\(.)", "$1")
        : value;
  }

  /** Reads from left to right. */
  private static final class Reader {
    private final String text;
    private int at;

    Reader(String text) {
      this.text = text;
    }

    boolean atEnd() {
      return at == text.length();
    }

    /** The next part, if it has the form; else null. */
    @Nullable MatchResult next(Pattern form) {
      Matcher matcher = form.matcher(text).region(at, text.length());
      if (!matcher.lookingAt()) {
        return null;
      }
      at = matcher.end();
      return matcher;
    }

    @Nullable StructuredItem item() {
      MatchResult name = next(NAME);
      if (name == null) {
        return null;
      }
      Map<String, String> parameters = new HashMap<>();
      for (MatchResult each = next(PARAMETER); each != null; each = next(PARAMETER)) {
        if (parameters.size() == MOST) {
          return null;
        }
        String value = each.group(2);
        parameters.put(each.group(1), value == null ? "?1" : value);
      }
      return new StructuredItem(unquoted(name.group()), parameters);
    }
  }
}
