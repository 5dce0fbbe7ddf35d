package dev.steadfast.retry.engine;

import dev.steadfast.retry.ContextCapture;
import dev.steadfast.retry.internal.Contexts;
import java.lang.ref.WeakReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The context of the thread that began an operation. Immutable. */
final class CallerContext {
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry");

  // Most operations begin with the same class loader and nothing else, so they share an object.
  // The reference is weak: nothing here keeps a class loader alive after the last operation.
  private static volatile WeakReference<@Nullable CallerContext> latest = new WeakReference<>(null);

  private final @Nullable ClassLoader classLoader;
  private final ContextCapture.@Nullable Snapshot snapshot;

  private CallerContext(
      @Nullable ClassLoader classLoader, ContextCapture.@Nullable Snapshot snapshot) {
    this.classLoader = classLoader;
    this.snapshot = snapshot;
  }

  @SuppressWarnings("ReferenceEquality") // a class loader is equal to itself alone
  static CallerContext capture(@Nullable ContextCapture capture) {
    ClassLoader classLoader = Thread.currentThread().getContextClassLoader();
    if (capture != null) {
      return new CallerContext(classLoader, capture.capture());
    }
    CallerContext shared = latest.get();
    if (shared == null || shared.classLoader != classLoader) {
      shared = new CallerContext(classLoader, null);
      latest = new WeakReference<>(shared);
    }
    return shared;
  }

  /**
   * Restores a context on the calling thread. Neither this nor what it returns throws.
   *
   * @param context null for none
   * @return undoes it
   */
  static Runnable restore(@Nullable CallerContext context) {
    if (context == null) {
      return CallerContext::nothingToUndo;
    }
    try {
      return context.restore();
    } catch (OutOfMemoryError full) { // the operation must go on
      return CallerContext::nothingToUndo;
    }
  }

  @SuppressWarnings("ReferenceEquality") // a class loader is equal to itself alone
  private Runnable restore() {
    ClassLoader before = Thread.currentThread().getContextClassLoader();
    if (snapshot == null && before == classLoader) {
      return CallerContext::nothingToUndo;
    }
    set(classLoader);
    Runnable leave = Contexts.enter(snapshot);
    return () -> {
      leave.run();
      set(before);
    };
  }

  private static void set(@Nullable ClassLoader classLoader) {
    try {
      Thread.currentThread().setContextClassLoader(classLoader);
    } catch (Throwable refused) { // some threads let nobody set it
      LOG.warn("a thread takes no context class loader; the operation goes on", refused);
    }
  }

  private static void nothingToUndo() {}
}
