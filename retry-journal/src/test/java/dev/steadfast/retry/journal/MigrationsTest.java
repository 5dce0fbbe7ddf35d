package dev.steadfast.retry.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.operations.OperationJournal.State;
import dev.steadfast.retry.postgres.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import liquibase.Contexts;
import liquibase.LabelExpression;
import liquibase.Liquibase;
import liquibase.database.jvm.JdbcConnection;
import liquibase.resource.ClassLoaderResourceAccessor;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.configuration.FluentConfiguration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** The tables that Flyway and Liquibase make are those of {@code createTables()}. */
class MigrationsTest {
  private static final String OURS = "classpath:steadfast-journal/flyway";
  private static final String OF_AN_APPLICATION = "classpath:application-migrations";

  // All that the journal relies on, in an order of its own.
  private static final String SHAPE =
      "select table_name || '.' || column_name || ' ' || data_type || ' '"
          + " || coalesce(character_maximum_length::text, '') || ' ' || is_nullable || ' '"
          + " || coalesce(column_default, '') || ' ' || is_identity from information_schema.columns"
          + " where table_schema = 'public' and table_name like 'steadfast%'"
          + " union all select indexdef from pg_indexes where tablename like 'steadfast%'"
          + " union all select conname || ' ' || pg_get_constraintdef(oid) from pg_constraint"
          + " where conrelid::regclass::text like 'steadfast%' and contype <> 'n' order by 1";

  private static final Logger CHATTY = Logger.getLogger("liquibase");

  @AutoClose private static PostgresServer server;
  private static List<String> expected;

  @BeforeAll
  static void start() throws Exception {
    CHATTY.setLevel(Level.WARNING);
    server = PostgresServer.temporary();
    PGSimpleDataSource created = database("created");
    JdbcJournal.builder(created).createTables().build();
    expected = shape(created);
    assertTrue(expected.size() > 40, expected::toString);
  }

  private static PGSimpleDataSource database(String name) throws Exception {
    try (Connection connection = server.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("create database " + name);
    }
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(server.jdbcUrl());
    source.setDatabaseName(name);
    return source;
  }

  private static List<String> shape(PGSimpleDataSource source) throws Exception {
    List<String> shape = new ArrayList<>();
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(SHAPE)) {
      while (row.next()) {
        shape.add(row.getString(1));
      }
    }
    return shape;
  }

  private static void works(PGSimpleDataSource source) throws Exception {
    assertEquals(expected, shape(source));
    JdbcJournal journal = JdbcJournal.builder(source).createTables().build();
    TestJournals.ended(journal, TestIntents.intent("order-1"), TestIntents.ending(State.SUCCEEDED));
    assertEquals(expected, shape(source));
  }

  private static FluentConfiguration flyway(PGSimpleDataSource source, String... locations) {
    return Flyway.configure().dataSource(source).locations(locations);
  }

  @Test
  void flywayMakesThemBesideTheMigrationsOfAnApplication() throws Exception {
    PGSimpleDataSource source = database("flyway");
    Flyway flyway = flyway(source, OF_AN_APPLICATION, OURS).load();
    assertEquals(2, flyway.migrate().migrationsExecuted);
    assertEquals(0, flyway.migrate().migrationsExecuted);
    flyway.validate();
    works(source);
  }

  @Test
  void flywayMakesThemWithAHistoryOfTheirOwn() throws Exception {
    PGSimpleDataSource source = database("flyway_alone");
    flyway(source, OF_AN_APPLICATION).load().migrate();
    Flyway own = flyway(source, OURS).table("steadfast_history").baselineOnMigrate(true).load();
    assertEquals(1, own.migrate().migrationsExecuted);
    flyway(source, OF_AN_APPLICATION).load().validate();
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("drop table steadfast_history");
    }
    works(source);
  }

  @Test
  void anApplicationThatDoesNotNameTheLocationDoesNotRunThem() throws Exception {
    MigrationInfo[] found = flyway(database("apart"), "classpath:db/migration").load().info().all();
    assertEquals(0, found.length);
  }

  @Test
  void flywayMakesThemInASchema() throws Exception {
    PGSimpleDataSource source = database("flyway_schema");
    flyway(source, OURS).defaultSchema("shop").load().migrate();
    JdbcJournal journal = JdbcJournal.builder(source).schema("shop").build();
    TestJournals.ended(journal, TestIntents.intent("order-1"), TestIntents.ending(State.SUCCEEDED));
  }

  @Test
  void liquibaseMakesThem() throws Exception {
    PGSimpleDataSource source = database("liquibase");
    for (int i = 0; i < 2; i++) { // the second time finds them
      try (Liquibase liquibase =
          new Liquibase(
              "steadfast-journal/liquibase.xml",
              new ClassLoaderResourceAccessor(),
              new JdbcConnection(source.getConnection()))) {
        liquibase.update(new Contexts(), new LabelExpression());
      }
    }
    works(source);
  }
}
