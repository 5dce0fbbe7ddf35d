package dev.steadfast.retry.postgres;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("laboratory")
final class PostgresServerTest {
  private static void execute(PostgresServer server, String sql) throws SQLException {
    try (Connection connection = server.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static String ask(PostgresServer server, String sql) throws SQLException {
    try (Connection connection = server.dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet answer = statement.executeQuery(sql)) {
      assertTrue(answer.next());
      return answer.getString(1);
    }
  }

  @Test
  void isDurable() throws Exception {
    try (PostgresServer server = PostgresServer.temporary()) {
      for (String name : PostgresServer.DURABILITY) {
        assertEquals("on", ask(server, "show " + name), name);
      }
      assertEquals("127.0.0.1", ask(server, "show listen_addresses"));
      assertEquals(
          List.of("fsync", "synchronous_commit", "full_page_writes"), PostgresServer.DURABILITY);
    }
  }

  @Test
  void isDurableWhateverItsFilesSay() throws Exception {
    try (PostgresServer server = PostgresServer.temporary()) {
      execute(server, "alter system set fsync = off");
      execute(server, "alter system set synchronous_commit = off");
      server.stop();
      server.start();
      assertEquals("on", ask(server, "show fsync"));
      assertEquals("on", ask(server, "show synchronous_commit"));
    }
  }

  @Test
  void refusesADatabaseThatIsNotDurable() throws Exception {
    try (PostgresServer server = PostgresServer.temporary()) {
      execute(server, "alter database postgres set synchronous_commit = off");
      server.stop();
      IllegalStateException refused = assertThrows(IllegalStateException.class, server::start);
      assertEquals("synchronous_commit: off (expected: on)", refused.getMessage());
    }
  }

  @Test
  void committedRowsSurviveAnImmediateStop() throws Exception {
    try (PostgresServer server = PostgresServer.temporary()) {
      int port = server.port();
      execute(server, "create table rows (id int)");
      execute(server, "insert into rows select generate_series(1, 1000)");
      try (Connection connection = server.dataSource().getConnection();
          Statement statement = connection.createStatement()) {
        connection.setAutoCommit(false);
        statement.execute("insert into rows values (1001)");
        server.stopImmediately();
        assertThrows(SQLException.class, connection::commit);
      }
      assertThrows(SQLException.class, () -> ask(server, "select 1"));
      server.start();
      assertEquals("1000", ask(server, "select count(*) from rows"));
      assertEquals(port, server.port());
      assertTrue(
          Files.readString(Path.of(ask(server, "show data_directory"), "server.log"))
              .contains("automatic recovery in progress"));
    }
  }
}
