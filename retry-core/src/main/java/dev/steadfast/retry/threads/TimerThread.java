package dev.steadfast.retry.threads;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Timers, and the one thread that waits for them. It runs the short tasks that settle something
 * within the library: {@link #settle}. All other tasks may run code of the user's and block, so
 * they go to a {@link WorkerPool}. The thread starts with the first timer and ends after a time
 * without any. Safe for use by many threads.
 *
 * <p>A new timer is pushed on a stack, the inbox, from where the thread takes it into its heap.
 * While there may be timers the thread never sleeps longer than a tick, so only a timer that is due
 * before its next look has to wake it; a call that is answered at once schedules a timer and takes
 * it back without waking anybody. No wake-up is missed: a caller pushes its timer and then reads
 * {@link #wakeAt}; the thread writes that field and then looks through the inbox again.
 *
 * <p>Cancelling drops the task at once; the timer itself is unlinked at the next tick.
 *
 * <p>Whoever starts a thread waits until it runs, which can take half a second on a busy machine.
 * So the thread of the timers starts none: a second thread does, which lives as long as this one.
 */
final class TimerThread implements WorkerPool.Watch {
  /** The longest sleep, and how often cancelled timers are unlinked, in nanoseconds. */
  static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  // A bound on the work of one caller.
  private static final int MOST_REPLACED = 16;

  // Differences between any two times must fit a long.
  private static final long LONGEST_NANOS = Long.MAX_VALUE / 2;

  // Even, while each time in wakeAt is made odd.
  private static final long AWAKE = Long.MIN_VALUE;

  private static final AtomicLongFieldUpdater<TimerThread> WAKE_AT =
      AtomicLongFieldUpdater.newUpdater(TimerThread.class, "wakeAt");

  private final ThreadStarter threads;
  private final long idleNanos;
  private final ThreadPools pools;

  private final AtomicReference<@Nullable TimedTask> inbox = new AtomicReference<>();
  private volatile long wakeAt = AWAKE;
  private volatile boolean cancelled; // something in the heap was

  // Written under the lock.
  private final ReentrantLock lock = new ReentrantLock();
  private volatile boolean running;
  private volatile @Nullable Thread thread;
  private volatile @Nullable Thread starter; // of other threads; null if it could not be started

  // Belongs to the thread alone.
  private final TimerHeap<TimedTask> heap = new TimerHeap<>();
  private @Nullable TimedTask rest; // taken out of the inbox, and not yet in the heap
  private long sweepAt;
  private long idleSince;

  /**
   * No timers yet, and no thread.
   *
   * @param threads starts daemon threads
   * @param idleNanos how long a thread waits for work before it ends, in nanoseconds
   * @param workers how many workers there are before a task has to wait
   */
  TimerThread(ThreadStarter threads, long idleNanos, int workers) {
    this.threads = threads;
    this.idleNanos = idleNanos;
    this.pools =
        ThreadPools.of(workers, each -> new WorkerPool(this, this.threads, this.idleNanos, each));
  }

  ThreadPools pools() {
    return pools;
  }

  /**
   * Hands a task to the pool after a delay.
   *
   * @throws RejectedExecutionException if no thread can be started and none is there that could try
   *     again
   */
  TimedTask schedule(long delayNanos, Runnable task) {
    return delayNanos <= 0
        ? pools.workers().execute(task)
        : add(TimedTask.continuing(this, after(delayNanos), task));
  }

  /**
   * Runs a task on the thread of the timers, after a delay.
   *
   * @param task short; it never blocks and calls no code of the user's. If it throws an {@link
   *     OutOfMemoryError} it is run again a little later
   * @throws RejectedExecutionException as above
   */
  TimedTask settle(long delayNanos, Runnable task) {
    return add(TimedTask.settling(this, after(delayNanos), task));
  }

  private static long after(long delayNanos) {
    return System.nanoTime() + Math.min(Math.max(0, delayNanos), LONGEST_NANOS);
  }

  private TimedTask add(TimedTask timer) {
    push(timer);
    if (!running) {
      startFor(timer);
    }
    wakeBefore(timer.dueNanos());
    return timer;
  }

  // Cancelled timers on top of the stack make room: where calls are answered at once there is
  // little else.
  @SuppressWarnings("ReferenceEquality") // a task is equal to itself alone
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
      if (pools.workers().isAlive()) {
        pools.workers().wakeIdle(); // a worker tries again
      } else if (timer.take() != null) {
        throw new RejectedExecutionException("no thread for timers can be started", noThread);
      }
    }
  }

  /** Has the thread look after the pools soon; starts it if need be. */
  @Override
  public void watchPools() {
    if (!running) {
      start();
    }
    wakeBefore(System.nanoTime() + WorkerPool.LOOK_NANOS);
  }

  /** Whether there are timers and no thread, and none can be started. */
  @Override
  public boolean remainsStranded() {
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
      thread = threads.start("steadfast-timer", this::run);
      running = true;
      startStarter();
    } finally {
      lock.unlock();
    }
  }

  private void startStarter() {
    try {
      starter = threads.start("steadfast-starter", this::startThreads);
    } catch (Throwable noThread) {
      starter = null; // the thread of the timers starts the others itself
    }
  }

  private void startThreads() {
    while (isStarter(Thread.currentThread())) {
      pools.startWanted();
      LockSupport.park(this);
      boolean ignored = Thread.interrupted(); // as in sleepUntil
    }
  }

  private boolean isStarter(Thread self) {
    lock.lock(); // at first the starting thread has it, until it has noted this one
    try {
      return self.equals(starter);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void wantsThreads() {
    Thread other = starter;
    if (other == null) {
      pools.startWanted();
    } else {
      LockSupport.unpark(other);
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
    WorkerThread.settlesFromNowOn();
    begin();
    boolean goesOn = true;
    while (goesOn) {
      try {
        goesOn = turn();
      } catch (Throwable broken) {
        LockSupport.parkNanos(
            this, WorkerPool.LOOK_NANOS); // no memory, say; nothing is lost, so once more
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
    heap.removeDue(now, TimedTask::isDue);
    if (sweepAt - now <= 0) {
      sweepAt = now + TICK_NANOS;
      sweep();
    }
    boolean watching = pools.look(now);
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
    long next = watching ? now + WorkerPool.LOOK_NANOS : sweepAt;
    if (sweepAt - next < 0) {
      next = sweepAt;
    }
    long first = heap.isEmpty() ? next : heap.firstDueNanos();
    if (first - now <= 0) {
      return now + WorkerPool.LOOK_NANOS; // there was no memory for what is due
    }
    return first - next < 0 ? first : next;
  }

  private void sleepUntil(long nanos, boolean watching) {
    long planned = nanos | 1;
    wakeAt = planned;
    if (anyNewBefore(planned) || (!watching && pools.hasWork())) {
      return;
    }
    long left = planned - System.nanoTime();
    if (left > 0) {
      LockSupport.parkNanos(this, left);
    }
    boolean ignored =
        Thread.interrupted(); // clears a stray interrupt, with which park would return at once
  }

  @SuppressWarnings("ReferenceEquality") // a task is equal to itself alone
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
      if (inbox.get() != null || pools.hasWork()) {
        running = true;
        return false;
      }
      thread = null;
      Thread other = starter;
      starter = null;
      LockSupport.unpark(other);
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
    return pools.workers().handOver(task);
  }
}
