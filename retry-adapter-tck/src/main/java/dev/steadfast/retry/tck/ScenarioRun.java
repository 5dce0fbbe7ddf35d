package dev.steadfast.retry.tck;

import dev.steadfast.retry.Backoff;
import dev.steadfast.retry.DelayReason;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryScheduler;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.scope.RetryScope;
import dev.steadfast.retry.scope.ScopeOptions;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/** Carries one scenario out through one entry point, and compares. */
final class ScenarioRun {
  private static final long PATIENCE_SECONDS = 20;

  private final Scenario scenario;
  private final Setup setup;
  private final EntryPoint entry;
  private final Running run;
  private final Recorder recorder;
  private final CountingBudget budget;
  private final CountingGuard guard = new CountingGuard();
  private final AtomicLong held = new AtomicLong(); // the wait that is not skipped, 0 for none
  private volatile String upward = "";
  private final ExecutorService director =
      Executors.newSingleThreadExecutor(task -> Threads.daemon("scenario-director", task));

  private ScenarioRun(Scenario scenario, EntryPoint entry) {
    this.scenario = scenario;
    this.setup = scenario.setup();
    this.entry = entry;
    this.run = new Running(setup.actions);
    this.recorder = new Recorder(run);
    this.budget = new CountingBudget(setup.tokens);
  }

  /** Compares more than the row and the laws. */
  interface Watcher {
    /** Compares nothing. */
    Watcher NONE = (observed, findings) -> {};

    void compare(Observed observed, Findings findings);
  }

  /**
   * Runs a scenario.
   *
   * @throws AssertionError that names all differences from the row and the laws
   */
  static void of(Scenario scenario, EntryPoint entry, Watcher watcher) throws Exception {
    of(scenario, entry, watcher, Duration.ofSeconds(20));
  }

  /** As above, with the time that the ends of connections and threads may take. */
  static void of(Scenario scenario, EntryPoint entry, Watcher watcher, Duration patience)
      throws Exception {
    LeakCheck leaks = new LeakCheck(patience);
    Findings findings = new Findings();
    ScenarioRun one = new ScenarioRun(scenario, entry);
    try {
      one.run(findings, leaks, watcher);
    } finally {
      one.director.shutdownNow();
    }
    leaks.checkThreads(findings);
    findings.throwIfAny(scenario.title() + " [" + entry.name() + "]", one.recorder.trace());
  }

  private void run(Findings findings, LeakCheck leaks, Watcher watcher) throws Exception {
    try (ScriptedServer server = ScriptedServer.start();
        RefusedPort nobody = RefusedPort.open();
        Client client = open(configuration(server))) {
      List<Reply> script = setup.replies.apply(run);
      server.enqueue(script.toArray(Reply[]::new));
      run.client(client);
      for (HttpCall each : setup.first) {
        finish(client, server.uri(each.path()), each);
      }
      Observed observed = new Observed(server, script, scenario, entry);
      arm(server);
      URI uri = setup.refused ? nobody.uri(setup.call.path()) : server.uri(setup.call.path());
      ScenarioOutcome outcome = finish(client, uri, setup.call);
      run.reached(Scenario.Moment.OUTCOME, 1);
      recorder.awaitEnd();
      observed.outcome(outcome, recorder, client);
      observed.accounts(budget, guard);
      observed.upward(upward);
      observed.compare(findings);
      watcher.compare(observed, findings);
      new Invariants(observed, findings).check(uri);
      findings.addAll("in an action", run.problems());
      leaks.checkTimers(run.time(), findings);
      leaks.checkConnections(new LeakCheck.Ends(client, server), observed, findings);
    }
  }

  private Client open(HttpRetry retry) {
    return setup.follows == Follows.NOTHING
        ? entry.open(retry, setup.interference)
        : entry.open(retry, setup.follows);
  }

  private HttpRetry configuration(ScriptedServer server) {
    run.origin(server.uri("/"));
    setup.guard.accept(guard);
    RetryPolicy.Builder base =
        RetryPolicy.builder()
            .backoff(Backoff.exponential(Duration.ofMillis(100), Duration.ofSeconds(20)));
    HttpRetry.Builder builder =
        HttpRetry.builder()
            .policy(setup.policy.apply(base).build())
            .environment(run.time().environment().withScheduler(scheduler()))
            .budget(budget)
            .guard(guard)
            .listener(recorder)
            .listener(waits());
    setup.setting.accept(builder, run);
    return builder.build();
  }

