package dev.steadfast.retry.torture;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Makes the operations and their faults from a seed. */
final class Workload {
  static final int CLIENTS = 4;
  private static final int PER_MINUTE = 720;
  private static final List<Mix> OF_DEATHS = List.of(Mix.KEYED, Mix.KEYLESS, Mix.SHORT);
  private static final long TOO_MUCH = 2_000_000;

  private final Random random;
  private final double minutes;

  private Workload(long seed, double minutes) {
    this.random = new Random(seed);
    this.minutes = minutes;
  }

  /** The operations in the order of their times. */
  static List<Op> of(long seed, double minutes) {
    return new Workload(seed, minutes).operations();
  }

  private List<Op> operations() {
    int count = (int) Math.round(PER_MINUTE * minutes);
    List<Mix> mixes = mixes(count);
    Fault[] faults = faults(mixes);
    List<Op> operations = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      operations.add(operation(i, mixes.get(i), faults[i]));
    }
    return operations;
  }

  private Op operation(int i, Mix mix, Fault fault) {
    boolean declined = fault == null && random.nextInt(20) == 0;
    int mode = random.nextInt(20);
    return new Op(
        "i%06d".formatted(i),
        random.nextInt(CLIENTS),
        Math.round(i * 60_000.0 / PER_MINUTE),
        mix,
        mode == 0 ? Op.Mode.ENLIST : mode == 1 ? Op.Mode.ENLIST_AND_CALL : Op.Mode.CALL,
        declined ? TOO_MUCH : 1 + random.nextInt(100_000),
        new Op.Style(random.nextBoolean(), random.nextBoolean()),
        fault);
  }

  /** Exactly a tenth of each of the two rare kinds. */
  private List<Mix> mixes(int count) {
    List<Mix> mixes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      mixes.add(i % 10 == 0 ? Mix.KEYLESS : i % 10 == 1 ? Mix.SHORT : Mix.KEYED);
    }
    Collections.shuffle(mixes, random);
    return mixes;
  }

  /** One fault for an operation at most. */
  private Fault[] faults(List<Mix> mixes) {
    Map<Mix, Deque<Integer>> free = free(mixes);
    Fault[] faults = new Fault[mixes.size()];
    for (int round = 0; round < Fault.planned(minutes); round++) {
      for (Fault fault : Fault.all(Fault.Where.OPERATION)) {
        Integer target = free.get(mix(fault, round)).poll();
        if (target != null) {
          faults[target] = fault;
        }
      }
    }
    return faults;
  }

  private Map<Mix, Deque<Integer>> free(List<Mix> mixes) {
    Map<Mix, List<Integer>> byMix = new EnumMap<>(Mix.class);
    for (int i = 0; i < mixes.size(); i++) {
      byMix.computeIfAbsent(mixes.get(i), each -> new ArrayList<>()).add(i);
    }
    Map<Mix, Deque<Integer>> free = new EnumMap<>(Mix.class);
    for (Mix mix : Mix.values()) {
      List<Integer> indices = byMix.getOrDefault(mix, new ArrayList<>());
      Collections.shuffle(indices, random);
      free.put(mix, new ArrayDeque<>(indices));
    }
    return free;
  }

  /**
   * The rare kinds get more than their share of the deaths of a client: what they promise counts
   * there. A request of the short kind is never delivered late, because no client can know of that.
   */
  private Mix mix(Fault fault, int round) {
    if (fault.killsClient()) {
      return OF_DEATHS.get(round % OF_DEATHS.size());
    }
    int number = random.nextInt(10);
    if (number == 0 && fault != Fault.IN_PROGRESS) { // which takes a key
      return Mix.KEYLESS;
    }
    return number == 1 && fault != Fault.STALLED_REQUEST ? Mix.SHORT : Mix.KEYED;
  }
}
