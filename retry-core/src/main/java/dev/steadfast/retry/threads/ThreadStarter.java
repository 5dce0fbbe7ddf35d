package dev.steadfast.retry.threads;

/** Starts the threads of the library. A test may fail, or run the body on a thread of its own. */
@FunctionalInterface
interface ThreadStarter {
  /**
   * Starts a daemon thread.
   *
   * @return the thread, which may have ended already
   * @throws OutOfMemoryError if the process can have no more threads
   */
  Thread start(String name, Runnable body);
}
