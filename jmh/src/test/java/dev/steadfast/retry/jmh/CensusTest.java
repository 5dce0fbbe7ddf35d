package dev.steadfast.retry.jmh;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class CensusTest {

  /** What an operation that waits consists of, and nothing twice. */
  @Test
  void countsTheObjectsOfOperationsThatWait() throws Exception {
    var counts = Census.waiting(1_000);
    assertEquals(1_000, counts.get("dev.steadfast.retry.engine.OperationLoop").objects());
    assertEquals(1_000, counts.get("dev.steadfast.retry.engine.AsyncWait").objects());
  }
}
