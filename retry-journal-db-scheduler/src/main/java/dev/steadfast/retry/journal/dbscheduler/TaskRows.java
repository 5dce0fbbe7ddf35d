package dev.steadfast.retry.journal.dbscheduler;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/**
 * Inserts rows of db-scheduler. Its own client would first look for the row and then insert it: if
 * somebody else has inserted it in between, that aborts the caller's transaction.
 *
 * @param task the name of the task
 * @param sql the statement
 */
record TaskRows(String task, String sql) {
  private static final int TIMEOUT_SECONDS = 10;

  static TaskRows in(String table, String task) {
    if (!table.matches("\\w+(\\.\\w+)?")) {
      throw new IllegalArgumentException(
          "table: " + table + " (expected: letters, digits, underscores and one dot at most)");
    }
    return new TaskRows(
        task,
        "insert into "
            + table
            + " (task_name, task_instance, execution_time, picked, version)"
            + " select ?, instance, clock_timestamp() + ? * interval '1 millisecond', false, 1"
            + " from unnest(?) as instance on conflict do nothing");
  }

  void insert(Connection connection, List<String> instances, Duration in) throws SQLException {
    Array array = connection.createArrayOf("text", instances.toArray());
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setQueryTimeout(TIMEOUT_SECONDS);
      statement.setString(1, task);
      statement.setLong(2, in.toMillis());
      statement.setArray(3, array);
      statement.executeUpdate();
    } finally {
      array.free();
    }
  }
}
