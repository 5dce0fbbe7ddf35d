package dev.steadfast.retry.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A database that only speaks as PostgreSQL does is refused by name. */
class DialectTest {
  private static final List<String> OTHERS =
      List.of(
          "CockroachDB CCL v24.1.1 (x86_64-pc-linux-gnu, built 2024/06/14 17:10:27, go1.22.3)",
          "PostgreSQL 11.2-YB-2.20.1.0-b0 on x86_64-pc-linux-gnu, compiled by clang version 16",
          "PostgreSQL 15.2-YB-2025.1.0.0-b0 on x86_64-pc-linux-gnu, 64-bit",
          "PostgreSQL 8.0.2 on i686-pc-linux-gnu, compiled by GCC gcc (GCC) 3.4.2, Redshift 1.0.73");
  private static final String OF_A_VENDOR =
      "PostgreSQL 16.3 on aarch64-unknown-linux-gnu, compiled by gcc 9.5.0, 64-bit";

  @Test
  void aDatabaseThatIsNotPostgresqlIsRefused() throws Exception {
    try (TestDatabase database = TestDatabase.postgres()) {
      database.execute("create schema other");
      // Found before the function of PostgreSQL itself.
      database.execute("alter database postgres set search_path = other, pg_catalog, public");
      for (String version : OTHERS) {
        answers(database, version);
        IllegalArgumentException refused =
            assertThrows(IllegalArgumentException.class, database::journal, version);
        assertTrue(refused.getMessage().contains(version), refused::getMessage);
        assertTrue(refused.getMessage().contains("expected: PostgreSQL"), refused::getMessage);
      }
      answers(database, OF_A_VENDOR);
      assertEquals("JdbcJournal(POSTGRESQL)", database.journal().toString());
    }
  }

  /** As the driver of MariaDB answers, also for a database of its kin. */
  @Test
  void aDatabaseOfAnotherKindIsRefused() {
    DatabaseMetaData named =
        proxy(DatabaseMetaData.class, method -> method.contains("Version") ? "10.11" : "MariaDB");
    Connection connection =
        proxy(Connection.class, method -> method.equals("getMetaData") ? named : null);
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> Dialect.of(connection));
    assertEquals(
        "database: MariaDB 10.11 (expected: PostgreSQL, or H2 for development)",
        refused.getMessage());
  }

  private static <T> T proxy(Class<T> type, Function<String, @Nullable Object> answers) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> answers.apply(method.getName())));
  }

  private static void answers(TestDatabase database, String version) throws Exception {
    database.execute(
        "create or replace function other.version() returns text language sql as 'select ''"
            + version
            + "''::text'");
  }
}
