package dev.steadfast.retry.engine;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs callbacks where the client runs them, and not on the few threads of the library. */
final class Callbacks {
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry");

  private Callbacks() {}

  static void run(Operation<?> operation, @Nullable CallerContext context, Runnable callback) {
    if (!WorkerThread.isWorker()) {
      callback.run();
      return;
    }
    try {
      operation.transport().callBack(() -> within(context, callback));
    } catch (Throwable refused) {
      LOG.warn(
          "an executor refused a callback, which runs on another thread: {}", operation, refused);
      callback.run();
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
}
