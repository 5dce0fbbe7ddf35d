package dev.steadfast.retry.threads;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The library's threads for one kind of work, a lane. They start when there is work and end after a
 * time without any. Safe for use by many threads.
 *
 * <p>A task may block, as user code may run in it. So the pool grows while its oldest task is 20 ms
 * overdue, without a limit on the number of threads but with one on their rate. An additional
 * thread begins with a new task. So a task that comes after thousands that block does not wait for
 * them all. If no thread can be started, the tasks stay, and the {@link Watch} tries again every 10
 * ms.
 *
 * <p>No task is left behind: a task is added before the adding thread looks for an idle worker, and
 * a worker enters itself as idle before it looks for tasks for the last time.
 */
final class WorkerPool {
  // Why it is like this: docs/decisions/threads-and-timers.md
  /** How often somebody looks after tasks that no worker has taken, in nanoseconds. */
  static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private static final long LONGEST_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  // How the pool grows: by a few at each look while few of its threads get on with their tasks; by
  // one at each look when it is large; and slowly if all it lacks is processor time.
  private static final int MOST_AT_ONCE = 8;
  private static final int MOST_DOUBLED = 32;
  private static final int LARGE = 64;
  private static final long SLOW_GROWTH_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final Watch watch;
  private final ThreadStarter threads;
  private final long idleNanos;
  private final Role lane;

  private final TaskQueue queue = new TaskQueue();
  private final ConcurrentLinkedDeque<Thread> idle = new ConcurrentLinkedDeque<>();
  private final Set<Worker> all = ConcurrentHashMap.newKeySet();
  private final AtomicLong started = new AtomicLong();

  // Written under the lock.
  private final ReentrantLock lock = new ReentrantLock();
  private final AtomicInteger workers = new AtomicInteger();
  private volatile boolean starved; // the last attempt to start a thread failed

  // How many threads the timer thread wants and does not start itself: of the usual ones, and more.
  private final AtomicInteger wanted = new AtomicInteger();
  private final AtomicInteger wantedLate = new AtomicInteger();

  // Belongs to the timer thread alone.
  private long lookedAt;
  private long grewAt;

  /** Looks after pools whose tasks wait: the thread of the timers. */
  interface Watch extends TimedTask.Keeper {
    /** Begins to call {@link #look} soon, and starts a thread for it if need be. */
    void watchPools();

    /** Whether there are timers and no thread that waits for them, and none can be started. */
    boolean remainsStranded();

    /** Has {@link #startWanted} called, on a thread that may wait for a thread to start. */
    void wantsThreads();
  }

  /**
   * The lane that a pool serves.
   *
   * @param name of its threads
   * @param usualWorkers how many there are before a task has to wait
   * @param doubles whether it becomes twice as large while all its threads are held, because many
   *     operations may wait for its tasks
   */
  record Role(String name, int usualWorkers, boolean doubles) {}

  WorkerPool(Watch watch, ThreadStarter threads, long idleNanos, Role lane) {
    this.watch = watch;
    this.threads = threads;
    this.idleNanos = idleNanos;
    this.lane = lane;
    this.lookedAt = System.nanoTime();
    this.grewAt = lookedAt;
  }

  /**
   * Runs a task as soon as there is a thread for it.
   *
   * @throws RejectedExecutionException if no thread can be started and none is there that could try
   *     again
   */
  TimedTask execute(Runnable action) {
    TimedTask task = TimedTask.continuing(watch, System.nanoTime(), action);
    queue.addEnd(task);
    if (wakeIdle()) {
      return task;
    }
    if (WorkerThread.isSettling()) {
      want(wanted); // the timer thread looks again in any case
      return task;
    }
    if (startUnlessStarved()) {
      return task;
    }
    try {
      watch.watchPools();
    } catch (Throwable noThread) {
      if (!isAlive() && task.take() != null) {
        queue.remove(task);
        throw new RejectedExecutionException("no thread can be started", noThread);
      }
    }
    return task;
  }

  /** As execute, for a timer that is due. Returns false if there is no memory for it now. */
  boolean handOver(TimedTask task) {
    try {
      queue.addBegin(task);
    } catch (OutOfMemoryError full) {
      return false;
    }
    if (!wakeIdle() && !starved && workers.get() < lane.usualWorkers()) {
      want(wanted);
    }
    return true;
  }

  private boolean startUnlessStarved() {
    return !starved && workers.get() < lane.usualWorkers() && start(lane.usualWorkers(), false);
  }

  private void want(AtomicInteger threads) {
    threads.incrementAndGet();
    watch.wantsThreads();
  }

  /** Starts the threads that the timer thread wants. Any thread but that one may call it. */
  void startWanted() {
    for (int i = wanted.getAndSet(0); i > 0 && start(lane.usualWorkers(), false); i--) {}
    for (int i = wantedLate.getAndSet(0); i > 0 && start(Integer.MAX_VALUE, true); i--) {}
  }

  /** Adds a worker, unless there are as many as allowed. Returns false if none was added. */
  private boolean start(int most, boolean late) {
    lock.lock();
    try {
      if (workers.get() >= most) {
        return false;
      }
      long number = started.incrementAndGet();
      Worker worker = new Worker(late ? number % 2 == 0 : null);
      all.add(worker);
      try {
        worker.thread = threads.start("steadfast-" + lane.name() + "-" + number, worker);
      } catch (Throwable noThread) {
        all.remove(worker);
        throw noThread;
      }
      workers.incrementAndGet();
      starved = false;
      return true;
    } catch (Throwable noThread) {
      starved = true;
      return false;
    } finally {
      lock.unlock();
    }
  }

