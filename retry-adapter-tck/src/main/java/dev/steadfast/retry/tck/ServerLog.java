package dev.steadfast.retry.tck;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** The events at the server so far. Tests can wait for an event. Thread-safe. */
final class ServerLog {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final List<Received> requests = new ArrayList<>();
  private final Set<Connection> open = new LinkedHashSet<>();
  private final Set<Integer> busy = new LinkedHashSet<>();
  private final List<Throwable> problems = new ArrayList<>();
  private int accepted;
  private int taken;

  void opened(Connection connection) {
    change(() -> {
      accepted++;
      open.add(connection);
    });
  }

  void closed(Connection connection) {
    change(() -> {
      open.remove(connection);
      busy.remove(connection.number());
    });
  }

  /** A request has begun to arrive. */
  void busy(int connection) {
    change(() -> busy.add(connection));
  }

  /** A request was replied to, and another one may come. */
  void idle(int connection) {
    change(() -> busy.remove(connection));
  }

  void received(Received request) {
    change(() -> requests.add(request));
  }

  /** Keeps an exception of a server thread for the test, which would not see it there. */
  void problem(Throwable problem) {
    change(() -> problems.add(problem));
  }

  int openConnections() {
    return read(open::size);
  }

  int connectionsAccepted() {
    return read(() -> accepted);
  }

  List<Received> requests() {
    return read(() -> List.copyOf(requests));
  }

  /** The problems that were not reported yet. */
  List<Throwable> takeProblems() {
    return read(() -> {
      List<Throwable> unreported = List.copyOf(problems);
      problems.clear();
      return unreported;
    });
  }

  Received take(Duration limit) throws InterruptedException {
    return await(
        () -> requests.size() > taken, () -> requests.get(taken++), limit, "another request");
  }

  List<Received> awaitRequests(int count, Duration limit) throws InterruptedException {
    return await(
        () -> requests.size() >= count,
        () -> List.copyOf(requests),
        limit,
        "request number " + count);
  }

  void awaitNoOpenConnections(Duration limit) throws InterruptedException {
    await(open::isEmpty, () -> null, limit, "the end of all connections");
  }

  void awaitNoBusyConnections(Duration limit) throws InterruptedException {
    await(busy::isEmpty, () -> null, limit, "the end of all requests");
  }

  private <T> T await(BooleanSupplier done, Supplier<T> result, Duration limit, String what)
      throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long left = limit.toNanos();
      while (!done.getAsBoolean()) {
        if (left <= 0) {
          throw new AssertionError("waited " + limit + " in vain for " + what + "; " + summary());
        }
        left = changed.awaitNanos(left);
      }
      return result.get();
    } finally {
      lock.unlock();
    }
  }

  private String summary() {
    return "open: "
        + open
        + ", busy: "
        + busy
        + ", requests: "
        + requests
        + ", problems: "
        + problems;
  }

  private void change(Runnable change) {
    lock.lock();
    try {
      change.run();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private <T> T read(Supplier<T> view) {
    lock.lock();
    try {
      return view.get();
    } finally {
      lock.unlock();
    }
  }
}
