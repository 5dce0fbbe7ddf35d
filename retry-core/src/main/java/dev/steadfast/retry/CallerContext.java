package dev.steadfast.retry;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The context of the thread that began an operation. Immutable. */
final class CallerContext {
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry");

  private final @Nullable ClassLoader classLoader;
  private final ContextCapture.@Nullable Snapshot snapshot;

  private CallerContext(
      @Nullable ClassLoader classLoader, ContextCapture.@Nullable Snapshot snapshot) {
    this.classLoader = classLoader;
    this.snapshot = snapshot;
  }

  static CallerContext capture(@Nullable ContextCapture capture) {
    return new CallerContext(
        Thread.currentThread().getContextClassLoader(), capture == null ? null : capture.capture());
  }

  /**
   * Restores it on the calling thread.
   *
   * @param context null for none
   * @return undoes it
   */
  @SuppressWarnings("ReferenceEquality") // a class loader is equal to itself alone
  static Runnable restore(@Nullable CallerContext context) {
    if (context == null) {
      return CallerContext::nothingToUndo;
    }
    ClassLoader before = Thread.currentThread().getContextClassLoader();
    if (context.snapshot == null && before == context.classLoader) {
      return CallerContext::nothingToUndo;
    }
    Thread.currentThread().setContextClassLoader(context.classLoader);
    AutoCloseable restored = open(context.snapshot);
    return () -> {
      close(restored);
      Thread.currentThread().setContextClassLoader(before);
    };
  }

  private static void nothingToUndo() {}

  private static @Nullable AutoCloseable open(ContextCapture.@Nullable Snapshot snapshot) {
    try {
      return snapshot == null ? null : snapshot.restore();
    } catch (Throwable broken) {
      LOG.warn("the caller's context could not be restored; the operation goes on", broken);
      return null;
    }
  }

  private static void close(@Nullable AutoCloseable restored) {
    try {
      if (restored != null) {
        restored.close();
      }
    } catch (Throwable broken) {
      LOG.warn("the caller's context could not be taken back; the operation goes on", broken);
    }
  }
}
