package dev.steadfast.retry.examples.chain;

import java.util.Locale;
import java.util.Map;

/** What was measured where the bottom fails with probability p. */
record Row(double p, Map<Layering, Run> runs) {
  String line() {
    return String.format(
        Locale.ROOT,
        "chain p=%.1f every-layer=%.2f one-owner=%.2f budget=%.2f",
        p,
        runs.get(Layering.EVERY_LAYER).amplification(),
        runs.get(Layering.ONE_OWNER).amplification(),
        runs.get(Layering.BUDGET).amplification());
  }

  boolean asExpected() {
    return runs.entrySet().stream().allMatch(each -> each.getKey().holds(p, each.getValue()));
  }
}
