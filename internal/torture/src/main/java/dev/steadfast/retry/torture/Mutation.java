package dev.steadfast.retry.torture;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A change of the library's statements: a bug on purpose, which the checker must find. Immutable.
 *
 * @param skipped what statements have that are not carried out, and say that they have changed one
 *     row; null for none
 * @param changes what is changed in the others
 */
record Mutation(Pattern skipped, List<Change> changes) {
  /** Nothing is changed. */
  static final Mutation NONE = new Mutation(null, List.of());

  /** A part of statements, and what they have in its place. */
  private record Change(Pattern part, String by) {
    private static Change of(String part, String by) {
      return new Change(Pattern.compile(part), Matcher.quoteReplacement(by));
    }
  }

  /** Statements with that are not carried out. */
  static Mutation skips(String part) {
    return new Mutation(Pattern.compile(part), List.of());
  }

  /** Statements have something else in that place. */
  static Mutation replaces(String part, String by) {
    return new Mutation(null, List.of(Change.of(part, by)));
  }

  /** And something else in another place. */
  Mutation and(String part, String by) {
    return new Mutation(
        skipped, Stream.concat(changes.stream(), Stream.of(Change.of(part, by))).toList());
  }

  boolean skips(Object sql) {
    return skipped != null && skipped.matcher((String) sql).find();
  }

  /** The statement as the database gets it. */
  String of(Object sql) {
    String text = (String) sql;
    for (Change each : changes) {
      text = each.part.matcher(text).replaceAll(each.by);
    }
    return text;
  }
}
