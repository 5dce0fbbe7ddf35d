package dev.steadfast.retry.tck;

import dev.steadfast.retry.testkit.FakeTime;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;

/** One run of a scenario, as its actions see it. Safe for use by many threads. */
final class Running {
  private final FakeTime time = new FakeTime();
  private final CountDownLatch gate = new CountDownLatch(1);
  private final Queue<Throwable> problems = new ConcurrentLinkedQueue<>();
  private final Map<Scenario.At, Scenario.Action> actions;
  private volatile String origin;
  private volatile Client client;
  private volatile Thread caller;

  @SuppressWarnings("NullAway.Init") // what is not here is set before the call begins
  Running(Map<Scenario.At, Scenario.Action> actions) {
    // An action happens once, also where its moment comes again in a call that was resent.
    this.actions = new ConcurrentHashMap<>(actions);
  }

  // ---- for actions

  /** Cancels the call in the way of its client. */
  void cancel() {
    client.cancel();
  }

  /** Interrupts the thread that waits for the outcome. */
  void interrupt() {
    caller.interrupt();
  }

  /** Moves the virtual time. */
  void advance(Duration duration) {
    time.advance(duration);
  }

  /** The gate that a reply may wait for. */
  CountDownLatch gate() {
    return gate;
  }

  /** Lets the replies go on that wait for {@link #gate}. */
  void openGate() {
    gate.countDown();
  }

  /** Scheme, host and port of the server. */
  String origin() {
    return origin;
  }

  FakeTime time() {
    return time;
  }

  // ---- for the machinery

  void origin(URI uri) {
    this.origin = uri.getScheme() + "://" + uri.getAuthority();
  }

  void client(Client client) {
    this.client = client;
  }

  void caller(Thread caller) {
    this.caller = caller;
  }

  /** Carries out the action that is due. An exception fails the test, even if it is caught. */
  void reached(Scenario.Moment moment, int number) {
    Scenario.Action due = actions.remove(new Scenario.At(moment, number));
    if (due != null) {
      try {
        due.on(this);
      } catch (Throwable thrown) {
        problem(thrown);
      }
    }
  }

  void problem(Throwable problem) {
    problems.add(problem);
  }

  /** The problems of actions, and the actions that were never due. */
  List<Object> problems() {
    List<Object> all = new ArrayList<>(problems);
    actions.keySet().forEach(each -> all.add("was never reached: " + each));
    return all;
  }
}
