package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.RetryBudget;
import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.RetryPolicy;
import dev.steadfast.retry.RetryScheduler;
import dev.steadfast.retry.engine.RetryPlan;
import dev.steadfast.retry.limit.Schedules;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The client ends a body while it begins to be watched, and while its timer comes. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class BodyWatchSchedulesTest {
  /** The latest timer, which a test runs. */
  private static final class OneTimer implements RetryScheduler {
    private final AtomicReference<Runnable> latest = new AtomicReference<>();
    private final AtomicInteger waiting = new AtomicInteger();

    @Override
    public Task schedule(long delayNanos, Runnable task) {
      AtomicReference<Runnable> held = new AtomicReference<>(task);
      waiting.incrementAndGet();
      latest.set(() -> run(held));
      return () -> take(held);
    }

    private Runnable take(AtomicReference<Runnable> held) {
      Runnable taken = held.getAndSet(null);
      if (taken != null) {
        waiting.decrementAndGet();
      }
      return taken;
    }

    private void run(AtomicReference<Runnable> held) {
      Runnable taken = take(held);
      if (taken != null) {
        taken.run();
      }
    }

    void runLatest() {
      Runnable timer = latest.get();
      if (timer != null) {
        timer.run();
      }
    }

    @Override
    public boolean await(CountDownLatch wake, long nanos) {
      throw new AssertionError("not needed here");
    }

    @Override
    public boolean isVirtual() {
      return true;
    }
  }

  /** A body that goes on is watched, and nothing is left of one that is over. */
  public static class Watches {
    private final OneTimer timer = new OneTimer();
    private final RetryPlan plan =
        RetryPlan.of(
            RetryPolicy.builder().build(),
            RetryBudget.unlimited(),
            new RetryEnvironment(() -> 0, RetryEnvironment.system().clock(), () -> 0, timer));
    private final WatchedSubscriber<String> body =
        new WatchedSubscriber<>(BodySubscribers.ofString(StandardCharsets.UTF_8), () -> 0);
    private volatile boolean begun;

    @Operation(runOnce = true)
    public void begin() {
      BodyWatch.start(body, plan, 1_000_000_000);
      begun = true;
    }

    @Operation(runOnce = true)
    public void complete() {
      body.onComplete();
    }

    @Operation(runOnce = true)
    public void cancel() {
      body.cancel();
    }

    @Operation(nonParallelGroup = "timer")
    public void timerComes() {
      timer.runLatest();
    }

    @Validate
    public void oneTimerIfItGoesOn_andNoneIfItIsOver() {
      int expected = begun && body.goesOn() ? 1 : 0;
      if (timer.waiting.get() != expected) {
        throw new IllegalStateException(timer.waiting + " timers for " + expected);
      }
    }
  }

  @Test
  void noScheduleLosesTheWatch_orLeavesItsTimer() {
    Schedules.checkPairs(Watches.class);
  }
}
