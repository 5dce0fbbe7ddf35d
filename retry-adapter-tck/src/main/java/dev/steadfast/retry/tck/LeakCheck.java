package dev.steadfast.retry.tck;

import dev.steadfast.retry.testkit.FakeTime;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/** Checks what a call must not leave behind: timers, connections, bodies, threads. */
final class LeakCheck {
  private static final Duration MOMENT = Duration.ofMillis(20);
  private static final String OURS = "dev.steadfast.";

  private final Set<Thread> before = Set.copyOf(threads());
  private final Duration patience;

  /** Notes the threads before a call. Connections and threads may take this long to end. */
  LeakCheck(Duration patience) {
    this.patience = patience;
  }

  /** Both ends of the connections. */
  record Ends(Client client, ScriptedServer server) {}

  void checkTimers(FakeTime time, Findings findings) throws InterruptedException {
    try {
      time.awaitIdle();
    } catch (AssertionError left) {
      findings.add("left behind, timers: " + left.getMessage());
    }
  }

  /**
   * The next request must find a connection in the pool if none had to die: it finds none if a body
   * was left unread. Then all connections must go when the idle ones are closed.
   */
  void checkConnections(Ends ends, Observed observed, Findings findings) throws Exception {
    ScriptedServer server = ends.server();
    if (observed.peaceful()) {
      int before = server.connectionsAccepted();
      ends.client().plainGet(server.uri("/after"));
      findings.check(
          before == server.connectionsAccepted(),
          "left behind, a body: the next request found no connection in the pool");
    }
    try {
      if (ends.client().closeIdle()) {
        awaitNoConnections(ends);
      } else {
        server.awaitNoBusyConnections(patience);
      }
    } catch (AssertionError left) {
      findings.add("left behind, connections: " + left.getMessage());
    }
  }

  // A connection that was in use a moment ago is idle now, and has to be closed as well.
  private void awaitNoConnections(Ends ends) throws InterruptedException {
    long end = System.nanoTime() + patience.toNanos();
    while (true) {
      try {
        ends.server().awaitNoOpenConnections(MOMENT);
        return;
      } catch (AssertionError open) {
        if (System.nanoTime() - end > 0) {
          throw open;
        }
        ends.client().closeIdle();
      }
    }
  }

  /** Threads that keep a JVM alive, and threads that are still in our code. */
  void checkThreads(Findings findings) throws InterruptedException {
    long end = System.nanoTime() + patience.toNanos();
    for (Thread each : threads()) {
      while (left(each)) {
        if (System.nanoTime() - end > 0) {
          String stack = Arrays.toString(each.getStackTrace());
          findings.add("left behind, a thread: " + each + " " + stack);
          break;
        }
        each.join(MOMENT.toMillis());
      }
    }
  }

  /** All threads, without their stacks, which cost too much to take after each row. */
  private static List<Thread> threads() {
    ThreadGroup top = Thread.currentThread().getThreadGroup();
    while (top.getParent() != null) {
      top = top.getParent();
    }
    Thread[] threads = new Thread[top.activeCount() + 64];
    return List.of(Arrays.copyOf(threads, top.enumerate(threads)));
  }

  private boolean left(Thread thread) {
    if (before.contains(thread) || !thread.isAlive() || thread.equals(Thread.currentThread())) {
      return false;
    }
    if (thread.getName().startsWith("steadfast-")) {
      return false; // the library's own, which ends after a time without work
    }
    return !thread.isDaemon()
        || Arrays.stream(thread.getStackTrace())
            .anyMatch(frame -> frame.getClassName().startsWith(OURS));
  }
}
