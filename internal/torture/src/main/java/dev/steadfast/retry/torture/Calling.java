package dev.steadfast.retry.torture;

import dev.steadfast.retry.RetryReport;
import dev.steadfast.retry.scope.RetryScope;
import dev.steadfast.retry.torture.ToldLog.Event;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * The callers of a client. Each takes the next operation at its time, calls it until it knows the
 * result, and logs what it is told.
 */
final class Calling {
  private static final int CALLERS = 8;
  private static final int MOST_CALLS = 5;
  private static final long PAUSE_MILLIS = 1_000; // a look-up may settle the operation meanwhile

  private final ToldLog log;
  private final Fired fired;
  private final Queue<Op> waiting;
  private final Map<String, Integer> calls = new HashMap<>(); // of earlier processes
  private final Parts parts;

  /**
   * What the callers use.
   *
   * @param enlisting null if enlisting is off
   * @param startNanos when the run began, on this process's monotonic clock
   */
  record Parts(PaymentClient client, Enlisting enlisting, long startNanos) {}

  Calling(History history, int client, Parts parts) {
    this.log = history.told(client);
    this.fired = history.fired();
    this.parts = parts;
    this.waiting = new ConcurrentLinkedQueue<>(remaining(history.operations(), client));
  }

  private Queue<Op> remaining(List<Op> operations, int client) {
    Map<String, Event> last = new HashMap<>();
    for (Event event : log.read()) {
      if (event.kind() == ToldLog.Kind.INVOKED) {
        calls.merge(event.intent(), 1, Integer::sum);
      }
      if (event.kind().ofCaller()) {
        last.put(event.intent(), event);
      }
    }
    Queue<Op> remaining = new ArrayDeque<>();
    for (Op operation : operations) {
      if (operation.client() == client && goesOn(operation, last.get(operation.intent()))) {
        remaining.add(operation);
      }
    }
    return remaining;
  }

  /** Whether an operation needs another call after the last log line about it. */
  private boolean goesOn(Op operation, Event last) {
    if (last == null) {
      return true;
    }
    if (last.kind() == ToldLog.Kind.INVOKED) {
      return operation.style().callsAgain();
    }
    return !new PaymentClient.Told(last.word(), "", false).settles()
        && calls.getOrDefault(operation.intent(), 0) < MOST_CALLS;
  }

  /** Returns when all operations are done. */
  void run() throws InterruptedException {
    ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
    for (int i = 0; i < CALLERS; i++) {
      callers.execute(this::calls);
    }
    callers.shutdown();
    callers.awaitTermination(1, TimeUnit.DAYS);
  }

  private void calls() {
    try {
      Op operation = waiting.poll();
      while (operation != null) {
        awaitTime(operation);
        untilKnown(operation);
        operation = waiting.poll();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException | Error broken) {
      broken.printStackTrace();
      Runtime.getRuntime().halt(1); // so that the run fails
    }
  }

  private void awaitTime(Op operation) throws InterruptedException {
    long since = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - parts.startNanos);
    TimeUnit.MILLISECONDS.sleep(operation.atMillis() - since);
  }

  private void untilKnown(Op operation) throws InterruptedException {
    int call = calls.getOrDefault(operation.intent(), 0);
    boolean again = true;
    PaymentClient.Told last = null;
    while (again) {
      log.invoked(operation.intent());
      Caller caller = Caller.of(operation, call);
      PaymentClient.Told told = caller.told(told(operation, caller));
      log.told(operation.intent(), told);
      last = told;
      call++;
      again = !told.settles() && told.again() && call < MOST_CALLS;
      if (again) {
        TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
      }
    }
    if (last.word().equals(RetryReport.Effect.SUCCEEDED.name())
        && fired.first(Fault.CHANGED_REQUEST, operation)) {
      log.changed(operation.intent(), parts.client.pay(operation.changed()));
    }
  }

  private PaymentClient.Told told(Op operation, Caller caller) throws InterruptedException {
    try (RetryScope scope = caller.enter()) {
      return told(operation);
    }
  }

  private PaymentClient.Told told(Op operation) throws InterruptedException {
    if (operation.mode() == Op.Mode.CALL || parts.enlisting == null) {
      return parts.client.pay(operation);
    }
    PaymentClient.Told enlisted = parts.enlisting.enlist(operation);
    return operation.mode() == Op.Mode.ENLIST_AND_CALL && enlisted.settles()
        ? parts.client.pay(operation)
        : enlisted;
  }
}
