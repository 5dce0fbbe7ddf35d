package dev.steadfast.retry.journal;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** The differences between PostgreSQL and H2. */
enum Dialect {
  POSTGRESQL {
    @Override
    String now() {
      return "clock_timestamp()";
    }

    @Override
    String afterMillis(String millis) {
      return "clock_timestamp() + " + millis + " * interval '1 millisecond'";
    }

    @Override
    String millisUntil(String time) {
      return "cast(extract(epoch from (" + time + " - clock_timestamp())) * 1000 as bigint)";
    }

    @Override
    String ignoreDuplicate() {
      return " on conflict do nothing";
    }

    @Override
    String skipLocked() {
      return " for update skip locked";
    }

    // One probe of the index for each origin.
    @Override
    String distinctOrigins(String condition, int most) {
      String from = " from steadfast_operation where " + condition;
      return "with recursive known(known_origin) as ((select origin"
          + from
          + " order by origin limit 1) union all select (select origin"
          + from
          + " and origin > known_origin order by origin limit 1) from known"
          + " where known_origin is not null) select known_origin from known,"
          + " (select cast(? as timestamp with time zone) as at) as asked"
          + " where known_origin is not null and least("
          + first(from, "not again")
          + ", "
          + first(from, "again")
          + ") <= at limit "
          + most;
    }

    private String first(String from, String lane) {
      return "(select due_at"
          + from
          + " and origin = known_origin and "
          + lane
          + " order by due_at limit 1)";
    }

    @Override
    String updating(Some some) {
      return "with due as (select id as due_id from steadfast_operation where "
          + some.condition()
          + " order by "
          + some.order()
          + " limit ?"
          + skipLocked()
          + ") update steadfast_operation set "
          + some.changes()
          + " from due, "
          + UNFLUSHED
          + " where id = due_id returning "
          + some.columns();
    }

    @Override
    String ddl(String statement) {
      return statement;
    }

    @Override
    String lockTimeout(Connection connection) throws SQLException {
      return text(connection, "select current_setting('lock_timeout')");
    }

    // The setting holds until the end of the caller's transaction at the latest.
    @Override
    void setLockTimeout(Connection connection, String millis) throws SQLException {
      String sql = "select set_config('lock_timeout', ?, true)";
      try (PreparedStatement statement = Sql.prepare(connection, sql)) {
        statement.setString(1, millis);
        statement.execute();
      }
    }
  },

  /** A dialect for development, in one process. */
  H2 {
    @Override
    String now() {
      return "current_timestamp";
    }

    @Override
    String afterMillis(String millis) {
      return "dateadd('MILLISECOND', " + millis + ", current_timestamp)";
    }

    @Override
    String millisUntil(String time) {
      return "datediff('MILLISECOND', current_timestamp, " + time + ")";
    }

    @Override
    String ignoreDuplicate() {
      return ""; // a duplicate fails the statement, and the transaction goes on
    }

    @Override
    String skipLocked() {
      return "";
    }

    @Override
    String distinctOrigins(String condition, int most) {
      return "select distinct origin from steadfast_operation where "
          + condition
          + " and due_at <= ? limit "
          + most;
    }

    @Override
    String updating(Some some) {
      return "select "
          + some.columns()
          + " from final table (update steadfast_operation set "
          + some.changes()
          + " where id in (select id from steadfast_operation where "
          + some.condition()
          + " order by "
          + some.order()
          + " limit ?))";
    }

    // H2 has no partial indexes, and none on expressions.
    @Override
    String ddl(String statement) {
      int condition = statement.indexOf(" where ");
      String whole =
          condition < 0 ? statement : statement.substring(0, condition).replace("\n", " ");
      return whole.contains("((") ? "" : whole;
    }

    @Override
    String lockTimeout(Connection connection) throws SQLException {
      return text(connection, "select lock_timeout()");
    }

    @Override
    void setLockTimeout(Connection connection, String millis) throws SQLException {
      try (Statement statement = connection.createStatement()) {
        statement.execute("set lock_timeout " + Long.parseLong(millis));
      }
    }
  };

  /**
   * An item of a {@code from} clause, by which PostgreSQL commits a statement without waiting for
   * the disk, nor for a standby. A crash of the database may undo it until a later commit waits.
   */
  static final String UNFLUSHED =
      "(select set_config('synchronous_commit', 'off', true)) as unflushed";

  private static final String DUPLICATE = "23505";

  /** The names in {@code version()} of databases that speak as PostgreSQL does. */
  private static final List<String> NOT_POSTGRESQL = List.of("CockroachDB", "-YB-", "Redshift");

  /** The time by the database's clock, which goes on within a transaction. */
  abstract String now();

  /** A time that many milliseconds from now. */
  abstract String afterMillis(String millis);

  /** The milliseconds until a time, negative after it. */
  abstract String millisUntil(String time);

  /** Makes an insert of a row that is there already insert nothing. */
  abstract String ignoreDuplicate();

  /** Makes a selection skip rows that another process has locked, so that they do not deadlock. */
  abstract String skipLocked();

  /**
   * Selects origins to which something is due. Its placeholder is for the time.
   *
   * @param condition what the index holds
   * @param most how many at most
   */
  abstract String distinctOrigins(String condition, int most);

  /**
   * A part of the operations.
   *
   * @param columns the columns that are read, after the change
   * @param changes the assignments
   * @param condition selects them
   * @param order the order in which they are selected
   */
  record Some(String columns, String changes, String condition, String order) {}

  /** Changes and reads some operations that nobody has locked. Its last placeholder limits them. */
  abstract String updating(Some some);

  /** A statement of the script, in the form that this database accepts. */
  abstract String ddl(String statement);

  /** How long a statement of this connection waits for a lock, in the database's own form. */
  abstract String lockTimeout(Connection connection) throws SQLException;

  /** Sets that time: milliseconds, or a value that {@link #lockTimeout} gave. */
  abstract void setLockTimeout(Connection connection, String millis) throws SQLException;

  /** Runs an insert; false if the row is there already. */
  boolean inserts(PreparedStatement insert) throws SQLException {
    try {
      return insert.executeUpdate() == 1;
    } catch (SQLException failed) {
      if (this == H2 && DUPLICATE.equals(failed.getSQLState())) {
        return false;
      }
      throw failed;
    }
  }

  // Other databases speak the protocol of PostgreSQL, and their drivers report its name.
  private static Dialect postgres(String version) {
    for (String other : NOT_POSTGRESQL) {
      if (version.contains(other)) {
        throw new IllegalArgumentException(
            "database: "
                + version
                + " (expected: PostgreSQL itself; this one has not been tested)");
      }
    }
    return POSTGRESQL;
  }

  private static String text(Connection connection, String sql) throws SQLException {
    try (PreparedStatement statement = Sql.prepare(connection, sql);
        ResultSet row = statement.executeQuery()) {
      row.next();
      return row.getString(1);
    }
  }

  static Dialect of(Connection connection) throws SQLException {
    DatabaseMetaData database = connection.getMetaData();
    String product = database.getDatabaseProductName();
    return switch (product) {
      case "PostgreSQL" -> postgres(text(connection, "select version()"));
      case "H2" -> H2;
      default ->
          throw new IllegalArgumentException(
              "database: "
                  + product
                  + " "
                  + database.getDatabaseProductVersion()
                  + " (expected: PostgreSQL, or H2 for development)");
    };
  }
}
