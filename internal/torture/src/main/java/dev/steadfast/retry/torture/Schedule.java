package dev.steadfast.retry.torture;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** The faults that happen at a planned time to everybody. Confined to one thread. */
final class Schedule {
  private static final long STORM_MILLIS = 500;
  private static final long PARTITION_MILLIS = 700;
  private static final double LAST_FAULT = 0.95; // as a share of the run: operations still follow

  /** A fault and its time. */
  private record Event(long atMillis, Fault fault, int client) {}

  private final List<Event> events;
  private final Fired fired;
  private final Proxy proxy;
  private final Databases databases;

  Schedule(History history, Proxy proxy, Databases databases) {
    this.events = events(history.settings());
    this.fired = history.fired();
    this.proxy = proxy;
    this.databases = databases;
  }

  private static List<Event> events(Settings settings) {
    Random random = new Random(settings.seed() + 1);
    long end = Math.round(settings.millis() * LAST_FAULT);
    List<Event> events = new ArrayList<>();
    for (Fault fault : Fault.all(Fault.Where.SCHEDULE)) {
      int count = Fault.planned(settings.minutes());
      for (int i = 0; i < count; i++) {
        long at = Math.round((i + random.nextDouble()) * end / count); // one per slot
        events.add(new Event(at, fault, random.nextInt(Workload.CLIENTS)));
      }
    }
    events.sort(Comparator.comparingLong(Event::atMillis));
    return events;
  }

  /** Runs the faults one after another, and returns after the last. */
  void run() throws IOException, InterruptedException {
    long start = System.nanoTime();
    int number = 0;
    for (Event event : events) {
      TimeUnit.MILLISECONDS.sleep(
          event.atMillis - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
      happens(event);
      fired.first(event.fault, "number-" + number++);
    }
  }

  private void happens(Event event) throws IOException, InterruptedException {
    switch (event.fault) {
      case STORM_500 -> storm(500);
      case STORM_503 -> storm(503);
      case PARTITION -> {
        proxy.partition(event.client, true);
        TimeUnit.MILLISECONDS.sleep(PARTITION_MILLIS);
        proxy.partition(event.client, false);
      }
      case JOURNAL_RESTART -> Databases.restart(databases.journal());
      case LEDGER_RESTART -> Databases.restart(databases.ledger());
      default -> throw new IllegalStateException("not of the schedule: " + event.fault);
    }
  }

  private void storm(int status) throws InterruptedException {
    proxy.storm(status);
    TimeUnit.MILLISECONDS.sleep(STORM_MILLIS);
    proxy.storm(0);
  }
}
