package dev.steadfast.retry.limit;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;

/**
 * A race that is here on purpose: if it is not found, the other tests of this module say nothing.
 */
class RacyProbeTest {
  /** Counts attempts, and loses one if two threads count at the same time. */
  public static class Racy {
    private int attempts;

    @Operation
    public int count() {
      attempts = attempts + 1;
      return attempts;
    }
  }

  @Test
  void aLostUpdateIsFound() {
    LincheckAssertionError found =
        assertThrows(LincheckAssertionError.class, () -> Schedules.check(Racy.class));
    assertTrue(found.getMessage().contains("count"), found::getMessage);
  }
}
