package dev.steadfast.retry.scenarios;

import java.io.IOException;
import java.net.URI;
import java.util.ArrayDeque;
import java.util.Deque;

/** Idle connections to one origin. */
final class PlainPool {
  private final Deque<PlainConnection> idle = new ArrayDeque<>();
  private final Deque<PlainConnection> all = new ArrayDeque<>();

  /** A connection and whether it was used before. */
  record Leased(PlainConnection connection, boolean reused) {}

  Leased lease(URI uri) throws IOException {
    synchronized (this) {
      if (!idle.isEmpty()) {
        return new Leased(idle.pop(), true);
      }
    }
    PlainConnection fresh = new PlainConnection(uri);
    synchronized (this) {
      all.add(fresh);
    }
    return new Leased(fresh, false);
  }

  synchronized void giveBack(PlainConnection connection) {
    idle.push(connection);
  }

  synchronized void closeIdle() {
    idle.forEach(PlainConnection::close);
    idle.clear();
  }

  synchronized void closeAll() {
    all.forEach(PlainConnection::close);
  }
}
