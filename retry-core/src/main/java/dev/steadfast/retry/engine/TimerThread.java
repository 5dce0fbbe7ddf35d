package dev.steadfast.retry.engine;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Timers, and the one thread that waits for them. It runs no task: what is due goes to the {@link
 * WorkerPool}. The thread starts with the first timer and ends after a time without any. Safe for
 * use by many threads.
 *
 * <p>A new timer is pushed on a stack, the inbox, from where the thread takes it into its heap.
 * While there may be timers the thread never sleeps longer than a tick, so only a timer that is due
 * before its next look has to wake it; a call that is answered at once schedules a timer and takes
 * it back without waking anybody. No wake-up is missed: a caller pushes its timer and then reads
 * {@link #wakeAt}; the thread writes that field and then looks through the inbox again.
 *
 * <p>Cancelling drops the task at once; the timer itself is unlinked at the next tick.
 */
final class TimerThread implements TimedTask.Owner {
  /** The longest sleep, and how often cancelled timers are unlinked, in nanoseconds. */
  static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /** How often the thread looks after tasks that no worker has taken, in nanoseconds. */
  static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  // A bound on the work of one caller.
  private static final int MOST_REPLACED = 16;

  // Differences between any two times must fit a long.
  private static final long LONGEST_NANOS = Long.MAX_VALUE / 2;

  // Even, while each time in wakeAt is made odd.
  private static final long AWAKE = Long.MIN_VALUE;

  private static final AtomicLongFieldUpdater<TimerThread> WAKE_AT =
      AtomicLongFieldUpdater.newUpdater(TimerThread.class, "wakeAt");

  private final ThreadFactory threads;
  private final long idleNanos;
  private final WorkerPool pool;

  private final AtomicReference<@Nullable TimedTask> inbox = new AtomicReference<>();
  private volatile long wakeAt = AWAKE;
  private volatile boolean cancelled; // something in the heap was

  // Written under the lock.
  private final ReentrantLock lock = new ReentrantLock();
  private volatile boolean running;
  private volatile @Nullable Thread thread;

  // Of the thread alone.
  private final TimerHeap<TimedTask> heap = new TimerHeap<>();
  private @Nullable TimedTask rest; // taken out of the inbox, and not yet in the heap
  private long sweepAt;
  private long idleSince;

  /**
   * No timers yet, and no thread.
   *
   * @param threads makes daemon threads
   * @param idleNanos how long a thread waits for work before it ends, in nanoseconds
   * @param workers how many workers there are before a task has to wait
   */
  TimerThread(ThreadFactory threads, long idleNanos, int workers) {
    this.threads = threads;
    this.idleNanos = idleNanos;
    this.pool = new WorkerPool(this, threads, idleNanos, workers);
  }

  WorkerPool pool() {
    return pool;
  }

  /**
   * Hands a task to the pool after a delay.
   *
   * @throws RejectedExecutionException if no thread can be started and none is there that could try
   *     again
   */
  TimedTask schedule(long delayNanos, Runnable task) {
    long delay = Math.min(delayNanos, LONGEST_NANOS);
    TimedTask timer = new TimedTask(this, System.nanoTime() + delay, task);
    if (delay <= 0) {
      pool.execute(timer);
      return timer;
    }
    push(timer);
    if (!running) {
      startFor(timer);
    }
    wakeBefore(timer.dueNanos());
    return timer;
  }

  // Cancelled timers on top of the stack make room: where calls are answered at once there is
  // little else.
  private void push(TimedTask timer) {
    TimedTask latest;
    TimedTask below;
    do {
      latest = inbox.get();
      below = latest;
      for (int i = 0; i < MOST_REPLACED && below != null && !below.waits(); i++) {
        below = below.next();
      }
      timer.next(below);
    } while (!inbox.compareAndSet(latest, timer));
    while (latest != null && latest != below) {
      TimedTask next = latest.next();
      latest.next(latest);
      latest = next;
    }
  }

  private void startFor(TimedTask timer) {
    try {
      start();
    } catch (Throwable noThread) {
      if (pool.isAlive()) {
        pool.wakeIdle(); // a worker tries again
      } else if (timer.take() != null) {
        throw new RejectedExecutionException("no thread for timers can be started", noThread);
      }
    }
  }

  /** Has the thread look after the pool soon; starts it if need be. */
  void watchPool() {
    if (!running) {
      start();
    }
    wakeBefore(System.nanoTime() + LOOK_NANOS);
  }

  /** Whether there are timers and no thread, and none can be started. */
  boolean remainsStranded() {
    if (running || inbox.get() == null) {
      return false;
    }
    try {
      start();
      return false;
    } catch (Throwable noThread) {
      return true;
    }
  }

  private void start() {
    lock.lock();
    try {
      if (running) {
        return;
      }
      Thread started = threads.newThread(this::run);
      started.setName("steadfast-timer");
      started.start();
      thread = started;
      running = true;
    } finally {
      lock.unlock();
    }
  }

  private void wakeBefore(long dueNanos) {
    long planned = wakeAt;
    boolean earlier = planned != AWAKE && dueNanos - planned < 0;
    if (earlier && WAKE_AT.compareAndSet(this, planned, AWAKE)) {
      LockSupport.unpark(thread);
    }
  }

  private void run() {
    begin();
    boolean goesOn = true;
    while (goesOn) {
      try {
        goesOn = turn();
      } catch (Throwable broken) {
        LockSupport.parkNanos(this, LOOK_NANOS); // no memory, say; nothing is lost, so once more
      }
    }
  }

  private void begin() {
    lock.lock(); // released once the starting thread has marked this one as running
    try {
      idleSince = System.nanoTime();
      sweepAt = idleSince + TICK_NANOS;
    } finally {
      lock.unlock();
    }
  }

  /** Does what is to be done now and sleeps until there is more. Returns false at the end. */
  private boolean turn() {
    wakeAt = AWAKE;
    takeIn();
    long now = System.nanoTime();
    heap.removeDue(now, TimedTask::handOver);
    if (sweepAt - now <= 0) {
      sweepAt = now + TICK_NANOS;
      sweep();
    }
    boolean watching = pool.look(now);
    if (watching || !heap.isEmpty()) {
      idleSince = now;
    } else if (now - idleSince >= idleNanos && end()) {
      return false;
    }
    sleepUntil(nextLook(now, watching), watching);
    return true;
  }

  private void takeIn() {
    takeInRest(); // of the last time, if the heap could not grow
    rest = inbox.getAndSet(null);
    takeInRest();
  }

  private void takeInRest() {
    while (rest != null) {
      TimedTask each = rest;
      TimedTask next = each.next();
      if (each.waits()) {
        heap.add(each.dueNanos(), each);
      }
      each.leaveInbox(); // so that the handle of a timer keeps no other timer alive
      if (!each.waits()) {
        // Perhaps since the check above, when its canceller did not see that it is in the heap.
        cancelled = true;
      }
      rest = next;
    }
  }

  private void sweep() {
    if (cancelled) {
      cancelled = false; // before the look: what is cancelled from now on is seen the next time
      heap.removeIf(timer -> !timer.waits());
    }
  }

  private long nextLook(long now, boolean watching) {
    long next = watching ? now + LOOK_NANOS : sweepAt;
    if (sweepAt - next < 0) {
      next = sweepAt;
    }
    return !heap.isEmpty() && heap.firstDueNanos() - next < 0 ? heap.firstDueNanos() : next;
  }

  private void sleepUntil(long nanos, boolean watching) {
    long planned = nanos | 1;
    wakeAt = planned;
    if (anyNewBefore(planned) || (!watching && pool.hasWork())) {
      return;
    }
    long left = planned - System.nanoTime();
    if (left > 0) {
      LockSupport.parkNanos(this, left);
    }
    boolean ignored =
        Thread.interrupted(); // clears a stray interrupt, with which park would return at once
  }

  private boolean anyNewBefore(long nanos) {
    TimedTask each = inbox.get();
    while (each != null) {
      TimedTask next = each.next();
      if (each.dueNanos() - nanos < 0 || next == each) { // the latter has just been replaced
        return true;
      }
      each = next;
    }
    return false;
  }

  /** Whether the thread ends: not if a timer came in the meantime. */
  private boolean end() {
    lock.lock();
    try {
      running = false;
      if (inbox.get() != null || pool.hasWork()) {
        running = true;
        return false;
      }
      thread = null;
      return true;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void cancelledLate() {
    if (!cancelled) {
      cancelled = true;
    }
  }

  @Override
  public boolean handOver(TimedTask task) {
    return pool.handOver(task);
  }
}
