package dev.steadfast.retry.threads;

import java.security.AccessController;
import java.security.PrivilegedAction;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A daemon thread of the library's own. It keeps nothing of the thread that made it: no context
 * class loader, no inherited thread-locals, no access control context, and the topmost thread
 * group, which is never destroyed.
 */
public final class WorkerThread extends Thread {
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry");
  private boolean settles; // read and written on the thread itself

  @NotOnAndroid8
  private WorkerThread(ThreadGroup group, Runnable body, boolean inheritThreadLocals) {
    super(group, body, "steadfast", 0, inheritThreadLocals);
  }

  private WorkerThread(ThreadGroup group, Runnable body) {
    super(group, body, "steadfast");
  }

  /**
   * Makes a thread, not yet started.
   *
   * <p>A thread of a JDK before 24 keeps the class loaders of all callers on the stack of its
   * creator, for access control, unless it is made in a privileged action.
   */
  @SuppressWarnings("removal") // without it an undeployed application stays in memory
  public static WorkerThread make(Runnable body) {
    PrivilegedAction<WorkerThread> making = () -> configured(body);
    try {
      return AccessController.doPrivileged(making);
    } catch (LinkageError removed) {
      return making.run(); // a later JDK has neither the class nor the need
    }
  }

  /** Makes a thread and starts it. */
  static WorkerThread startDaemon(String name, Runnable body) {
    WorkerThread made = make(body);
    made.setName(name);
    made.start();
    return made;
  }

  private static WorkerThread configured(Runnable body) {
    WorkerThread made = create(topGroup(), body);
    made.setDaemon(true);
    made.setContextClassLoader(null);
    return made;
  }

  // Android 8 passes thread-locals on to every new thread.
  private static WorkerThread create(ThreadGroup group, Runnable body) {
    try {
      return new WorkerThread(group, body, false);
    } catch (NoSuchMethodError early) {
      return new WorkerThread(group, body);
    }
  }

  /** Runs a task; what it throws is logged. */
  static void runLogged(Runnable task) {
    try {
      task.run();
    } catch (Throwable thrown) {
      log(thrown);
    }
  }

  private static void log(Throwable thrown) {
    try {
      LOG.warn("a task of a timer or of a cancellation threw", thrown);
    } catch (Throwable broken) {
      // No memory for the message, say. The thread goes on.
    }
  }

  /** Whether the calling thread belongs to the library. */
  public static boolean isWorker() {
    return Thread.currentThread() instanceof WorkerThread;
  }

  /** Marks the calling thread as that of the timers, where nothing may take long. */
  static void settlesFromNowOn() {
    if (Thread.currentThread() instanceof WorkerThread own) {
      own.settles = true;
    }
  }

  /** Whether the calling thread is that of the timers. */
  public static boolean isSettling() {
    return Thread.currentThread() instanceof WorkerThread own && own.settles;
  }

  /** Lets another thread take the few steps that the calling one waits for. */
  public static void giveWay() {
    LockSupport.parkNanos(1); // not a busy wait: the other one may have lost its processor
  }

  private static ThreadGroup topGroup() {
    ThreadGroup group = Thread.currentThread().getThreadGroup();
    for (ThreadGroup parent = group.getParent(); parent != null; parent = group.getParent()) {
      group = parent;
    }
    return group;
  }
}
