package dev.steadfast.retry.journal;

import java.util.List;
import java.util.regex.Pattern;

/**
 * The names of the tables. Statements are written with the default names, and get these. Immutable.
 */
final class Tables {
  static final String DEFAULT_PREFIX = "steadfast_";

  private static final Pattern NAME = Pattern.compile("[a-z_][a-z0-9_]*");
  private static final int MOST_SCHEMA = 63; // PostgreSQL cuts longer names off
  private static final int MOST_PREFIX = 40; // with the name of an index still within that
  private static final Pattern WRITTEN = Pattern.compile("\\bsteadfast_(operation|sequence)(\\w*)");
  private static final Pattern INDEX = Pattern.compile("(create index if not exists )");

  private final String qualifier;
  private final String prefix;

  private Tables(String qualifier, String prefix) {
    this.qualifier = qualifier;
    this.prefix = prefix;
  }

  /** The tables whose names begin with the default prefix, in the search path. */
  static Tables defaults() {
    return new Tables("", DEFAULT_PREFIX);
  }

  /**
   * These tables in a schema.
   *
   * @throws IllegalArgumentException if it is no plain name of 1 to 63 characters
   */
  Tables in(String schema) {
    return new Tables(checked("schema", schema, MOST_SCHEMA) + ".", prefix);
  }

  /**
   * These tables with another prefix.
   *
   * @throws IllegalArgumentException if it is no plain name of 1 to 40 characters
   */
  Tables withPrefix(String other) {
    return new Tables(qualifier, checked("tablePrefix", other, MOST_PREFIX));
  }

  // Names become a part of statements, without quotes.
  private static String checked(String name, String value, int most) {
    if (value.length() > most || !NAME.matcher(value).matches()) {
      throw new IllegalArgumentException(
          name
              + ": "
              + value
              + " (expected: 1 to "
              + most
              + " of a-z, 0-9 and _, and no digit in front)");
    }
    return value;
  }

  /** The names of the tables. */
  List<String> all() {
    return List.of(qualified("operation"), qualified("sequence"));
  }

  private String qualified(String table) {
    return qualifier + prefix + table;
  }

  /** Puts these names into a statement with the default ones; not to be applied twice. */
  String named(String statement) {
    return WRITTEN
        .matcher(statement)
        .replaceAll(name ->
            name.group(2).isEmpty()
                ? qualified(name.group(1))
                : prefix + name.group(1) + name.group(2)); // an index or a constraint
  }

  /** A statement of the script, with constraints and indexes. */
  String ddl(String statement, Dialect dialect) {
    String named = named(statement);
    // An index is in the schema of its table. H2 wants to be told so, PostgreSQL refuses it.
    return dialect == Dialect.H2 ? INDEX.matcher(named).replaceAll("$1" + qualifier) : named;
  }

  @Override
  public String toString() {
    return String.join(", ", all());
  }
}
