package dev.steadfast.retry.micrometer;

import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.RetryScheduler;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;

/**
 * A scheduler that executes tasks where a test wants them. Such tasks register meters, so the test
 * knows when that is done.
 */
record AtOnce(RetryScheduler delayed, Executor executor) implements RetryScheduler {

  static RetryEnvironment on(Executor executor, RetryEnvironment environment) {
    return environment.withScheduler(new AtOnce(environment.scheduler(), executor));
  }

  /** The environment with tasks on the calling thread. */
  static RetryEnvironment of(RetryEnvironment environment) {
    return on(Runnable::run, environment);
  }

  @Override
  public boolean isVirtual() {
    return delayed.isVirtual();
  }

  @Override
  public Task schedule(long delayNanos, Runnable task) {
    return delayed.schedule(delayNanos, task);
  }

  @Override
  public void execute(Runnable task) {
    executor.execute(task);
  }

  @Override
  public boolean await(CountDownLatch wake, long nanos) throws InterruptedException {
    return delayed.await(wake, nanos);
  }
}
