package dev.steadfast.retry.torture;

import dev.steadfast.retry.journal.JdbcJournal;
import dev.steadfast.retry.postgres.PostgresServer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The databases of the journal and of the ledger. Each start checks by {@code SHOW} that commits
 * are durable. The journal can have a standby, which each commit waits for. Confined to one thread.
 */
final class Databases implements AutoCloseable {
  private static final String ROWS =
      "select op_key, state, deliver, claims, coalesce(sequence_name, ''),"
          + " coalesce(sequence_number, 0), caller from steadfast_operation order by op_key";
  private static final String EFFECTS =
      "select intent, payment, principal, account, amount from ledger order by payment";
  private static final String UNFINISHED =
      "select op_key, state = 'unknown' and repeatable <> 'keyed' from steadfast_operation"
          + " where state in ('ready', 'in_flight', 'unknown')";
  private static final String UNDELIVERED =
      "select op_key from steadfast_operation"
          + " where state = 'in_flight' or (state = 'ready' and due_at is not null)";
  private static final String TASK_TABLE =
      "/dev/steadfast/retry/examples/outbox/scheduled_tasks.sql";
  private static final String DONE = "select distinct intent from ledger";

  private final List<Path> directories;
  private final PostgresServer ledger;
  private PostgresServer journal;
  private PostgresServer standby;

  Databases(History history) throws IOException {
    directories =
        List.of(
            history.file("ledger-data"),
            history.file("journal-data"),
            history.file("standby-data"));
    ledger = PostgresServer.on(directories.get(0));
    journal = PostgresServer.on(directories.get(1));
    standby = PostgresServer.stopped(directories.get(2));
  }

  /** The URL of the journal, whichever server has it. */
  String journalUrl() {
    return PostgresServer.jdbcUrl(journal, standby);
  }

  String ledgerUrl() {
    return ledger.jdbcUrl();
  }

  /** Stops the ledger as a crash does, and starts it again on the same data. */
  void restartLedger() throws IOException {
    restart(ledger);
  }

  /** Does the same to the server that has the journal. */
  void restartJournal() throws IOException {
    restart(journal);
  }

  private static void restart(PostgresServer server) throws IOException {
    server.stopImmediately();
    server.start();
  }

  /** Gives the journal a standby. From now on each commit waits for it. */
  void standBy() throws IOException {
    standby.follow(journal);
    journal.waitForStandby(true);
  }

  /** The server that has the journal dies, its standby takes over, and gets a standby in turn. */
  void failOver() throws IOException {
    journal.stopImmediately();
    standby.promote();
    PostgresServer dead = journal;
    journal = standby;
    standby = dead;
    standBy();
  }

  /** The settings which show that commits survive a crash. */
  String durability() throws SQLException {
    List<String> shown = new ArrayList<>();
    for (PostgresServer server : List.of(journal, ledger)) {
      for (String name : List.of("fsync", "synchronous_commit")) {
        shown.add(name + "=" + lines(server, "show " + name).get(0));
      }
    }
    return String.join(" ", shown);
  }

  /**
   * Whether every operation is settled. An operation without a key that was not done stays unknown:
   * its request may still be on its way, and the server has nothing by which to refuse it.
   */
  boolean finished() throws SQLException {
    Set<String> done = new HashSet<>(lines(ledger, DONE));
    for (String line : lines(journal, UNFINISHED)) {
      String[] cells = line.split("\t", -1);
      boolean staysUnknown = cells[1].equals("t") && !done.contains(cells[0]);
      if (!staysUnknown) {
        return false;
      }
    }
    return true;
  }

  /** Creates the tables of the journal and of db-scheduler. */
  void createTables() throws IOException, SQLException {
    JdbcJournal.builder(journal.dataSource()).build().createTables();
    try (InputStream script = Databases.class.getResourceAsStream(TASK_TABLE);
        Connection connection = journal.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(new String(script.readAllBytes(), StandardCharsets.UTF_8));
    }
  }

  /**
   * Has the journal's database tell a time of its own, which can be set forward. Its functions are
   * found before those of PostgreSQL. To be called before the tables are created.
   */
  void ownClock() throws SQLException {
    execute(
        "create schema torture;"
            + " create table torture.clock (ahead interval not null);"
            + " insert into torture.clock values (interval '0');"
            + " create function torture.clock_timestamp() returns timestamptz volatile"
            + " language sql as"
            + " 'select pg_catalog.clock_timestamp() + (select ahead from torture.clock)';"
            + " alter database postgres set search_path = torture, pg_catalog, public");
  }

  /** Sets the clock of the journal's database forward. */
  void advanceClock(Duration by) throws SQLException {
    execute("update torture.clock set ahead = ahead + interval '" + by.toSeconds() + " seconds'");
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = journal.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** The operations that an engine has yet to deliver. */
  List<String> undelivered() throws SQLException {
    return lines(journal, UNDELIVERED);
  }

  /** Writes the contents of journal and ledger into the history. */
  void dump(History history) throws IOException, SQLException {
    history.write("rows.tsv", lines(journal, ROWS));
    history.write("ledger.tsv", lines(ledger, EFFECTS));
  }

  private static List<String> lines(PostgresServer server, String sql) throws SQLException {
    try (Connection connection = server.dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      int columns = rows.getMetaData().getColumnCount();
      List<String> lines = new ArrayList<>();
      while (rows.next()) {
        List<String> cells = new ArrayList<>();
        for (int i = 1; i <= columns; i++) {
          cells.add(rows.getString(i));
        }
        lines.add(String.join("\t", cells));
      }
      return lines;
    }
  }

  @Override
  public void close() {
    standby.close();
    journal.close();
    ledger.close();
  }

  /** Deletes the data of all of them. */
  void delete() throws IOException {
    for (Path directory : directories) {
      if (!Files.exists(directory)) {
        continue; // a run without a standby
      }
      try (Stream<Path> files = Files.walk(directory)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }
}
