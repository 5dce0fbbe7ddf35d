package dev.steadfast.retry.soak;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Threads of a program, all started at once: so what grows later is not these. */
final class Pools {
  private Pools() {}

  static ThreadPoolExecutor fixed(String name, int threads) {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            threads, threads, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), daemons(name));
    pool.prestartAllCoreThreads();
    return pool;
  }

  static ScheduledThreadPoolExecutor timer(String name) {
    ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, daemons(name));
    timer.setRemoveOnCancelPolicy(true);
    return timer;
  }

  static ThreadFactory daemons(String name) {
    AtomicInteger number = new AtomicInteger();
    return body -> {
      Thread thread = new Thread(body, name + "-" + number.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }
}
