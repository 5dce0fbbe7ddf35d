package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.RetryScheduler;
import dev.steadfast.retry.engine.RetryPlan;
import java.net.Socket;
import java.net.SocketException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import okhttp3.Connection;
import okhttp3.Protocol;
import okhttp3.Response;
import okio.Timeout;
import org.jspecify.annotations.Nullable;

/**
 * The bounds of an attempt of an interceptor, which the loop cannot end: at the operation's
 * deadline its call is cancelled, and until the head is there its connection has the attempt's
 * timeouts. Safe for use by many threads.
 */
final class InterceptorBounds implements Runnable {
  // Why it is like this: docs/decisions/threads-and-timers.md#what-ends-an-attempt
  private final LongSupplier remainingNanos;
  private final BooleanSupplier outOfTime;
  private final Runnable endAtDeadline;
  private final RetryPlan plan;
  private volatile @Nullable Socket socket; // HTTP/1 only: its reads are bounded by the attempt

  // Guarded by this.
  private RetryScheduler.@Nullable Task task;
  private boolean over; // the attempt has ended, or its time is up

  private boolean endsLater; // used by the timer thread only

  /**
   * The bounds of one attempt.
   *
   * @param remainingNanos what is left of its time; {@link Long#MAX_VALUE} for no bound
   * @param plan has the timers
   * @param outOfTime whether nothing is left
   * @param endAtDeadline ends its call
   */
  InterceptorBounds(
      LongSupplier remainingNanos,
      RetryPlan plan,
      BooleanSupplier outOfTime,
      Runnable endAtDeadline) {
    this.remainingNanos = remainingNanos;
    this.plan = plan;
    this.outOfTime = outOfTime;
    this.endAtDeadline = endAtDeadline;
  }

  /** Sets the timer for what is left now, which is more than before once a body has been sent. */
  synchronized void setTimer() {
    if (over) {
      return;
    }
    stopTimer();
    long left = remainingNanos.getAsLong();
    if (left != Long.MAX_VALUE) {
      task = plan.settle(left, this);
    }
  }

  private void stopTimer() {
    RetryScheduler.Task running = task;
    task = null;
    if (running != null) {
      running.cancel();
    }
  }

  @Override
  public void run() {
    if (isTimeLeft()) {
      setTimer();
    } else if (end() || endsLater) {
      endsLater = true; // if memory runs out here, the timer runs again
      endAtDeadline.run();
      endsLater = false;
    }
  }

  // A ticker that throws tells no time, and without a timer the attempt might never end.
  private boolean isTimeLeft() {
    try {
      return !outOfTime.getAsBoolean();
    } catch (RuntimeException noTime) {
      return false;
    }
  }

  /** The attempt is over. Returns false if it was before, or if its time was up. */
  synchronized boolean end() {
    if (over) {
      return false;
    }
    over = true;
    stopTimer();
    return true;
  }

  /** The connection that the latest request goes out on. */
  void on(Connection connection) {
    boolean http1 =
        connection.protocol() == Protocol.HTTP_1_1 || connection.protocol() == Protocol.HTTP_1_0;
    socket = http1 ? connection.socket() : null;
  }

  /**
   * Gives a body back to the client's own read timeout: the attempt ended with the head, and
   * reading is the caller's. Leaves a body alone that is absent or was read: its connection may
   * serve another call by now, and OkHttp has taken the connection's timeout from the body.
   */
  void leaveBodyTo(Response response, int readTimeoutMillis) {
    if (!OkHttpViews.hasBodyOfNetwork(response)) {
      return;
    }
    Timeout ofBody = response.body().source().timeout();
    if (ofBody.timeoutNanos() == 0) {
      return;
    }
    ofBody.timeout(readTimeoutMillis, TimeUnit.MILLISECONDS);
    Socket bounded = socket;
    if (bounded == null) {
      return;
    }
    try {
      bounded.setSoTimeout(readTimeoutMillis);
    } catch (SocketException closed) {
      // The next read fails with it.
    }
  }
}
