package dev.steadfast.retry;

/**
 * A daemon thread of the library's own. It keeps nothing of the thread that made it: no context
 * class loader, no inherited thread-locals, and the topmost thread group, which is never destroyed.
 */
final class WorkerThread extends Thread {

  WorkerThread(Runnable body) {
    super(topGroup(), body, "steadfast", 0, false);
    setDaemon(true);
    setContextClassLoader(null);
  }

  /** Whether the calling thread belongs to the library. */
  static boolean isWorker() {
    return Thread.currentThread() instanceof WorkerThread;
  }

  private static ThreadGroup topGroup() {
    ThreadGroup group = Thread.currentThread().getThreadGroup();
    for (ThreadGroup parent = group.getParent(); parent != null; parent = group.getParent()) {
      group = parent;
    }
    return group;
  }
}
