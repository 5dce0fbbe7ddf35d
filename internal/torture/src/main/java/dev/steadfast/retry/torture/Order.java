package dev.steadfast.retry.torture;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Compares the order of sequences with that of the payments. */
final class Order {
  private Order() {}

  /** The operations that were done before an earlier one of their sequence. */
  static List<Finding> judge(Collection<Facts> all) {
    Map<String, List<Facts>> sequences = new TreeMap<>();
    for (Facts facts : all) {
      if (facts.row() != null && facts.row().place() != null && facts.effects() > 0) {
        sequences
            .computeIfAbsent(facts.row().place().sequence(), each -> new ArrayList<>())
            .add(facts);
      }
    }
    List<Finding> findings = new ArrayList<>();
    for (List<Facts> sequence : sequences.values()) {
      sequence.sort(Comparator.comparingLong(each -> each.row().place().number()));
      for (int i = 1; i < sequence.size(); i++) {
        if (first(sequence.get(i)) < first(sequence.get(i - 1))) {
          String earlier = sequence.get(i - 1).operation().intent();
          findings.add(
              new Finding(
                  Finding.Kind.WRONG,
                  "was done before " + earlier + ", which its sequence has before it",
                  sequence.get(i)));
        }
      }
    }
    return findings;
  }

  private static long first(Facts facts) {
    return facts.payments().get(0).number();
  }
}
