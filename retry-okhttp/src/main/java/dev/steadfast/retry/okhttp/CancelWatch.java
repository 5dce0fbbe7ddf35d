package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.RetryScheduler;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import okhttp3.Call;
import okhttp3.EventListener;
import org.jspecify.annotations.Nullable;

/**
 * Tells an interceptor that waits of the cancellation of its call. OkHttp 5.4 and later report it
 * to a listener of the call; before, somebody has to look.
 */
final class CancelWatch implements AutoCloseable {
  private static final long LOOK_NANOS = 50_000_000;
  private static final boolean LISTENS =
      Arrays.stream(Call.class.getMethods())
          .anyMatch(method -> method.getName().equals("addEventListener"));

  private final Call call;
  private final RetryEnvironment environment;
  private volatile @Nullable Runnable canceller;

  private CancelWatch(Call call, RetryEnvironment environment) {
    this.call = call;
    this.environment =
        LISTENS ? environment : environment.withScheduler(looking(environment.scheduler()));
  }

  static CancelWatch of(Call call, RetryEnvironment environment) {
    return new CancelWatch(call, environment);
  }

  RetryEnvironment environment() {
    return environment;
  }

  void start(Runnable onCancel) {
    canceller = onCancel;
    if (LISTENS) {
      call.addEventListener(
          new EventListener() {
            @Override
            public void canceled(Call canceled) {
              cancelled();
            }
          });
    }
    look();
  }

  /**
   * Looks whether the call was cancelled. Its listener is told last: by then the attempt may have
   * failed on the socket that the cancellation closed.
   */
  void look() {
    if (call.isCanceled()) {
      cancelled();
    }
  }

  @Override
  public void close() {
    canceller = null;
  }

  private void cancelled() {
    Runnable run = canceller;
    if (run != null) {
      run.run();
    }
  }

  private RetryScheduler looking(RetryScheduler scheduler) {
    return new RetryScheduler() {
      @Override
      public Task schedule(long delayNanos, Runnable task) {
        return scheduler.schedule(delayNanos, task);
      }

      @Override
      public boolean await(CountDownLatch wake, long nanos) throws InterruptedException {
        Look look = new Look(scheduler);
        try {
          look.again();
          return scheduler.await(wake, nanos);
        } finally {
          look.stop();
        }
      }
    };
  }

  private final class Look implements Runnable {
    private final RetryScheduler scheduler;
    private volatile boolean stopped;
    private volatile RetryScheduler.@Nullable Task next;

    Look(RetryScheduler scheduler) {
      this.scheduler = scheduler;
    }

    void again() {
      next = scheduler.schedule(LOOK_NANOS, this);
      if (stopped) {
        stop();
      }
    }

    @Override
    public void run() {
      if (call.isCanceled()) {
        cancelled();
      } else if (!stopped) {
        again();
      }
    }

    void stop() {
      stopped = true;
      RetryScheduler.Task task = next;
      if (task != null) {
        task.cancel();
      }
    }
  }
}