  /** Lets waits end at once, except those during which something happens. */
  private RetryListener waits() {
    RetryListener skip = run.time().skipWaits();
    return new RetryListener() {
      @Override
      public void waiting(OperationInfo operation, Duration delay, DelayReason why) {
        if (setup.has(Scenario.Moment.IN_WAIT, recorder.waits())) {
          held.set(delay.toNanos());
        } else {
          skip.waiting(operation, delay, why);
        }
      }
    };
  }

  /** The virtual time, which sees when a wait begins that was not skipped. */
  private RetryScheduler scheduler() {
    return new RetryScheduler() {
      @Override
      public boolean isVirtual() {
        return true;
      }

      @Override
      public Task schedule(long delayNanos, Runnable task) {
        Task scheduled = run.time().schedule(delayNanos, task);
        begun(delayNanos);
        return scheduled;
      }

      @Override
      public void execute(Runnable task) {
        run.time().execute(task);
      }

      @Override
      public boolean await(CountDownLatch wake, long nanos) throws InterruptedException {
        begun(nanos);
        return run.time().await(wake, nanos);
      }
    };
  }

  private void begun(long nanos) {
    if (nanos > 0 && held.compareAndSet(nanos, 0)) {
      int number = recorder.waits();
      direct(() -> {
        run.time().awaitPending(entry.timersInWait());
        run.reached(Scenario.Moment.IN_WAIT, number);
      });
    }
  }

  private interface Direction {
    void run() throws Exception;
  }

  private void direct(Direction direction) {
    director.execute(() -> {
      try {
        direction.run();
      } catch (Throwable thrown) {
        run.problem(thrown);
      }
    });
  }

  private void arm(ScriptedServer server) {
    budget.arm();
    guard.arm();
    AtomicInteger requests = new AtomicInteger();
    server.whenRequest(request -> run.reached(Scenario.Moment.REQUEST, requests.incrementAndGet()));
    recorder.arm();
  }

  private void head() {
    if (recorder.armed() && setup.has(Scenario.Moment.HEAD, 1)) {
      direct(() -> run.reached(Scenario.Moment.HEAD, 1));
    }
  }

  private ScenarioOutcome calls(Client client, URI uri, HttpCall call) throws Exception {
    return client.call(uri, call, this::head);
  }

  /** A call within the scope of a request, if the row has one. */
  private ScenarioOutcome within(Callable<ScenarioOutcome> calls) throws Exception {
    if (setup.inbound.isEmpty()) {
      return calls.call();
    }
    ScopeOptions options =
        ScopeOptions.builder()
            .environment(run.time().environment())
            .build()
            .withOperation("POST /in");
    try (RetryScope scope = RetryScope.enter(setup.inbound::get, "acme", options)) {
      ScenarioOutcome outcome = calls.call();
      upward =
          scope.responseHeaders().entrySet().stream()
              .map(header -> header.getKey() + ": " + header.getValue())
              .collect(Collectors.joining(", "));
      return outcome;
    }
  }

  /** Calls on a thread that can be interrupted, and given up on. */
  private ScenarioOutcome finish(Client client, URI uri, HttpCall call) throws Exception {
    FutureTask<ScenarioOutcome> task =
        new FutureTask<>(() -> within(() -> calls(client, uri, call)));
    Thread caller = Threads.daemon("scenario-caller", task);
    run.caller(caller);
    caller.start();
    try {
      return task.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof Error error) {
        throw error;
      }
      throw failed;
    } catch (TimeoutException stuck) {
      AssertionError error =
          new AssertionError(
              scenario.title()
                  + " ["
                  + entry.name()
                  + "]: the call does not end; so far: "
                  + recorder.trace()
                  + "; timers: "
                  + run.time().pending()
                  + "; problems: "
                  + run.problems());
      error.setStackTrace(caller.getStackTrace());
      throw error;
    } finally {
      caller.interrupt();
      if (task.isDone()) { // else the error above says what hangs
        Threads.join(caller);
      }
    }
  }
}
