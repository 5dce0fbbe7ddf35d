package dev.steadfast.retry.torture;

import dev.steadfast.retry.journal.JdbcJournal;
import dev.steadfast.retry.operations.OperationJournal.Intent;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * Settles operations that must not be sent again, by asking the server, and logs what it settled.
 * Each client takes a share of them. Confined to its thread.
 */
final class Settling implements Runnable {
  private static final int MOST = 1_000;
  private static final long PAUSE_MILLIS = 700;

  private final JdbcJournal journal;
  private final ToldLog log;
  private final int client;
  private final Lookups lookups = new Lookups();

  Settling(JdbcJournal journal, History history, int client) {
    this.journal = journal;
    this.log = history.told(client);
    this.client = client;
  }

  @Override
  public void run() {
    try {
      while (true) {
        round();
        TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void round() throws InterruptedException {
    try {
      for (Intent unknown : journal.unknown(MOST)) {
        if (Math.floorMod(unknown.id().key().hashCode(), Workload.CLIENTS) == client) {
          settle(unknown);
        }
      }
    } catch (IOException down) {
      // the next round may reach it
    }
  }

  // Logged first: a client that dies after settle() has settled the operation all the same.
  private void settle(Intent unknown) throws IOException, InterruptedException {
    JdbcJournal.Lookup lookup = lookups.ask(unknown);
    if (lookup != JdbcJournal.Lookup.DONT_KNOW) {
      log.settled(unknown.id().key(), lookup.name());
      journal.settle(unknown.id(), lookup);
    }
  }
}
