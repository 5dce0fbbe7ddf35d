package dev.steadfast.retry.examples;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Plans who pays how much and what goes wrong: always the same for one seed. */
final class Faults {
  private static final Map<Fault, Integer> COUNTS = new EnumMap<>(Fault.class);

  static {
    COUNTS.put(Fault.ANSWER_LOST, 18);
    COUNTS.put(Fault.STILL_AT_WORK, 10);
    COUNTS.put(Fault.UNAVAILABLE, 12);
    COUNTS.put(Fault.UNAVAILABLE_WITH_SERVER_DELAY, 8);
    COUNTS.put(Fault.THROTTLED, 8);
    COUNTS.put(Fault.SLOW, 6);
    COUNTS.put(Fault.CONNECTION_REFUSED, 8);
    COUNTS.put(Fault.STALE_CONNECTION, 10);
    COUNTS.put(Fault.STREAM_REFUSED, 10);
  }

  private Faults() {}

  /** How often each fault is planned. */
  static Map<Fault, Integer> counts() {
    return Collections.unmodifiableMap(COUNTS);
  }

  /** How many payments meet a fault. */
  static int total() {
    return COUNTS.values().stream().mapToInt(Integer::intValue).sum();
  }

  /** The payments, each with its fault. */
  static List<Payment> plan(int payments, long seed) {
    Random random = new Random(seed);
    List<Fault> faults = new ArrayList<>(Collections.nCopies(payments - total(), Fault.NONE));
    COUNTS.forEach((fault, count) -> faults.addAll(Collections.nCopies(count, fault)));
    Collections.shuffle(faults, random);
    List<Payment> plan = new ArrayList<>();
    for (int i = 0; i < payments; i++) {
      plan.add(new Payment(i + 1, 100 + random.nextInt(20_000), faults.get(i)));
    }
    return List.copyOf(plan);
  }
}
