package dev.steadfast.retry.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryScheduler;
import dev.steadfast.retry.internal.Durations;
import dev.steadfast.retry.internal.TextReader;
import dev.steadfast.retry.testkit.FakeTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** A loop with everything around it, in virtual time, on one thread. */
final class LoopFixture implements RetryScheduler {
  final FakeTime time = new FakeTime();
  final EventLog log = new EventLog();
  final CountingBudget budget = new CountingBudget(100);
  final CountingGuard guard = new CountingGuard();
  final ScriptedTransport transport = new ScriptedTransport();
  final RetryLoop<String> loop;
  private final List<String> outcomes = new ArrayList<>();
  private @Nullable Throwable thrown;
  private @Nullable Runnable beforeNow;
  private @Nullable Runnable beforeReject;
  private @Nullable Runnable afterSchedule;
  private long earlyNanos;
  private boolean rejecting;

  LoopFixture(String policy) {
    RetryEnvironment environment = new RetryEnvironment(this::now, time::instant, () -> 0, this);
    RetryPlan plan =
        RetryPlan.of(RetryPolicy.valueOf(policy), budget, environment)
            .withGuards(List.of(guard))
            .withListeners(List.of(log));
    this.loop = RetryLoop.of(plan, OperationInfo.of("origin", "label"), transport);
  }

  LoopFixture start() {
    return start(Long.MAX_VALUE);
  }

  LoopFixture start(long boundNanos) {
    loop.start(boundNanos, this::completed);
    return this;
  }

  private void completed(@Nullable String response, @Nullable Throwable failure) {
    thrown = failure;
    outcomes.add(
        failure == null
            ? String.valueOf(response)
            : failure.getClass().getSimpleName() + ": " + failure.getMessage());
  }

  void advance(String duration) {
    time.advance(Duration.ofNanos(nanos(duration)));
  }

  static long nanos(String duration) {
    return Durations.read(new TextReader(duration));
  }

  /** Runs something within the next reading of the ticker: between two steps of the machine. */
  void beforeNextNow(Runnable hook) {
    beforeNow = hook;
  }

  private long now() {
    Runnable hook = beforeNow;
    beforeNow = null;
    if (hook != null) {
      hook.run();
    }
    return time.nanos();
  }

  /** Runs something when the next task has been scheduled, before the machine knows. */
  void afterNextSchedule(Runnable hook) {
    afterSchedule = hook;
  }

  /** The next timer, or the next wait, comes early, as some real ones do. */
  void fireNextTimerEarlyBy(String duration) {
    earlyNanos = nanos(duration);
  }

  void rejectFromNowOn() {
    rejecting = true;
  }

  void rejectFromNowOn(Runnable before) {
    rejecting = true;
    beforeReject = before;
  }

  @Override
  public boolean isVirtual() {
    return true;
  }

  @Override
  public Task schedule(long delayNanos, Runnable task) {
    if (rejecting) {
      Runnable hook = beforeReject;
      beforeReject = null;
      if (hook != null) {
        hook.run();
      }
      throw new RejectedExecutionException("closed");
    }
    long early = earlyNanos;
    earlyNanos = 0;
    Task scheduled = time.schedule(delayNanos - early, task);
    Runnable hook = afterSchedule;
    afterSchedule = null;
    if (hook != null) {
      hook.run();
    }
    return scheduled;
  }

  @Override
  public void execute(Runnable task) {
    transport.callBack(task);
  }

  @Override
  public boolean await(CountDownLatch wake, long nanos) throws InterruptedException {
    if (rejecting) {
      throw new RejectedExecutionException("closed");
    }
    // As if another thread had moved the time, a little at each step.
    long end = time.nanos() + nanos - earlyNanos;
    earlyNanos = 0;
    while (wake.getCount() > 0 && time.nanos() < end) {
      time.advance(Duration.ofNanos(Math.min(1_000_000, end - time.nanos())));
    }
    return wake.getCount() == 0;
  }

  @Nullable Throwable thrown() {
    return thrown;
  }

  boolean over() {
    return !outcomes.isEmpty();
  }

  /** One outcome, these events, and nothing left anywhere. */
  void verify(String outcome, String trace) {
    assertEquals(List.of(outcome), outcomes);
    verifyTrace(trace);
  }

  void verifyTrace(String trace) {
    transport.verify();
    assertEquals(trace, log.trace());
    log.verify();
    guard.verify();
    budget.verify(Math.max(0, log.attemptsStarted() - 1));
    assertEquals(0, time.pending(), "timers left behind");
  }
}
