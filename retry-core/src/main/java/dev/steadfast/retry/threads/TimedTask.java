package dev.steadfast.retry.threads;

import dev.steadfast.retry.RetryScheduler;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/** One task and its time. The thread that takes the task out runs it or drops it. */
public class TimedTask implements RetryScheduler.Task, Runnable {
  private static final AtomicReferenceFieldUpdater<TimedTask, @Nullable Runnable> TASK =
      AtomicReferenceFieldUpdater.newUpdater(TimedTask.class, Runnable.class, "task");
  private static final AtomicReferenceFieldUpdater<TimedTask, @Nullable TimedTask> NEXT =
      AtomicReferenceFieldUpdater.newUpdater(TimedTask.class, TimedTask.class, "next");

  private final Keeper keeper;
  private final long dueNanos;
  private volatile @Nullable Runnable task;
  private volatile @Nullable TimedTask next; // in the inbox; itself once it is not

  /** The timer that the task belongs to. */
  interface Keeper {
    /** A task that is no longer in the inbox was cancelled: it can be unlinked. */
    void cancelledLate();

    /** Hands a task to a worker. Returns false if there is no memory for it now. */
    boolean handOver(TimedTask task);
  }

  private TimedTask(Keeper keeper, long dueNanos, Runnable task) {
    this.keeper = keeper;
    this.dueNanos = dueNanos;
    this.task = task;
  }

  /** A task for a worker. */
  static TimedTask continuing(Keeper keeper, long dueNanos, Runnable task) {
    return new TimedTask(keeper, dueNanos, task);
  }

  /** A task for the thread of the timers itself. */
  static TimedTask settling(Keeper keeper, long dueNanos, Runnable task) {
    return new Settling(keeper, dueNanos, task);
  }

  long dueNanos() {
    return dueNanos;
  }

  /** Whether the task is still there: it was neither run nor cancelled. */
  boolean waits() {
    return task != null;
  }

  public @Nullable Runnable take() {
    return TASK.getAndSet(this, null);
  }

  final void putBack(@Nullable Runnable taken) {
    task = taken;
  }

  /** The one below in the inbox; the task itself once it has left the inbox. */
  @Nullable TimedTask next() {
    return next;
  }

  /** Links a task that is not in the inbox, or is replaced in it. */
  void next(@Nullable TimedTask below) {
    NEXT.lazySet(this, below);
  }

  /** Has a cancellation notify the keeper from now on. */
  void leaveInbox() {
    next = this; // a full fence: a cancelling thread sees this, or waits() sees it
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // a task is equal to itself alone
  public void cancel() {
    if (take() != null && next == this) {
      keeper.cancelledLate();
    }
  }

  @Override
  public void run() {
    Runnable taken = take();
    if (taken != null) {
      taken.run();
    }
  }

  /**
   * Called by the thread of the timers when the task is due; does not throw.
   *
   * @return false if there is no memory for it now; then it is kept, and called again
   */
  boolean isDue() {
    return task == null || keeper.handOver(this);
  }

  /** A task that the thread of the timers runs itself. A class, because a flag costs 8 bytes. */
  private static final class Settling extends TimedTask {
    Settling(Keeper keeper, long dueNanos, Runnable task) {
      super(keeper, dueNanos, task);
    }

    @Override
    boolean isDue() {
      Runnable settling = take();
      try {
        if (settling != null) {
          settling.run();
        }
      } catch (OutOfMemoryError full) {
        putBack(settling);
        return false;
      } catch (Throwable broken) {
        // A task of the library's handles its own failures. Logging could hold up the other timers.
      }
      return true;
    }
  }
}
