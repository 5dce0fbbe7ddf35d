package dev.steadfast.retry.journal.cli;

import dev.steadfast.retry.journal.Deliveries;
import dev.steadfast.retry.journal.JdbcJournal;
import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.postgresql.ds.PGSimpleDataSource;

/** Opens the journal that options or the environment name. */
final class Database {
  private static final String VARIABLE = "STEADFAST_JOURNAL_";

  private Database() {}

  static JdbcJournal journal(Arguments arguments, Map<String, String> environment)
      throws UsageException, IOException {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(url(arguments, environment));
    UnaryOperator<String> given =
        name -> arguments.option("--" + name, environment.getOrDefault(variable(name), ""));
    String user = given.apply("user");
    if (!user.isEmpty()) {
      source.setUser(user);
    }
    String password = environment.get(VARIABLE + "PASSWORD");
    if (password != null) {
      source.setPassword(password);
    }
    source.setApplicationName("steadfast-journal");
    // The application may let parked operations be passed, which is not known here. If it does not,
    // --force is asked for once too often.
    JdbcJournal.Builder journal =
        JdbcJournal.builder(source).deliveries(Deliveries.defaults().passingParked());
    String schema = given.apply("schema");
    if (!schema.isEmpty()) {
      journal.schema(schema);
    }
    String prefix = given.apply("table-prefix");
    if (!prefix.isEmpty()) {
      journal.tablePrefix(prefix);
    }
    return journal.build();
  }

  private static String variable(String name) {
    return VARIABLE + name.toUpperCase(Locale.ROOT).replace('-', '_');
  }

  private static String url(Arguments arguments, Map<String, String> environment)
      throws UsageException {
    String option = arguments.option("--url");
    if (option != null && option.toLowerCase(Locale.ROOT).contains("password=")) {
      throw new UsageException(
          "--url: has a password, which everybody on this machine can see (expected: none; set "
              + VARIABLE
              + "PASSWORD, or use a file .pgpass)");
    }
    String url = option == null ? environment.getOrDefault(VARIABLE + "URL", "") : option;
    if (!url.startsWith("jdbc:postgresql:")) {
      throw UsageException.bad(
          "--url",
          url.isEmpty() ? "nothing" : url.replaceAll("[?].*", "?..."),
          "jdbc:postgresql://HOST:PORT/DATABASE, here or in " + VARIABLE + "URL");
    }
    return url;
  }
}
