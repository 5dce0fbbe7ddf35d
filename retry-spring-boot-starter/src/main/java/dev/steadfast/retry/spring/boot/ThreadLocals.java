package dev.steadfast.retry.spring.boot;

import dev.steadfast.retry.ContextCapture;
import io.micrometer.context.ContextSnapshot;
import io.micrometer.context.ContextSnapshotFactory;

/** The values that Micrometer carries between threads. Loaded only where it is there. */
final class ThreadLocals {
  private ThreadLocals() {}

  static ContextCapture capture() {
    ContextSnapshotFactory snapshots = ContextSnapshotFactory.builder().build();
    return () -> {
      ContextSnapshot taken = snapshots.captureAll();
      return taken::setThreadLocals;
    };
  }
}
