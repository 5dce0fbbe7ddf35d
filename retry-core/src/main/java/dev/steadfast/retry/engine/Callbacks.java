package dev.steadfast.retry.engine;

import dev.steadfast.retry.threads.TimerScheduler;
import dev.steadfast.retry.threads.WorkerThread;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Chooses threads for code that may call user code. Callbacks run where the client runs them, not
 * on the few threads of the library. The thread that cancels runs nothing of what follows.
 */
final class Callbacks {
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry");

  private Callbacks() {}

  static void run(Operation<?> operation, @Nullable CallerContext context, Runnable callback) {
    if (!WorkerThread.isWorker()) {
      callback.run();
      return;
    }
    Once once = new Once(callback);
    try {
      operation.transport().callBack(() -> within(context, once));
    } catch (Throwable thrown) {
      if (once.taken()) {
        throw thrown; // by the callback itself, say, on an executor that runs it at once
      }
      LOG.warn(
          "an executor refused a callback, which runs on another thread: {}", operation, thrown);
      once.run();
    }
  }

  /** Runs the callback the first time: an executor may throw although it runs what it was given. */
  private static final class Once implements Runnable {
    private final AtomicReference<@Nullable Runnable> callback;

    Once(Runnable callback) {
      this.callback = new AtomicReference<>(callback);
    }

    boolean taken() {
      return callback.get() == null;
    }

    @Override
    public void run() {
      Runnable first = callback.getAndSet(null);
      if (first != null) {
        first.run();
      }
    }
  }

  /** Runs something with the context of the caller on this thread. */
  static void within(@Nullable CallerContext context, Runnable callback) {
    Runnable undo = CallerContext.restore(context);
    try {
      callback.run();
    } finally {
      undo.run();
    }
  }

  /** Goes on with an operation, where the thread of the timers has settled something. */
  static void goOn(Operation<?> operation, Runnable continuation) {
    if (operation.plan().environment().scheduler() instanceof TimerScheduler own) {
      own.execute(continuation);
    } else { // another one may block, or refuse
      operation.plan().threads().goOn(() -> afterCancel(operation, continuation));
    }
  }

  /**
   * Runs what follows a cancellation. It runs on the canceller's thread only where nobody else
   * takes it: the operation must end.
   */
  static void afterCancel(Operation<?> operation, Runnable continuation) {
    try {
      operation.plan().environment().scheduler().execute(continuation);
    } catch (Throwable refused) {
      LOG.warn("a scheduler refused a task, which runs on another thread: {}", operation, refused);
      afterRefusal(operation, continuation);
    }
  }

  private static void afterRefusal(Operation<?> operation, Runnable continuation) {
    try {
      TimerScheduler.system().execute(continuation);
    } catch (Throwable noThread) {
      LOG.warn("no thread takes a task, which runs on the canceller's: {}", operation, noThread);
      continuation.run();
    }
  }
}
