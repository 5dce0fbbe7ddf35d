package dev.steadfast.retry;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * Carries what a thread has bound to it - logging context, trace, tenant - from the thread that
 * begins an asynchronous operation to the threads that go on with it. The context class loader is
 * carried without this.
 *
 * <pre>{@code
 * .context(ContextCapture.mdc())
 * .context(() -> Context.current()::makeCurrent)                   // OpenTelemetry
 * .context(() -> ContextSnapshotFactory.builder().build().captureAll()::setThreadLocals) // Micrometer
 * }</pre>
 *
 * <p>A blocking operation stays on its thread, so nothing is captured for it. The exception is
 * OkHttp's {@code RetryInterceptor}: it always captures in {@code newCall}, because the call may be
 * enqueued later. Implementations are safe for use by many threads.
 */
@FunctionalInterface
public interface ContextCapture {

  /**
   * {@return the context of the calling thread, taken once per operation, before anything is sent}
   * An exception goes to the caller, and nothing is sent.
   */
  Snapshot capture();

  /**
   * {@return a capture that copies all entries of slf4j's {@link MDC}, and on another thread
   * replaces those that are there} Immutable and safe for use by many threads.
   */
  static ContextCapture mdc() {
    return () -> {
      Map<String, String> captured = MDC.getCopyOfContextMap();
      return () -> {
        Map<String, String> before = MDC.getCopyOfContextMap();
        replaceMdc(captured);
        return () -> replaceMdc(before);
      };
    };
  }

  // Null stands for no entries, and not every binding takes it.
  private static void replaceMdc(@Nullable Map<String, String> entries) {
    if (entries == null) {
      MDC.clear();
    } else {
      MDC.setContextMap(entries);
    }
  }

  /** The context of one operation. */
  @FunctionalInterface
  interface Snapshot {
    /**
     * Restores the context on the calling thread. Called around each attempt, listener and callback
     * that runs on another thread than the one that began the operation.
     *
     * @return closed on the same thread, to bind again what was bound before
     * @throws Exception logged; the operation goes on without the context
     */
    AutoCloseable restore() throws Exception;
  }
}
