package dev.steadfast.retry.journal;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.http.Journaling;
import dev.steadfast.retry.postgres.PostgresServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.OffsetDateTime;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.jspecify.annotations.Nullable;

/** A database with the journal's tables. Tests let time pass by changing the times in them. */
final class TestDatabase implements AutoCloseable {
  private final DataSource source;
  private final Closing closing;

  private interface Closing {
    void close() throws Exception;
  }

  private TestDatabase(DataSource source, Closing closing) throws IOException {
    this.source = source;
    this.closing = closing;
    JdbcJournal.builder(source).createTables().build();
  }

  /** Which database. */
  enum Kind {
    POSTGRESQL,
    H2;

    TestDatabase open() {
      try {
        return this == POSTGRESQL ? postgres() : h2();
      } catch (IOException broken) {
        throw new UncheckedIOException(broken);
      }
    }
  }

  static TestDatabase postgres() throws IOException {
    return on(PostgresServer.temporary());
  }

  static TestDatabase on(PostgresServer server) throws IOException {
    return new TestDatabase(server.dataSource(), server::close);
  }

  private static TestDatabase h2() throws IOException {
    Path directory = Files.createTempDirectory("steadfast-h2-");
    JdbcDataSource source = new JdbcDataSource();
    source.setURL(
        "jdbc:h2:file:" + directory.resolve("journal") + ";WRITE_DELAY=0;DB_CLOSE_DELAY=-1");
    return new TestDatabase(
        source,
        () -> {
          try (Connection connection = source.getConnection();
              Statement statement = connection.createStatement()) {
            statement.execute("shutdown");
          }
          try (var files = Files.list(directory)) {
            for (Path file : files.toList()) {
              Files.delete(file);
            }
          }
          Files.delete(directory);
        });
  }

  DataSource source() {
    return source;
  }

  JdbcJournal journal() throws IOException {
    return JdbcJournal.builder(source).build();
  }

  /** Enlists in a transaction of its own; the name of no sequence is empty. */
  void enlist(JdbcJournal journal, Journaling.Kept operation, String sequence) throws Exception {
    try (Connection own = source.getConnection()) {
      own.setAutoCommit(false);
      assertTrue(
          sequence.isEmpty()
              ? journal.enlist(own, operation)
              : journal.enlist(own, operation, sequence));
      own.commit();
    }
  }

  void empty() throws SQLException {
    execute("delete from steadfast_operation");
    execute("delete from steadfast_sequence");
  }

  void execute(String sql) throws SQLException {
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** Changes all operations. Sequences are looked at, as if some time had passed. */
  void set(String changes) throws SQLException {
    execute("update steadfast_operation set " + changes);
    execute("update steadfast_sequence set look_at = current_timestamp where look_at is not null");
  }

  /** Changes one operation. */
  void set(String changes, String key) throws SQLException {
    set(changes + " where op_key = '" + key + "'");
  }

  @Nullable String query(String sql) throws SQLException {
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      assertTrue(row.next(), sql);
      return row.getString(1);
    }
  }

  /** A column of the only operation. */
  @Nullable String column(String name) throws SQLException {
    return query("select " + name + " from steadfast_operation");
  }

  /** A column of one operation. */
  @Nullable String column(String name, String key) throws SQLException {
    return query("select " + name + " from steadfast_operation where op_key = '" + key + "'");
  }

  OffsetDateTime time(String column) throws SQLException {
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("select " + column + " from steadfast_operation")) {
      assertTrue(row.next());
      return row.getObject(1, OffsetDateTime.class);
    }
  }

  String state() throws SQLException {
    return String.valueOf(column("state"));
  }

  String state(String key) throws SQLException {
    return String.valueOf(column("state", key));
  }

  /** Ends all leases, as if their owners had died long ago. */
  void endLeases() throws SQLException {
    execute(
        "update steadfast_operation set lease_until = current_timestamp where lease_until is not"
            + " null");
  }

  /** Ends the time of all keys, as if the server had forgotten them. */
  void endWindows() throws SQLException {
    execute(
        "update steadfast_operation set key_expires_at = current_timestamp"
            + " where key_expires_at is not null");
  }

  @Override
  public void close() {
    try {
      closing.close();
    } catch (Exception broken) {
      throw new IllegalStateException(broken);
    }
  }
}
