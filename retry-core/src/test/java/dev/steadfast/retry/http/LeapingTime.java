package dev.steadfast.retry.http;

import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.RetryScheduler;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;

/**
 * Time that leaps over every wait of a blocking loop and stands still otherwise, so that no timer
 * of an attempt is ever due. Jitter is always the lowest. For one thread.
 */
public final class LeapingTime implements RetryScheduler {
  static final Instant START = Instant.parse("2014-06-06T12:30:00Z");

  private long nanos;

  public RetryEnvironment environment() {
    return new RetryEnvironment(() -> nanos, this::instant, () -> 0, this);
  }

  Instant instant() {
    return START.plusNanos(nanos);
  }

  @Override
  public boolean isVirtual() {
    return true;
  }

  @Override
  public Task schedule(long delayNanos, Runnable task) {
    return () -> {};
  }

  @Override
  public boolean await(CountDownLatch wake, long waitNanos) {
    nanos += waitNanos;
    return false;
  }
}
