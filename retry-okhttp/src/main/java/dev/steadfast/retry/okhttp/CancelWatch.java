package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.RetryScheduler;
import dev.steadfast.retry.engine.RetryPlan;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import okhttp3.Call;
import okhttp3.EventListener;
import org.jspecify.annotations.Nullable;

/**
 * Ends the waits of an interceptor when its call is cancelled. OkHttp itself ends an attempt that
 * is under way. OkHttp 5.4 and later tell a listener of the call; with earlier versions the call is
 * asked every 50 ms.
 */
final class CancelWatch implements RetryScheduler, AutoCloseable {
  private static final long LOOK_NANOS = 50_000_000;
  private static final boolean LISTENS =
      Arrays.stream(Call.class.getMethods())
          .anyMatch(method -> method.getName().equals("addEventListener"));

  private final Call call;
  private final RetryScheduler scheduler;
  private final RetryScheduler timers;
  private boolean listening; // set by the one thread that waits
  private volatile boolean paused; // an attempt is under way
  private volatile @Nullable Runnable canceller;
  private @Nullable Look throughout;

  CancelWatch(Call call, RetryPlan plan) {
    this.call = call;
    this.scheduler = plan.environment().scheduler();
    this.timers = plan.timers();
  }

  /** The plan whose waits end when the call is cancelled. */
  RetryPlan in(RetryPlan plan) {
    return plan.withEnvironment(plan.environment().withScheduler(this));
  }

  void start(Runnable onCancel) {
    canceller = onCancel;
  }

  /** Watches from now on, outside of waits too. */
  void throughout() {
    if (LISTENS) {
      listen();
      return;
    }
    Look look = new Look();
    throughout = look;
    look.again();
  }

  /** An attempt begins. */
  void pause() {
    paused = true;
  }

  /** The attempt is over. */
  void goOn() {
    paused = false;
  }

  @Override
  public void close() {
    canceller = null;
    Look look = throughout;
    if (look != null) {
      look.stop();
    }
  }

  @Override
  public boolean isVirtual() {
    return scheduler.isVirtual();
  }

  @Override
  public Task schedule(long delayNanos, Runnable task) {
    return scheduler.schedule(delayNanos, task);
  }

  @Override
  public void execute(Runnable task) {
    scheduler.execute(task);
  }

  @Override
  public boolean await(CountDownLatch wake, long nanos) throws InterruptedException {
    if (LISTENS) {
      listen();
      return scheduler.await(wake, nanos);
    }
    Look look = new Look();
    try {
      look.again();
      return scheduler.await(wake, nanos);
    } finally {
      look.stop();
    }
  }

  private void listen() {
    if (!listening) {
      listening = true;
      call.addEventListener(
          new EventListener() {
            @Override
            public void canceled(Call canceled) {
              cancelled();
            }
          });
    }
    if (call.isCanceled()) {
      cancelled(); // the listener may have come too late
    }
  }

  private void cancelled() {
    Runnable run = canceller;
    if (run != null && !paused) {
      run.run();
    }
  }

  private final class Look implements Runnable {
    private volatile boolean stopped;
    private volatile @Nullable Task next;

    void again() {
      if (call.isCanceled()) {
        cancelled();
        return;
      }
      next = timers.schedule(LOOK_NANOS, this);
      if (stopped) {
        stop();
      }
    }

    @Override
    public void run() {
      if (!stopped) {
        again();
      }
    }

    void stop() {
      stopped = true;
      Task task = next;
      if (task != null) {
        task.cancel();
      }
    }
  }
}
