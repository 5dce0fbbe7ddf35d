package dev.steadfast.retry.internal;

import dev.steadfast.retry.ContextCapture;
import org.jspecify.annotations.Nullable;

/** Combines what carries the caller's context to other threads. */
public final class Contexts {
  private Contexts() {}

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
