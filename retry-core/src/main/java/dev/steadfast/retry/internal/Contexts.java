package dev.steadfast.retry.internal;

import dev.steadfast.retry.ContextCapture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Carries the caller's context to other threads. */
public final class Contexts {
  private static final Logger LOG = LoggerFactory.getLogger("dev.steadfast.retry");

  private Contexts() {}

  /**
   * Restores a context on the calling thread. Neither this nor what it returns throws: a failure is
   * logged.
   *
   * @param snapshot null for none
   * @return undoes it
   */
  public static Runnable enter(ContextCapture.@Nullable Snapshot snapshot) {
    if (snapshot == null) {
      return () -> {};
    }
    AutoCloseable restored;
    try {
      restored = snapshot.restore();
    } catch (Throwable broken) {
      LOG.warn("the caller's context could not be restored; the call goes on", broken);
      return () -> {};
    }
    return () -> leave(restored);
  }

  private static void leave(@Nullable AutoCloseable restored) {
    try {
      if (restored != null) {
        restored.close();
      }
    } catch (Throwable broken) {
      LOG.warn("the caller's context could not be taken back; the call goes on", broken);
    }
  }

  /**
   * Carries both contexts. The second one is restored within the first.
   *
   * @param first null for none
   * @param second the other
   * @return the combination
   */
  public static ContextCapture both(@Nullable ContextCapture first, ContextCapture second) {
    if (first == null) {
      return second;
    }
    return () -> {
      ContextCapture.Snapshot outer = first.capture();
      ContextCapture.Snapshot inner = second.capture();
      return () -> restore(outer, inner);
    };
  }

  private static AutoCloseable restore(ContextCapture.Snapshot outer, ContextCapture.Snapshot inner)
      throws Exception {
    AutoCloseable first = outer.restore();
    AutoCloseable second;
    try {
      second = inner.restore();
    } catch (Throwable broken) {
      first.close();
      throw broken;
    }
    return () -> {
      try (first) {
        second.close();
      }
    };
  }
}
