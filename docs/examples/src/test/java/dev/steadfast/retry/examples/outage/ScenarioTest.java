package dev.steadfast.retry.examples.outage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

final class ScenarioTest {
  private static int recovery(long seed) {
    return Scenario.onPaper(seed).recovery(Scenario.STALL_ENDS).orElse(Integer.MAX_VALUE);
  }

  @Test
  void theDrawsOfTheRunAreTypical() {
    int[] recoveries = LongStream.range(0, 301).mapToInt(ScenarioTest::recovery).sorted().toArray();
    assertEquals(recoveries[150], recovery(Scenario.SEED), 1.0);
  }

  @Test
  void withoutRetriesTheClosedFormHolds() {
    double mean = LongStream.range(0, 301).mapToInt(ScenarioTest::recovery).average().orElseThrow();
    // The closed form ends when the wait is one timeout; the last five seconds need a little less.
    assertEquals(20 + 1.9, mean, 0.5);
    assertEquals("20 s (+-2)", Policy.NONE.expected(World.Kind.STALL));
  }

  @Test
  void theBudgetCostsAboutASecond() {
    assertEquals("21 s (+-2)", Policy.BUDGET.expected(World.Kind.STALL));
  }

  @Test
  void beforeTheStallNextToNothingFails() {
    Tally tally = Scenario.onPaper(Scenario.SEED);
    int failed =
        IntStream.range(0, Scenario.STALL_BEGINS - 1)
            .map(second -> tally.firstTriesIn(second) - tally.succeededIn(second))
            .sum();
    assertTrue(failed <= 1, failed + " failed");
  }
}
