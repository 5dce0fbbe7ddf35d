package dev.steadfast.retry.engine;

import dev.steadfast.retry.RetryScheduler;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/** One task and its time. The thread that takes the task out runs it or drops it. */
final class TimedTask implements RetryScheduler.Task, Runnable {
  private static final AtomicReferenceFieldUpdater<TimedTask, @Nullable Runnable> TASK =
      AtomicReferenceFieldUpdater.newUpdater(TimedTask.class, Runnable.class, "task");
  private static final AtomicReferenceFieldUpdater<TimedTask, @Nullable TimedTask> NEXT =
      AtomicReferenceFieldUpdater.newUpdater(TimedTask.class, TimedTask.class, "next");

  private final Owner owner;
  private final long dueNanos;
  private volatile @Nullable Runnable task;
  private volatile @Nullable TimedTask next; // in the inbox; itself once it is not

  /** Who keeps the time. */
  interface Owner {
    /** A task that is no longer in the inbox was cancelled: it can be unlinked. */
    void cancelledLate();

    /** Hands a task to a worker. Returns false if there is no memory for it now. */
    boolean handOver(TimedTask task);
  }

  TimedTask(Owner owner, long dueNanos, Runnable task) {
    this.owner = owner;
    this.dueNanos = dueNanos;
    this.task = task;
  }

  long dueNanos() {
    return dueNanos;
  }

  /** Whether the task is still there: it was neither run nor cancelled. */
  boolean waits() {
    return task != null;
  }

  @Nullable Runnable take() {
    return TASK.getAndSet(this, null);
  }

  /** The one below in the inbox; the task itself once it has left the inbox. */
  @Nullable TimedTask next() {
    return next;
  }

  /** For a task that is not in the inbox, or is replaced in it. */
  void next(@Nullable TimedTask below) {
    NEXT.lazySet(this, below);
  }

  /** From now on a cancellation notifies the owner. */
  void leaveInbox() {
    next = this; // a full fence: a cancelling thread sees this, or waits() sees it
  }

  @Override
  public void cancel() {
    if (take() != null && next == this) {
      owner.cancelledLate();
    }
  }

  @Override
  public void run() {
    Runnable taken = take();
    if (taken != null) {
      taken.run();
    }
  }

  /** Returns false if there is no memory for it now. */
  boolean handOver() {
    return task == null || owner.handOver(this);
  }
}
