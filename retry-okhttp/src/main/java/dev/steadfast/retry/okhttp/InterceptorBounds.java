package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.RetryScheduler;
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
 * What bounds an attempt of an interceptor, which the loop cannot end: at the operation's deadline
 * its call is cancelled, and until the head is there its connection has the attempt's timeouts.
 * Safe for use by many threads.
 */
final class InterceptorBounds implements Runnable {
  private final LongSupplier remainingNanos;
  private final BooleanSupplier outOfTime;
  private final Runnable endAtDeadline;
  private final RetryScheduler scheduler;
  private volatile @Nullable Socket socket; // its reads are bounded by the attempt; HTTP/1 alone

  // Guarded by this.
  private RetryScheduler.@Nullable Task task;
  private boolean over; // the attempt, or the time

  /**
   * Of one attempt.
   *
   * @param remainingNanos what is left of its time; {@link Long#MAX_VALUE} for no bound
   * @param outOfTime whether nothing is left
   * @param endAtDeadline ends its call
   */
  InterceptorBounds(
      LongSupplier remainingNanos,
      RetryScheduler scheduler,
      BooleanSupplier outOfTime,
      Runnable endAtDeadline) {
    this.remainingNanos = remainingNanos;
    this.scheduler = scheduler;
    this.outOfTime = outOfTime;
    this.endAtDeadline = endAtDeadline;
  }

  /** Sets the timer for what is left now, which is more than before once a body has been sent. */
  synchronized void setTimer() {
    if (over) {
      return;
    }
    if (task != null) {
      task.cancel();
      task = null;
    }
    long left = remainingNanos.getAsLong();
    if (left != Long.MAX_VALUE) {
      task = scheduler.schedule(left, this);
    }
  }

  @Override
  public void run() {
    if (!outOfTime.getAsBoolean()) {
      setTimer();
    } else if (end()) {
      endAtDeadline.run();
    }
  }

  /** The attempt is over. Returns false if it was before, or if its time was up. */
  synchronized boolean end() {
    if (over) {
      return false;
    }
    over = true;
    if (task != null) {
      task.cancel();
    }
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
   * reading is the caller's. Not where there is none to read, or it has been read: its connection
   * may serve another call by now, and OkHttp has taken the connection's timeout from the body.
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
