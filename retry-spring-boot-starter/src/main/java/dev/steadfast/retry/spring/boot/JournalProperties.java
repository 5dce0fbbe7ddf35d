package dev.steadfast.retry.spring.boot;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * The properties of the journal.
 *
 * @param enabled whether there is one
 * @param dataSource the name of the bean that gives connections; null for the only one
 * @param schema the schema of the tables; null for the search path
 * @param tablePrefix the beginning of their names
 * @param createTables whether missing tables are created at the start
 * @param resume the job that sends operations that are due
 * @param purge the job that deletes finished operations
 */
record JournalProperties(
    @DefaultValue("false") boolean enabled,
    @Nullable String dataSource,
    @Nullable String schema,
    @DefaultValue("steadfast_") String tablePrefix,
    @DefaultValue("false") boolean createTables,
    @DefaultValue Resume resume,
    @DefaultValue Purge purge) {
  private static final String PREFIX = "steadfast.journal.";

  /**
   * The job that sends operations that are due.
   *
   * @param enabled whether it runs
   * @param interval the pause after each run
   * @param most how many operations one run sends
   * @param client the client that sends; null for the only one
   */
  record Resume(
      @DefaultValue("true") boolean enabled,
      @DefaultValue("10s") Duration interval,
      @DefaultValue("100") int most,
      @Nullable String client) {
    Resume {
      within("resume.interval", interval, Duration.ofMillis(100));
      if (most < 1 || most > 10_000) {
        throw wrong("resume.most", most, "expected: 1 to 10,000");
      }
    }
  }

  /**
   * The job that deletes finished operations.
   *
   * @param enabled whether it runs
   * @param interval the pause after each run
   * @param olderThan operations that finished that long ago are deleted
   */
  record Purge(
      @DefaultValue("false") boolean enabled,
      @DefaultValue("1d") Duration interval,
      @DefaultValue("30d") Duration olderThan) {
    Purge {
      within("purge.interval", interval, Duration.ofSeconds(1));
      within("purge.older-than", olderThan, Duration.ofHours(1));
    }
  }

  /** The names of all of them. */
  static List<String> names() {
    return names(PREFIX, JournalProperties.class).toList();
  }

  private static Stream<String> names(String prefix, Class<?> properties) {
    return Arrays.stream(properties.getRecordComponents())
        .flatMap(each -> {
          String name = each.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
          return each.getType().isRecord()
              ? names(prefix + name + ".", each.getType())
              : Stream.of(prefix + name);
        });
  }

  /** Gives the names of the tables to a journal. */
  void nameTables(Consumer<String> toSchema, Consumer<String> toPrefix) {
    if (schema != null) {
      give("schema", schema, toSchema);
    }
    give("table-prefix", tablePrefix, toPrefix);
  }

  private static void give(String property, String value, Consumer<String> to) {
    try {
      to.accept(value);
    } catch (IllegalArgumentException refused) {
      throw wrong(property, value, String.valueOf(refused.getMessage()));
    }
  }

  /** Refuses a journal whose classes are not there. */
  static void needLibraries(Environment environment) {
    if (environment.getProperty(PREFIX + "enabled", Boolean.class, false)) {
      for (String type :
          new String[] {
            "dev.steadfast.retry.journal.JdbcJournal",
            "org.springframework.jdbc.datasource.DataSourceUtils"
          }) {
        if (!ClassUtils.isPresent(type, JournalProperties.class.getClassLoader())) {
          throw wrong(
              "enabled",
              true,
              "needs dev.steadfast:retry-journal, and spring-jdbc, on the class path");
        }
      }
    }
  }

  private static void within(String property, Duration time, Duration least) {
    if (time.compareTo(least) < 0 || time.compareTo(Duration.ofDays(3_650)) > 0) {
      throw wrong(property, time, "expected: " + least + " to P3650D");
    }
  }

  static InvalidConfigurationPropertyValueException wrong(
      String property, Object value, String reason) {
    return new InvalidConfigurationPropertyValueException(PREFIX + property, value, reason);
  }
}
