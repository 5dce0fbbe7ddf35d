package dev.steadfast.retry.engine;

import dev.steadfast.retry.RetryScheduler;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;

/** A scheduler of virtual time that has been closed. */
final class ClosedScheduler implements RetryScheduler {
  @Override
  public boolean isVirtual() {
    return true;
  }

  @Override
  public Task schedule(long delayNanos, Runnable task) {
    throw new RejectedExecutionException("closed");
  }

  @Override
  public boolean await(CountDownLatch wake, long nanos) {
    throw new RejectedExecutionException("closed");
  }
}
