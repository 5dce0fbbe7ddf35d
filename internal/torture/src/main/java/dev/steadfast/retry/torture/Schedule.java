package dev.steadfast.retry.torture;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** The faults that happen at a planned time to everybody. Confined to one thread. */
final class Schedule {
  private static final long STORM_MILLIS = 500;
  private static final long PARTITION_MILLIS = 700;
  private static final Duration AHEAD = Duration.ofSeconds(20); // more than a lease
  private static final double LAST_FAULT = 0.95; // as a share of the run: operations still follow

  /** A fault and its time. */
  private record Event(long atMillis, Fault fault, int client) {}

  private final List<Event> events;
  private final Fired fired;
  private final History history;
  private final Parts parts;

  /** What the faults act on. */
  record Parts(Clients clients, Proxy proxy, Databases databases) {}

  Schedule(History history, Parts parts) {
    this.events = events(history.settings());
    this.fired = history.fired();
    this.history = history;
    this.parts = parts;
  }

  private static List<Event> events(Settings settings) {
    Random random = new Random(settings.seed() + 1);
    long end = Math.round(settings.millis() * LAST_FAULT);
    List<Event> events = new ArrayList<>();
    for (Fault fault : Fault.all(Fault.Where.SCHEDULE)) {
      if (!fault.meets(settings.engine())) {
        continue;
      }
      int count = settings.broken().planned(fault, settings.minutes());
      for (int i = 0; i < count; i++) {
        long at = Math.round((i + random.nextDouble()) * end / count); // one per slot
        events.add(new Event(at, fault, random.nextInt(Workload.CLIENTS)));
      }
    }
    events.sort(Comparator.comparingLong(Event::atMillis));
    return events;
  }

  /** Runs the faults one after another, and returns after the last. */
  void run() throws IOException, InterruptedException, SQLException {
    long start = System.nanoTime();
    int number = 0;
    for (Event event : events) {
      TimeUnit.MILLISECONDS.sleep(
          event.atMillis - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
      happens(event);
      fired.first(event.fault, "number-" + number++);
    }
  }

  private void happens(Event event) throws IOException, InterruptedException, SQLException {
    switch (event.fault) {
      case STORM_500 -> storm(500);
      case STORM_503 -> storm(503);
      case PARTITION -> {
        parts.proxy.partition(event.client, true);
        TimeUnit.MILLISECONDS.sleep(PARTITION_MILLIS);
        parts.proxy.partition(event.client, false);
      }
      case DEPLOYMENT -> {
        Deployment.of(history, event.client).next(history, event.client);
        parts.clients.kill(event.client);
      }
      case JOURNAL_CLOCK -> parts.databases.advanceClock(AHEAD);
      case JOURNAL_RESTART -> parts.databases.restartJournal();
      case JOURNAL_FAIL_OVER -> parts.databases.failOver();
      case LEDGER_RESTART -> parts.databases.restartLedger();
      default -> throw new IllegalStateException("not of the schedule: " + event.fault);
    }
  }

  private void storm(int status) throws InterruptedException {
    parts.proxy.storm(status);
    TimeUnit.MILLISECONDS.sleep(STORM_MILLIS);
    parts.proxy.storm(0);
  }
}
