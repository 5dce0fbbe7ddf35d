package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.RetryEnvironment;
import dev.steadfast.retry.RetryScheduler;
import dev.steadfast.retry.TimeLimit;
import dev.steadfast.retry.engine.CallContext;
import dev.steadfast.retry.engine.RetryPlan;
import dev.steadfast.retry.engine.TimeUp;
import java.lang.ref.WeakReference;
import java.net.http.HttpTimeoutException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Bounds a body that is still on its way when the caller has the response: it ends if it is silent
 * for too long, or if the bound of the operation is reached.
 *
 * <p>A body that the application has dropped may never end. So the timer holds it weakly, and soon
 * sees that it is gone. Otherwise the timer would hold the application's class loader, or keep its
 * own thread running, until the limit is reached.
 */
final class BodyWatch implements Runnable {
  private static final long NO_LENGTH = Long.MAX_VALUE;
  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(4);

  private final WeakReference<WatchedSubscriber<?>> watched;
  private final RetryEnvironment environment;
  private final long mostIdleNanos;
  private final long startNanos;
  private final long boundNanos; // since the start
  private final TimeLimit bound; // the limit that it comes from
  private int looks; // written by the thread that looks, one after the other

  // Written under the lock of this object.
  private volatile RetryScheduler.@Nullable Task task;
  private int taskOf; // the look that has set it

  private BodyWatch(WatchedSubscriber<?> body, RetryPlan plan, long boundNanos) {
    CallContext scope = plan.callContext();
    boolean byScope = scope != null && scope.remainingNanos() <= boundNanos;
    this.watched = new WeakReference<>(body);
    this.environment = plan.environment().withScheduler(plan.timers());
    this.mostIdleNanos = plan.bodyIdleTimeoutNanos();
    this.bound = byScope ? TimeLimit.SCOPE_DEADLINE : TimeLimit.DEADLINE;
    this.startNanos = environment.ticker().getAsLong();
    this.boundNanos = boundNanos;
  }

  /**
   * Watches, if there is anything to watch for.
   *
   * @param boundNanos what is left of the operation's time; {@link Long#MAX_VALUE} for no bound
   */
  static void start(WatchedSubscriber<?> body, RetryPlan plan, long boundNanos) {
    long idle = plan.bodyIdleTimeoutNanos();
    if (body.goesOn() && (idle != Long.MAX_VALUE || boundNanos != Long.MAX_VALUE)) {
      BodyWatch watch = new BodyWatch(body, plan, boundNanos);
      watch.look(body);
      body.watchedBy(watch);
    }
  }

  /** The body is over, or nobody wants the rest of it. */
  void stop() {
    RetryScheduler.Task next = task;
    if (next != null) {
      next.cancel();
    }
  }

  private void look(WatchedSubscriber<?> body) {
    long now = environment.ticker().getAsLong();
    long left = boundNanos == Long.MAX_VALUE ? boundNanos : boundNanos - (now - startNanos);
    long idleLeft = body.idleLeftNanos(now, mostIdleNanos);
    if (left <= 0) {
      body.fail(new HttpTimeoutException("request timed out: " + new TimeUp(bound, NO_LENGTH)));
    } else if (idleLeft == 0) {
      TimeUp silence = new TimeUp(TimeLimit.BODY_IDLE_TIMEOUT, mostIdleNanos);
      body.fail(new HttpTimeoutException("response body timed out: " + silence));
    } else {
      schedule(body, Math.min(LOOK_NANOS, Math.min(left, idleLeft)));
    }
  }

  private void schedule(WatchedSubscriber<?> body, long nanos) {
    int look = ++looks;
    try {
      keep(look, environment.scheduler().schedule(nanos, this));
      if (!body.goesOn()) {
        stop();
      }
    } catch (RejectedExecutionException noTimer) {
      body.fail(unwatched(noTimer));
    }
  }

  /** Keeps the handle of the latest timer. A timer may come before its own handle is kept. */
  private synchronized void keep(int look, RetryScheduler.Task timer) {
    if (look > taskOf) {
      taskOf = look;
      task = timer;
    }
  }

  @Override
  public void run() {
    WatchedSubscriber<?> body = watched.get();
    if (body == null || !body.goesOn()) {
      return;
    }
    try {
      look(body);
    } catch (RuntimeException | Error broken) { // the ticker may be the user's
      body.fail(unwatched(broken)); // or it would never end
      throw broken;
    }
  }

  private static HttpTimeoutException unwatched(Throwable reason) {
    HttpTimeoutException unwatched = new HttpTimeoutException("no timer watches the response body");
    unwatched.initCause(reason);
    return unwatched;
  }
}
