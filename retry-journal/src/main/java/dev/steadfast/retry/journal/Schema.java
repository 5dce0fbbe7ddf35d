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
  private static final String SCRIPT = "/steadfast-journal/flyway/R__steadfast_journal.sql";

  // Two processes that create the same table at the same time get one of these.
  private static final Set<String> THERE_ALREADY = Set.of("23505", "42P07", "42710");

  private final Dialect dialect;
  private final Tables tables;

  Schema(Dialect dialect, Tables tables) {
    this.dialect = dialect;
    this.tables = tables;
  }

  /** Creates the tables that are not there. */
  void create(Connection connection) throws SQLException {
    if (isThere(connection)) {
      return; // so this works without the right to create any
    }
    try (Statement statement = connection.createStatement()) {
      statement.setQueryTimeout(Sql.TIMEOUT_SECONDS);
      for (String each : script().split(";\n", -1)) {
        String ddl = dialect.ddl(tables.ddl(each, dialect));
        if (!ddl.isBlank()) {
          create(statement, ddl);
        }
      }
    }
  }

  private boolean isThere(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.setQueryTimeout(Sql.TIMEOUT_SECONDS);
      for (String each : tables.all()) {
        statement.executeQuery("select 1 from " + each + " where 1 = 0").close();
      }
      return true;
    } catch (SQLException failed) {
      if (Connections.NO_TABLE.contains(String.valueOf(failed.getSQLState()))) {
        return false;
      }
      throw failed;
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
