package dev.steadfast.retry.torture;

import dev.steadfast.retry.journal.JdbcJournal;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The program: starts databases, server, clients and faults, and has the checker judge the result.
 * Its system properties are {@code torture.seed}, {@code torture.minutes} (default 5), {@code
 * torture.break} (default: nothing is broken) and {@code torture.dir}.
 */
public final class Torture {
  private static final long MOST_QUIET_MILLIS = 120_000;
  private static final long MOST_QUIET_BROKEN_MILLIS = 3_000; // it may never become quiet
  private static final long POLL_MILLIS = 200;

  private Torture() {}

  /** Exits with 0 if the checker found nothing and every fault happened often enough. */
  public static void main(String[] args) {
    try {
      run();
    } catch (Exception failed) {
      failed.printStackTrace();
      System.exit(2); // ends the other threads too
    }
  }

  private static void run() throws Exception {
    Settings settings = Settings.ofProperties();
    Path directory =
        Path.of(System.getProperty("torture.dir", "target/torture"))
            .resolve(settings.seed() + "-" + System.currentTimeMillis());
    Verdict verdict = run(settings, directory);
    verdict.print(System.out);
    if (!verdict.holds()) {
      System.err.println("The history is in " + directory);
    }
    System.exit(verdict.holds() ? 0 : 1);
  }

  /** Runs once and judges the history that the run leaves in the directory. */
  static Verdict run(Settings settings, Path directory) throws Exception {
    History history = History.create(directory, settings);
    try (Databases databases = new Databases(history)) {
      history.write("durability.txt", List.of(databases.durability()));
      JdbcJournal.builder(databases.journal().dataSource()).build().createTables();
      history.write("surprises.txt", attack(history, databases));
      databases.dump(history);
      databases.close();
      Verdict verdict = Checker.check(history);
      if (verdict.holds()) {
        databases.delete();
      }
      return verdict;
    }
  }

  /** Runs the load and the faults. Returns the unplanned ends of processes. */
  private static List<String> attack(History history, Databases databases)
      throws IOException, InterruptedException, SQLException {
    try (Clients clients = new Clients();
        Proxy proxy = new Proxy(history, clients);
        Server server = new Server(history, databases.ledger().jdbcUrl(), proxy)) {
      clients.start(history, databases.journal().jdbcUrl(), proxy);
      new Schedule(history, proxy, databases).run();
      awaitCalls(history, clients, server);
      history.set("quiet");
      awaitQuiet(databases, history.settings());
      history.set("stop");
      clients.awaitEnd();
      List<String> surprises = new ArrayList<>(clients.surprises());
      surprises.addAll(server.surprises());
      return surprises;
    }
  }

  private static void awaitCalls(History history, Clients clients, Server server)
      throws InterruptedException {
    for (int i = 0; i < Workload.CLIENTS; i++) {
      while (!history.is("done-" + i)
          && clients.surprises().isEmpty()
          && server.surprises().isEmpty()) {
        TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
      }
    }
  }

  /** Waits until leases have ended and the clients have resumed everything that is due. */
  private static void awaitQuiet(Databases databases, Settings settings)
      throws InterruptedException, SQLException {
    long most = settings.broken() == Break.NONE ? MOST_QUIET_MILLIS : MOST_QUIET_BROKEN_MILLIS;
    long start = System.nanoTime();
    while (!databases.finished()
        && System.nanoTime() - start < TimeUnit.MILLISECONDS.toNanos(most)) {
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
    }
  }
}
