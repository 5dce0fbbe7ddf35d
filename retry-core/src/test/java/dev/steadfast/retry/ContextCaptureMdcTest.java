package dev.steadfast.retry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

/** The logging context of the caller takes the place of a thread's own, and goes again. */
class ContextCaptureMdcTest {
  private final ExecutorService other = Executors.newSingleThreadExecutor();

  @AfterEach
  void close() {
    MDC.clear();
    other.shutdown();
  }

  private static ContextCapture.Snapshot captured(Map<String, String> entries) {
    MDC.setContextMap(entries);
    return ContextCapture.mdc().capture();
  }

  @Test
  void theEntriesOfTheCallerReplaceThoseOfTheThread() throws Exception {
    ContextCapture.Snapshot snapshot = captured(Map.of("user", "ann", "order", "7"));
    MDC.put("user", "changed later");
    other
        .submit(() -> {
          MDC.setContextMap(Map.of("user", "bob", "worker", "1"));
          try (AutoCloseable restored = snapshot.restore()) {
            assertEquals(Map.of("user", "ann", "order", "7"), MDC.getCopyOfContextMap());
          }
          assertEquals(Map.of("user", "bob", "worker", "1"), MDC.getCopyOfContextMap());
          return null;
        })
        .get();
    assertEquals("changed later", MDC.get("user"));
  }

  @Test
  void aCallerWithoutEntriesHidesThoseOfTheThread() throws Exception {
    MDC.clear();
    ContextCapture.Snapshot snapshot = ContextCapture.mdc().capture();
    other
        .submit(() -> {
          MDC.setContextMap(Map.of("worker", "1"));
          try (AutoCloseable restored = snapshot.restore()) {
            assertNull(MDC.get("worker"));
          }
          assertEquals("1", MDC.get("worker"));
          return null;
        })
        .get();
  }

  @Test
  void aThreadWithoutEntriesHasNoneAfterwards() throws Exception {
    ContextCapture.Snapshot snapshot = captured(Map.of("user", "ann"));
    other
        .submit(() -> {
          MDC.clear();
          try (AutoCloseable restored = snapshot.restore()) {
            assertEquals("ann", MDC.get("user"));
          }
          assertNull(MDC.get("user"));
          return null;
        })
        .get();
  }
}
