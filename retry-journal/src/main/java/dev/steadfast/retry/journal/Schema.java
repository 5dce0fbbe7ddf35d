package dev.steadfast.retry.journal;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;
import java.util.Set;

/** Creates the tables. */
final class Schema {
  private static final String SCRIPT = "V1__steadfast_operation.sql";

  // Two processes that create the same table at the same time get one of these.
  private static final Set<String> THERE_ALREADY = Set.of("23505", "42P07", "42710");

  private Schema() {}

  /** Creates what is not there. */
  static void create(Connection connection, Dialect dialect) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.setQueryTimeout(Sql.TIMEOUT_SECONDS);
      for (String each : script().split(";\n", -1)) {
        String ddl = dialect.ddl(each);
        if (!ddl.isBlank()) {
          create(statement, ddl);
        }
      }
    }
  }

  private static void create(Statement statement, String ddl) throws SQLException {
    try {
      statement.execute(ddl);
    } catch (SQLException failed) {
      if (!THERE_ALREADY.contains(failed.getSQLState())) {
        throw failed;
      }
    }
  }

  private static String script() {
    try (InputStream in = Schema.class.getResourceAsStream(SCRIPT)) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }
}
