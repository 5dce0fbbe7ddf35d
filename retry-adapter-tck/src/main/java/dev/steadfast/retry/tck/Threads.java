package dev.steadfast.retry.tck;

import java.time.Duration;

/** Starting and ending the threads of the server. */
final class Threads {
  /** Far more than any thread needs; only a hook that ignores interrupts can use it up. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private Threads() {}

  static Thread daemon(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Waits for the end of a thread, also when interrupted: an interrupted test must not leave
   * threads behind. The interrupt is kept.
   *
   * @throws AssertionError with the stack of the thread if it does not end
   */
  static void join(Thread thread) {
    boolean interrupted = false;
    long end = System.nanoTime() + PATIENCE.toNanos();
    for (long left = PATIENCE.toNanos(); left > 0 && thread.isAlive(); ) {
      try {
        thread.join(left / 1_000_000 + 1);
      } catch (InterruptedException e) {
        interrupted = true;
      }
      left = end - System.nanoTime();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    if (thread.isAlive()) {
      AssertionError stuck = new AssertionError("still running: " + thread.getName());
      stuck.setStackTrace(thread.getStackTrace());
      throw stuck;
    }
  }
}
