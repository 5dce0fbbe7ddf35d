package dev.steadfast.retry.engine;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The few threads that run what timers and cancellations lead to. They start when there is work and
 * end after a time without any. Safe for use by many threads.
 *
 * <p>A task may block, as user code may run in it. So the pool grows by one thread when the first
 * task in its queue has waited for 20 ms. If no thread can be started, the task stays in the queue,
 * and the {@link TimerThread} tries again every 10 ms.
 *
 * <p>No task is left behind: a task is added before the adding thread looks for an idle worker, and
 * a worker enters itself as idle before it looks at the queue for the last time.
 */
final class WorkerPool {
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry");
  private static final int MOST_WORKERS = 64;
  private static final long LONGEST_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final TimerThread timers;
  private final ThreadFactory threads;
  private final long idleNanos;
  private final int usualWorkers;

  private final Queue<TimedTask> queue = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedDeque<Thread> idle = new ConcurrentLinkedDeque<>();
  private final AtomicLong started = new AtomicLong();

  // Written under the lock.
  private final ReentrantLock lock = new ReentrantLock();
  private final AtomicInteger workers = new AtomicInteger();
  private volatile boolean starved; // the last attempt to start a thread failed

  // Of the timer thread alone.
  private @Nullable TimedTask head;
  private long headSince;
  private long lookedAt;

  WorkerPool(TimerThread timers, ThreadFactory threads, long idleNanos, int usualWorkers) {
    this.timers = timers;
    this.threads = threads;
    this.idleNanos = idleNanos;
    this.usualWorkers = usualWorkers;
  }

  /**
   * Runs a task as soon as there is a thread for it.
   *
   * @throws RejectedExecutionException if no thread can be started and none is there that could try
   *     again
   */
  void execute(TimedTask task) {
    queue.add(task);
    if (wakeIdle() || startUnlessStarved()) {
      return;
    }
    try {
      timers.watchPool();
    } catch (Throwable noThread) {
      if (!isAlive() && task.take() != null) {
        queue.remove(task);
        throw new RejectedExecutionException("no thread can be started", noThread);
      }
    }
  }

  /** As execute, for the timer thread. Returns false if there is no memory for the task now. */
  boolean handOver(TimedTask task) {
    try {
      queue.add(task);
    } catch (OutOfMemoryError full) {
      return false;
    }
    if (!wakeIdle()) {
      startUnlessStarved();
    }
    return true;
  }

  private boolean startUnlessStarved() {
    return !starved && start(usualWorkers);
  }

  /** Adds a worker, unless there are as many as allowed. Returns false if none was added. */
  private boolean start(int most) {
    if (workers.get() >= most) {
      return false;
    }
    lock.lock();
    try {
      if (workers.get() >= most) {
        return false;
      }
      Thread worker = threads.newThread(this::work);
      worker.setName("steadfast-worker-" + started.incrementAndGet());
      worker.start();
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

  /** Called by the timer thread now and then. Returns true if tasks wait. */
  boolean look(long nowNanos) {
    TimedTask first = queue.peek();
    if (first == null) {
      head = null;
      return false;
    }
    if (!first.equals(head)) {
      head = first;
      headSince = nowNanos;
      lookedAt = nowNanos;
    } else if (nowNanos - lookedAt >= TimerThread.LOOK_NANOS) {
      lookedAt = nowNanos;
      boolean waitedLong = nowNanos - headSince >= LONGEST_WAIT_NANOS;
      if (!wakeIdle() && start(waitedLong ? MOST_WORKERS : usualWorkers)) {
        headSince = nowNanos;
      }
    }
    return true;
  }

  private void work() {
    boolean goesOn = true;
    while (goesOn) {
      try {
        goesOn = runNext();
      } catch (Throwable broken) {
        idle.remove(Thread.currentThread());
        LockSupport.parkNanos(this, TimerThread.LOOK_NANOS); // no memory, say; so once more
      }
    }
  }

  /** Returns false if the worker ends. */
  private boolean runNext() {
    TimedTask task = queue.poll();
    if (task == null) {
      task = await();
    }
    if (task == null) {
      return false;
    }
    run(task);
    Thread.interrupted(); // it was for the task
    Thread.currentThread().setContextClassLoader(null);
    timers.remainsStranded();
    return true;
  }

  /** Runs a task; what it throws is logged. */
  static void run(Runnable task) {
    try {
      task.run();
    } catch (Throwable thrown) {
      report(thrown);
    }
  }

  private static void report(Throwable thrown) {
    try {
      LOG.warn("a task of a timer or of a cancellation threw", thrown);
    } catch (Throwable broken) {
      // No memory for the message, say. The worker goes on.
    }
  }

  /** The next task; null if the worker ends. */
  private @Nullable TimedTask await() {
    Thread self = Thread.currentThread();
    long idleSince = System.nanoTime();
    while (true) {
      idle.addFirst(self);
      boolean stranded = timers.remainsStranded();
      if (queue.isEmpty()) {
        LockSupport.parkNanos(this, stranded ? TimerThread.LOOK_NANOS : idleNanos);
      }
      boolean woken = !idle.remove(self);
      TimedTask task = queue.poll();
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
      if (hasWork() || timers.remainsStranded()) {
        workers.incrementAndGet();
        return false;
      }
      return true;
    } finally {
      lock.unlock();
    }
  }
}
