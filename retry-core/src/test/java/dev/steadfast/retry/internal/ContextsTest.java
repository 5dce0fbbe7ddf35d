package dev.steadfast.retry.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.steadfast.retry.ContextCapture;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Two contexts are captured, restored and undone together. */
class ContextsTest {
  private final List<String> events = new ArrayList<>();

  private ContextCapture capture(String name) {
    return () -> {
      events.add("capture " + name);
      return () -> {
        events.add("restore " + name);
        return () -> events.add("undo " + name);
      };
    };
  }

  @Test
  void theSecondIsRestoredWithinTheFirst() throws Exception {
    ContextCapture.Snapshot both = Contexts.both(capture("a"), capture("b")).capture();
    both.restore().close();
    assertEquals(
        List.of("capture a", "capture b", "restore a", "restore b", "undo b", "undo a"), events);
  }

  @Test
  void theFirstIsUndone_ifTheSecondThrows() throws Exception {
    IOException own = new IOException();
    ContextCapture throwing =
        () ->
            () -> {
              throw own;
            };
    ContextCapture.Snapshot both = Contexts.both(capture("a"), throwing).capture();
    assertSame(own, assertThrows(IOException.class, both::restore));
    assertEquals(List.of("capture a", "restore a", "undo a"), events);

    events.clear();
    ContextCapture undone =
        () ->
            () ->
                () -> {
                  throw own;
                };
    AutoCloseable restored = Contexts.both(capture("a"), undone).capture().restore();
    assertSame(own, assertThrows(IOException.class, restored::close));
    assertEquals(List.of("capture a", "restore a", "undo a"), events);
  }

  @Test
  void withoutAFirst_itIsTheSecond() {
    ContextCapture only = capture("a");
    assertSame(only, Contexts.both(null, only));
  }
}
