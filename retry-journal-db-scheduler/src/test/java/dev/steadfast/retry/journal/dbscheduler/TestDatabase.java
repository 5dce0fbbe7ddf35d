package dev.steadfast.retry.journal.dbscheduler;

import com.zaxxer.hikari.HikariDataSource;
import dev.steadfast.retry.journal.JdbcJournal;
import dev.steadfast.retry.postgres.PostgresServer;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** A PostgreSQL with the tables of the journal and of db-scheduler, and a pool. */
final class TestDatabase implements AutoCloseable {
  private final PostgresServer postgres = PostgresServer.temporary();
  private final HikariDataSource pool = new HikariDataSource();

  TestDatabase() throws IOException, SQLException {
    pool.setDataSource(postgres.dataSource());
    pool.setMaximumPoolSize(20);
    createTaskTable(pool);
    JdbcJournal.builder(pool).createTables().build();
  }

  DataSource source() {
    return pool;
  }

  @Override
  public void close() {
    pool.close();
    postgres.close();
  }

  // As the documentation of db-scheduler has it.
  private static void createTaskTable(DataSource source) throws SQLException {
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          """
          create table scheduled_tasks (
            task_name text not null,
            task_instance text not null,
            task_data bytea,
            execution_time timestamp with time zone not null,
            picked boolean not null,
            picked_by text,
            last_success timestamp with time zone,
            last_failure timestamp with time zone,
            consecutive_failures int,
            last_heartbeat timestamp with time zone,
            version bigint not null,
            priority smallint,
            primary key (task_name, task_instance)
          )
          """);
      statement.execute("create index execution_time_idx on scheduled_tasks (execution_time)");
      statement.execute("create index last_heartbeat_idx on scheduled_tasks (last_heartbeat)");
    }
  }
}
