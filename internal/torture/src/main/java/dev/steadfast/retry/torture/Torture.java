package dev.steadfast.retry.torture;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The program: starts databases, server, clients and faults, and has the checker judge the result.
 * Its system properties are {@code torture.seed}, {@code torture.minutes} (default 5), {@code
 * torture.break} (default: nothing is broken), {@code torture.engine} (default: the journal),
 * {@code torture.dir}, and {@code torture.other}: the class path of another version of this
 * program, which every second client process runs.
 */
public final class Torture {
  private static final long MOST_QUIET_MILLIS = 120_000;
  private static final long MOST_QUIET_BROKEN_MILLIS = 3_000; // it may never become quiet
  private static final int QUIET_ROUNDS = 6;
  private static final Duration PASSES = Duration.ofMinutes(5); // the longest wait before a resend
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
    new History(directory).lines("others.txt").forEach(System.out::println);
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
      databases.ownClock();
      databases.createTables();
      if (settings.broken().planned(Fault.JOURNAL_FAIL_OVER, settings.minutes()) > 0) {
        databases.standBy();
      }
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
    try (Clients clients = new Clients(System.getProperty("torture.other", ""));
        Proxy proxy = new Proxy(history, clients);
        Server server = new Server(history, databases.ledgerUrl(), proxy)) {
      clients.start(history, databases.journalUrl(), proxy);
      new Schedule(history, new Schedule.Parts(clients, proxy, databases)).run();
      awaitCalls(history, clients, server);
      List<String> surprises = new ArrayList<>();
      if (history.settings().engine() == Engine.DB_SCHEDULER) {
        await(() -> databases.undelivered().isEmpty(), MOST_QUIET_MILLIS);
        databases.undelivered().forEach(each -> surprises.add(each + " was not delivered"));
      }
      history.set("quiet");
      boolean broken = history.settings().broken() != Break.NONE;
      if (broken) {
        await(databases::finished, MOST_QUIET_BROKEN_MILLIS);
      } else {
        untilFinished(databases, history.settings().engine());
      }
      history.set("stop");
      clients.awaitEnd();
      history.write("others.txt", List.of(clients.others() + " clients of the other version"));
      proxy.wire(history);
      surprises.addAll(clients.surprises());
      surprises.addAll(server.surprises());
      return surprises;
    }
  }

  /** Lets time pass for the journal, so that what is to be sent again later is due. */
  private static void untilFinished(Databases databases, Engine engine)
      throws SQLException, InterruptedException {
    for (int i = 0; i < QUIET_ROUNDS; i++) {
      if (Fault.JOURNAL_CLOCK.meets(engine) && !databases.finished()) {
        databases.advanceClock(PASSES);
      }
      await(databases::finished, MOST_QUIET_MILLIS / QUIET_ROUNDS);
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

  private interface Condition {
    boolean holds() throws SQLException;
  }

  /** Waits, for example until leases have ended and the clients have resumed all that is due. */
  private static void await(Condition condition, long mostMillis)
      throws InterruptedException, SQLException {
    long start = System.nanoTime();
    while (!condition.holds()
        && System.nanoTime() - start < TimeUnit.MILLISECONDS.toNanos(mostMillis)) {
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
    }
  }
}