  /** Whether there is a worker: then a task that was added will be run. */
  boolean isAlive() {
    return workers.get() > 0;
  }

  boolean hasWork() {
    return !queue.isEmpty();
  }

  int workers() {
    return workers.get();
  }

  boolean wakeIdle() {
    Thread worker = idle.pollFirst();
    if (worker == null) {
      return false;
    }
    LockSupport.unpark(worker);
    return true;
  }

  // Growth.

  /** Called by the timer thread now and then. Returns true if tasks wait. */
  boolean look(long nowNanos) {
    if (!hasWork()) {
      return false;
    }
    if (nowNanos - lookedAt >= LOOK_NANOS) {
      lookedAt = nowNanos;
      if (!wakeIdle()) {
        grow(nowNanos);
      }
    }
    return true;
  }

  private void grow(long nowNanos) {
    if (workers.get() < lane.usualWorkers()) {
      want(wanted);
      return;
    }
    if (!queue.isAnyDueBefore(nowNanos - LONGEST_WAIT_NANOS)) {
      return;
    }
    int more = more(nowNanos);
    if (more > 0) {
      grewAt = nowNanos;
      wantedLate.set(more - 1); // what has not been started since the last look is wanted no more
      want(wantedLate);
    }
  }

  private int more(long nowNanos) {
    int more = lane.usualWorkers() - gettingOn(nowNanos);
    if (more <= 0) {
      return nowNanos - grewAt >= SLOW_GROWTH_NANOS ? 1 : 0;
    }
    if (lane.doubles()) {
      return queue.sizeUpTo(Math.min(workers.get(), MOST_DOUBLED));
    }
    return workers.get() >= LARGE ? 1 : Math.min(more, MOST_AT_ONCE);
  }

  /** How many workers do not seem to be held by their tasks; at most as many as usual. */
  private int gettingOn(long nowNanos) {
    int count = 0;
    for (Worker each : all) {
      if (!each.isHeld(nowNanos) && ++count == lane.usualWorkers()) {
        break;
      }
    }
    return count;
  }

  // Work.

  /** One thread. */
  private final class Worker implements Runnable {
    // A thread that only waits for a processor is not held. But one that waits within the system,
    // for a socket for instance, looks the same, so this holds for a time.
    private static final long LONGEST_RUN_NANOS = 25 * LOOK_NANOS;

    private @Nullable Boolean newestEnd; // the kind of its first task, the newest; null: any
    private volatile @Nullable Thread thread;
    private volatile long sinceNanos = System.nanoTime(); // in its task
    private volatile boolean busy = true;

    Worker(@Nullable Boolean newestEnd) {
      this.newestEnd = newestEnd;
    }

    boolean isHeld(long nowNanos) {
      long took = nowNanos - sinceNanos;
      Thread of = thread;
      return busy
          && took >= LOOK_NANOS
          && (took >= LONGEST_RUN_NANOS || (of != null && of.getState() != Thread.State.RUNNABLE));
    }

    @Override
    public void run() {
      boolean goesOn = true;
      while (goesOn) {
        try {
          goesOn = runNext();
        } catch (Throwable broken) {
          idle.remove(Thread.currentThread());
          LockSupport.parkNanos(this, LOOK_NANOS); // no memory, say; so once more
        }
      }
      all.remove(this);
    }

    /** Returns false if the worker ends. */
    private boolean runNext() {
      TimedTask task = poll();
      if (task == null) {
        busy = false;
        task = await();
      }
      if (task == null) {
        return false;
      }
      sinceNanos = System.nanoTime();
      busy = true;
      WorkerThread.runLogged(task);
      Thread.interrupted(); // it was for the task
      Thread.currentThread().setContextClassLoader(null);
      watch.remainsStranded();
      return true;
    }

    private @Nullable TimedTask poll() {
      Boolean first = newestEnd;
      newestEnd = null;
      TimedTask task = first == null ? null : queue.pollNewest(first);
      return task == null ? queue.poll() : task;
    }

    /** The next task; null if the worker ends. */
    private @Nullable TimedTask await() {
      Thread self = Thread.currentThread();
      long idleSince = System.nanoTime();
      while (true) {
        idle.addFirst(self);
        boolean stranded = watch.remainsStranded();
        if (!hasWork()) {
          LockSupport.parkNanos(this, stranded ? LOOK_NANOS : idleNanos);
        }
        boolean woken = !idle.remove(self);
        TimedTask task = poll();
        if (task != null) {
          if (woken && hasWork()) {
            wakeIdle(); // it may have been woken for another task than this one
          }
          return task;
        }
        if (!woken && System.nanoTime() - idleSince >= idleNanos && ends()) {
          return null;
        }
      }
    }

    /** Whether the worker ends: not if a task or a timer came in the meantime. */
    private boolean ends() {
      lock.lock();
      try {
        workers.decrementAndGet();
        if (hasWork() || watch.remainsStranded()) {
          workers.incrementAndGet();
          return false;
        }
        return true;
      } finally {
        lock.unlock();
      }
    }
  }
}
