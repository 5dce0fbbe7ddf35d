package dev.steadfast.retry.threads;

import java.util.concurrent.TimeUnit;

/** As where the process may have no more threads: tasks wait until it can make one. */
public final class WithoutWorkers {
  private WithoutWorkers() {}

  public static TimerScheduler scheduler() {
    TimerThread timers =
        new TimerThread(
            (name, task) -> {
              if (task.getClass().getName().contains("WorkerPool")) {
                throw new OutOfMemoryError("unable to create native thread");
              }
              Thread thread = new Thread(task, name);
              thread.setDaemon(true);
              thread.start();
              return thread;
            },
            TimeUnit.SECONDS.toNanos(1),
            1);
    return new TimerScheduler(timers, null);
  }
}
