package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.RetryScheduler;
import dev.steadfast.retry.engine.Attempt;
import dev.steadfast.retry.engine.RetryPlan;
import java.net.http.HttpTimeoutException;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Bounds a body that is still on its way when the caller has the response: it ends where it is
 * silent for too long, or where the bound of the operation is reached.
 */
final class BodyWatch implements Runnable {
  private final WatchedSubscriber<?> body;
  private final RetryEnvironment environment;
  private final long mostIdleNanos;
  private final long startNanos;
  private final long boundNanos; // since the start
  private volatile RetryScheduler.@Nullable Task task;

  private BodyWatch(
      WatchedSubscriber<?> body,
      RetryEnvironment environment,
      long mostIdleNanos,
      long boundNanos) {
    this.body = body;
    this.environment = environment;
    this.mostIdleNanos = mostIdleNanos;
    this.startNanos = environment.ticker().getAsLong();
    this.boundNanos = boundNanos;
  }

  /** Watches, if there is anything to watch for. */
  static void start(WatchedSubscriber<?> body, RetryPlan plan, Attempt<?> attempt) {
    long idle = plan.bodyIdleTimeoutNanos();
    long bound = attempt.remainingNanos();
    if (!body.over() && (idle != Long.MAX_VALUE || bound != Long.MAX_VALUE)) {
      BodyWatch watch = new BodyWatch(body, plan.environment(), idle, bound);
      watch.again();
      body.watchedBy(watch);
    }
  }

  /** The body is over. */
  void stop() {
    RetryScheduler.Task next = task;
    if (next != null) {
      next.cancel();
    }
  }

  private void again() {
    long now = environment.ticker().getAsLong();
    long left = boundNanos == Long.MAX_VALUE ? boundNanos : boundNanos - (now - startNanos);
    long idleLeft = body.idleLeftNanos(now, mostIdleNanos);
    if (left <= 0) {
      body.fail(new HttpTimeoutException("request timed out"));
    } else if (idleLeft == 0) {
      body.fail(new HttpTimeoutException("response body timed out"));
    } else {
      schedule(Math.min(left, idleLeft));
    }
  }

  private void schedule(long nanos) {
    try {
      task = environment.scheduler().schedule(nanos, this);
      if (body.over()) {
        stop();
      }
    } catch (RejectedExecutionException noTimer) {
      body.fail(new HttpTimeoutException("no timer watches the response body"));
    }
  }

  @Override
  public void run() {
    if (!body.over()) {
      again();
    }
  }
}
