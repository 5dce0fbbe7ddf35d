package dev.steadfast.retry.engine;

import dev.steadfast.retry.ContextCapture;
import dev.steadfast.retry.threads.TimedTask;
import dev.steadfast.retry.threads.TimerScheduler;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A blocking operation that runs on a thread of the library's while its caller waits. Some threads
 * must not wait within a client: a worker of a fork-join pool would run other tasks of its pool
 * there.
 *
 * @param <R> the response
 */
final class OffloadedCall<R> implements Runnable {
  private static final long LONGEST_START_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final Body<R> operation;
  private final Runnable interrupt;
  private final CallerContext context;
  private final CountDownLatch over = new CountDownLatch(1);
  private @Nullable R response;
  private @Nullable Throwable failure;

  /** The operation. */
  interface Body<R> {
    R run() throws Throwable;
  }

  /**
   * An operation that has not begun. The context of the calling thread is captured.
   *
   * @param operation the operation
   * @param interrupt ends it because the waiting thread was interrupted
   * @param capture what else belongs to the context, null for nothing
   */
  OffloadedCall(Body<R> operation, Runnable interrupt, @Nullable ContextCapture capture) {
    this.operation = operation;
    this.interrupt = interrupt;
    this.context = CallerContext.capture(capture);
  }

  R call(TimerScheduler threads) throws Throwable {
    TimedTask task;
    try {
      task = threads.send(this);
    } catch (RejectedExecutionException noThread) {
      return operation.run();
    }
    boolean begun = true;
    try {
      // If no thread can be started, the operation does not begin, so its deadline cannot end it.
      begun = threads.await(over, LONGEST_START_NANOS) || task.take() == null;
      if (begun) {
        threads.await(over, Long.MAX_VALUE);
      }
    } catch (InterruptedException interrupted) {
      if (task.take() != null) {
        throw interrupted; // before anything was sent
      }
      interrupt.run();
      awaitAfterInterrupt();
    }
    if (!begun) {
      return operation.run();
    }
    Throwable thrown = failure;
    if (thrown != null) {
      throw thrown;
    }
    return Objects.requireNonNull(response);
  }

  // Another end may have won the race: then the caller gets it, and the interrupt after it.
  private void awaitAfterInterrupt() {
    boolean again = false;
    while (over.getCount() > 0) {
      try {
        over.await();
      } catch (InterruptedException once) {
        again = true;
      }
    }
    if (again || !(failure instanceof InterruptedException)) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void run() {
    Runnable undo = CallerContext.restore(context);
    try {
      response = operation.run();
    } catch (Throwable thrown) {
      failure = thrown;
    } finally {
      undo.run();
      over.countDown();
    }
  }
}
