package dev.steadfast.retry.jmh;

import java.util.Arrays;
import java.util.PriorityQueue;

/**
 * Clients that write to one row, each until its write wins: whoever was first since the last win
 * wins, the others wait as long as their strategy says. Waits are in the strategy's own unit; a
 * write sees the row as it was {@link #FLIGHT} part of a base delay ago.
 */
final class Contention {
  private static final int CLIENTS = 100;
  private static final long FLIGHT = 10; // per cent of the base delay

  /** A write under way. */
  private record Write(long at, int client) implements Comparable<Write> {
    @Override
    public int compareTo(Write other) {
      return Long.compare(at, other.at);
    }
  }

  private final Delays.Source source;
  private final long flight;
  private final int[] retries = new int[CLIENTS];
  private final long[] previous = new long[CLIENTS];
  private final PriorityQueue<Write> writes = new PriorityQueue<>(CLIENTS);

  Contention(Delays.Source source, long base) {
    this.source = source;
    this.flight = base * FLIGHT / 100;
  }

  /** Lets all clients win; returns how many writes that took. */
  int round() {
    Arrays.fill(retries, 0);
    Arrays.fill(previous, 0);
    for (int client = 0; client < CLIENTS; client++) {
      writes.add(new Write(flight, client));
    }
    long changedAt = 0;
    int made = 0;
    for (Write write = writes.poll(); write != null; write = writes.poll()) {
      made++;
      boolean stale = write.at - flight < changedAt;
      if (!stale) {
        changedAt = write.at;
      } else {
        writes.add(again(write));
      }
    }
    return made;
  }

  private Write again(Write lost) {
    int client = lost.client;
    retries[client] = Math.min(retries[client] + 1, Delays.RETRIES);
    previous[client] = source.next(retries[client], previous[client]);
    return new Write(lost.at + flight + previous[client], client);
  }
}
