package dev.steadfast.retry.httpclient;

import dev.steadfast.retry.RetryScheduler;
import dev.steadfast.retry.threads.TimerScheduler;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Stops one attempt on the wire: cancels the client's future, or interrupts its thread. */
final class WireStop implements Runnable {
  // How long a blocking call has to end by itself, before its thread is interrupted.
  private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private volatile @Nullable CompletableFuture<?> sent; // null: blocking
  private volatile @Nullable SendInterrupt interrupt; // null: asynchronous
  private volatile boolean clientTimesOut; // by itself, when the attempt's time is up
  private volatile boolean headPassed; // so the client's own timeout has ended
  private volatile RetryScheduler.@Nullable Task lastResort;

  /** The client's future of the attempt. */
  void of(CompletableFuture<?> future) {
    sent = future;
  }

  /**
   * The calling thread waits in the client.
   *
   * @param timesOut whether the request has a timeout that ends with the attempt
   */
  void of(SendInterrupt waiting, boolean timesOut) {
    interrupt = waiting;
    clientTimesOut = timesOut;
  }

  /** Whether the calling thread waits in the client. */
  boolean blocking() {
    return sent == null;
  }

  /** The head has come, with which the client's own timeout ends. */
  void headPassed() {
    headPassed = true;
  }

  /** The calling thread is out of the client. */
  void returned() {
    interrupt = null;
    RetryScheduler.Task pending = lastResort;
    if (pending != null) {
      pending.cancel();
    }
  }

  @Override
  public void run() {
    CompletableFuture<?> future = sent;
    if (future != null) {
      future.cancel(true);
      return;
    }
    SendInterrupt waiting = interrupt;
    if (waiting == null) {
      return;
    }
    if (headPassed || !clientTimesOut) {
      waiting.fire();
      return;
    }
    // The timer runs in real time, as the client's own timeout is.
    TimerScheduler timers = TimerScheduler.system();
    lastResort = timers.settle(GRACE_NANOS, () -> timers.cancelOnWire(waiting::fire));
    if (interrupt == null) {
      returned(); // just now
    }
  }
}
