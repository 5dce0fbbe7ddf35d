package dev.steadfast.retry.ordinary;

import java.net.URI;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** One run of a program: with which client, against which server, and what was seen. */
public final class Run {
  /** How long anything may take: less than the time after which a program counts as hanging. */
  static final int LIMIT_SECONDS = 200;

  private final Entry entry;
  private final Server server;
  private final Observation seen;
  private final boolean wrapped;

  Run(Entry entry, boolean wrapped, Server server, Observation seen) {
    this.entry = entry;
    this.wrapped = wrapped;
    this.server = server;
    this.seen = seen;
  }

  /** The entry point, and for a run of a plain client the one that it is compared with. */
  public Entry entry() {
    return entry;
  }

  /** The method that the program is asked to call. */
  public Entry.Way way() {
    return entry.way();
  }

  /** Whether the client is a wrapped one. Programs do not ask; helpers may. */
  public boolean wrapped() {
    return wrapped;
  }

  /** The server of this run. */
  public Server server() {
    return server;
  }

  /** The server of this run, which speaks HTTP/1 over plain sockets. */
  public WireServer wire() {
    return (WireServer) server;
  }

  /** An address of the server. */
  public URI uri(String path) {
    return server.uri(path);
  }

  /** What was seen. */
  public Observation seen() {
    return seen;
  }

  /** Notes a line of what the caller sees. */
  public void note(String section, Object line) {
    seen.note(section, String.valueOf(line));
  }

  /** Waits for an event, for 200 s at most. */
  public static void await(CountDownLatch event) throws InterruptedException {
    if (!event.await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError("nothing within " + LIMIT_SECONDS + " s");
    }
  }
}
