package dev.steadfast.retry.micrometer;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Registers and removes meters, one task after the other, on a thread that is not the operation's.
 * A registry that does so takes locks and calls filters and listeners of the user's, and may block.
 *
 * <p>A task also records the value that came first, so that no value is lost while the task waits.
 * The operation waits for its task a short time, so that as a rule the value is recorded when the
 * call returns. Once that time was too short, no operation waits until all tasks are done.
 */
final class Registrar {
  /**
   * No further value waits behind so many tasks: a registry that hangs must not fill the memory.
   */
  static final int MOST_TASKS = 4096;

  private static final long LONGEST_WAIT_MILLIS = 50;

  /** A task, and whether it is done. */
  private record Task(Runnable action, CountDownLatch done) {}

  private final LinkedBlockingQueue<Task> tasks = new LinkedBlockingQueue<>();
  private final AtomicBoolean running = new AtomicBoolean();
  private final Executor executor;
  private final Consumer<Throwable> broken;
  private volatile boolean late;
  private volatile boolean dropped;

  /**
   * There are no tasks yet.
   *
   * @param executor runs the tasks
   * @param broken told what a task threw
   */
  Registrar(Executor executor, Consumer<Throwable> broken) {
    this.executor = executor;
    this.broken = broken;
  }

  /** Runs a task elsewhere, and waits a short time for its end. Too many such tasks are dropped. */
  void run(Runnable action) {
    if (tasks.size() >= MOST_TASKS) {
      drop();
      return;
    }
    Task task = add(action);
    if (late) {
      return;
    }
    try {
      if (!task.done().await(LONGEST_WAIT_MILLIS, TimeUnit.MILLISECONDS)) {
        late = true;
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt(); // for the operation, which handles it
    }
  }

  /** Runs a task elsewhere. It is never dropped; there are few, as the origins are bounded. */
  void runLater(Runnable action) {
    add(action);
  }

  private Task add(Runnable action) {
    Task task = new Task(action, new CountDownLatch(1));
    tasks.add(task);
    start();
    return task;
  }

  private void drop() {
    if (!dropped) {
      dropped = true;
      broken.accept(
          new IllegalStateException(
              MOST_TASKS + " values wait for the registry; further ones are dropped"));
    }
    start();
  }

  private void start() {
    if (tasks.isEmpty() || !running.compareAndSet(false, true)) {
      return;
    }
    try {
      executor.execute(this::runAll);
    } catch (Throwable rejected) {
      running.set(false); // the next call tries again
      broken.accept(rejected);
    }
  }

  private void runAll() {
    for (Task task = tasks.poll(); task != null; task = tasks.poll()) {
      try {
        task.action().run();
      } catch (Throwable thrown) {
        broken.accept(thrown);
      } finally {
        task.done().countDown();
      }
    }
    late = false;
    running.set(false);
    start(); // a task may have come after the last poll
  }
}
