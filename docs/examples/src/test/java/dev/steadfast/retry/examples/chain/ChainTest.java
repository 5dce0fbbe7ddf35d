package dev.steadfast.retry.examples.chain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class ChainTest {
  private static final long SEED = 7;

  private static long bottom(Layering layering, double p, int requests) throws Exception {
    try (CallChain chain = new CallChain(layering, new Coin(SEED, p))) {
      return chain.run(requests).bottom();
    }
  }

  @Test
  void everyLayer_multiplies() throws Exception {
    assertEquals(2 * 81, bottom(Layering.EVERY_LAYER, 1, 2));
  }

  @Test
  void oneOwner_doesNot() throws Exception {
    assertEquals(5 * 3, bottom(Layering.ONE_OWNER, 1, 5));
  }

  @Test
  void budget_endsRetriesWhereNothingSucceeds() throws Exception {
    try (CallChain chain = new CallChain(Layering.BUDGET, new Coin(SEED, 1))) {
      Run run = chain.run(100);
      // Ten to begin with, and one per second: real ones, however many of them it takes.
      double most = 110 + run.seconds();
      assertTrue(run.bottom() >= 110 && run.bottom() <= most, run::toString);
    }
  }

  @Test
  void numbers_areThoseOfTheLastRun() throws Exception {
    assertEquals(bottom(Layering.EVERY_LAYER, 0.5, 20), bottom(Layering.EVERY_LAYER, 0.5, 20));
    assertTrue(bottom(Layering.ONE_OWNER, 0.5, 20) < 60);
  }

  @Test
  void line_isForMachines_andTheClosedFormsDecide() {
    Map<Layering, Run> runs = new EnumMap<>(Layering.class);
    runs.put(Layering.EVERY_LAYER, new Run(1_000, 80_000, 9));
    runs.put(Layering.ONE_OWNER, new Run(1_000, 3_000, 2));
    runs.put(Layering.BUDGET, new Run(1_000, 1_012, 2));
    Row row = new Row(1, runs);
    assertEquals("chain p=1.0 every-layer=80.00 one-owner=3.00 budget=1.01", row.line());
    assertTrue(row.asExpected());

    runs.put(Layering.EVERY_LAYER, new Run(1_000, 76_000, 9)); // more than 5 % below 81
    assertEquals(false, row.asExpected());
  }
}
