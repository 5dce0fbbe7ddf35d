package dev.steadfast.retry.journal;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A savepoint in the caller's transaction, set by SQL. A connection in a distributed (XA)
 * transaction refuses the savepoint methods of JDBC, but its database accepts the statements.
 */
record Savepoint(Connection connection, String name) {
  /**
   * Sets a savepoint.
   *
   * @param name one of ours; an earlier savepoint of that name is found again after the end of this
   *     one in PostgreSQL, and is gone in H2
   */
  static Savepoint set(Connection connection, String name) throws SQLException {
    run(connection, "savepoint " + name);
    return new Savepoint(connection, name);
  }

  void rollBack() throws SQLException {
    run(connection, "rollback to savepoint " + name);
  }

  void release() throws SQLException {
    run(connection, "release savepoint " + name);
  }

  private static void run(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.setQueryTimeout(Sql.TIMEOUT_SECONDS);
      statement.execute(sql);
    }
  }
}
