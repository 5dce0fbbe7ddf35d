package dev.steadfast.retry.torture;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Makes the operations and their faults from a seed. */
final class Workload {
  static final int CLIENTS = 4;
  private static final int PER_MINUTE = 720;
  private static final List<OperationKind> OF_DEATHS =
      List.of(OperationKind.KEYED, OperationKind.KEYLESS, OperationKind.SHORT);
  private static final long TOO_MUCH = 2_000_000;

  // Operations of a sequence are enlisted several at a time, so that they could overtake.
  private static final long BURST_MILLIS = 10_000;

  private final Random random;
  private final double minutes;
  private final Break broken;

  private Workload(long seed, double minutes, Break broken) {
    this.random = new Random(seed);
    this.minutes = minutes;
    this.broken = broken;
  }

  /** The operations in the order of their times. */
  static List<Op> of(long seed, double minutes, Break broken) {
    return new Workload(seed, minutes, broken).operations();
  }

  private List<Op> operations() {
    int count = (int) Math.round(PER_MINUTE * minutes);
    List<OperationKind> kinds = kinds(count);
    Fault[] faults = faults(kinds);
    List<Op> operations = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      operations.add(operation(i, kinds.get(i), faults[i]));
    }
    operations.sort(Comparator.comparingLong(Op::atMillis));
    return operations;
  }

  private Op operation(int i, OperationKind kind, Fault fault) {
    boolean declined = fault == null && random.nextInt(20) == 0;
    Op operation =
        new Op(
            "i%06d".formatted(i),
            random.nextInt(CLIENTS),
            Math.round(i * 60_000.0 / PER_MINUTE),
            kind,
            mode(random.nextInt(20), fault),
            declined ? TOO_MUCH : 1 + random.nextInt(100_000),
            new Op.Style(random.nextBoolean(), random.nextBoolean()),
            fault);
    return operation.sequence() == null
        ? operation
        : operation.at(operation.atMillis() / BURST_MILLIS * BURST_MILLIS);
  }

  private static Op.Mode mode(int number, Fault fault) {
    if (fault == Fault.CHANGED_REQUEST || number > 2) { // it meets callers who know the outcome
      return Op.Mode.CALL;
    }
    return number == 2 ? Op.Mode.ENLIST_AND_CALL : Op.Mode.ENLIST;
  }

  /** Exactly a tenth of the operations for each of the two rare kinds. */
  private List<OperationKind> kinds(int count) {
    List<OperationKind> kinds = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      kinds.add(
          i % 10 == 0
              ? OperationKind.KEYLESS
              : i % 10 == 1 ? OperationKind.SHORT : OperationKind.KEYED);
    }
    Collections.shuffle(kinds, random);
    return kinds;
  }

  /** Gives each operation at most one fault. */
  private Fault[] faults(List<OperationKind> kinds) {
    Map<OperationKind, Deque<Integer>> free = free(kinds);
    Fault[] faults = new Fault[kinds.size()];
    int most = Break.MORE * Fault.CHANGED_REQUEST.planned(minutes);
    for (int round = 0; round < most; round++) {
      for (Fault fault : Fault.all(Fault.Where.OPERATION)) {
        if (round < broken.planned(fault, minutes)) {
          Integer target = free.get(kind(fault, round)).poll();
          if (target != null) {
            faults[target] = fault;
          }
        }
      }
    }
    return faults;
  }

  private Map<OperationKind, Deque<Integer>> free(List<OperationKind> kinds) {
    Map<OperationKind, List<Integer>> byKind = new EnumMap<>(OperationKind.class);
    for (int i = 0; i < kinds.size(); i++) {
      byKind.computeIfAbsent(kinds.get(i), each -> new ArrayList<>()).add(i);
    }
    Map<OperationKind, Deque<Integer>> free = new EnumMap<>(OperationKind.class);
    for (OperationKind kind : OperationKind.values()) {
      List<Integer> indices = byKind.getOrDefault(kind, new ArrayList<>());
      Collections.shuffle(indices, random);
      free.put(kind, new ArrayDeque<>(indices));
    }
    return free;
  }

  /**
   * The kind of operation that gets a fault. The rare kinds get more than their share of client
   * deaths, because those test what the kinds promise. A request of the short kind is never
   * delivered late: no client can prevent its second effect once the server has forgotten the key.
   */
  private OperationKind kind(Fault fault, int round) {
    if (fault.killsClient()) {
      return OF_DEATHS.get(round % OF_DEATHS.size());
    }
    int number = random.nextInt(10);
    if (number == 0 && fault != Fault.IN_PROGRESS) { // a fault that needs a key
      return OperationKind.KEYLESS;
    }
    return number == 1 && fault != Fault.STALLED_REQUEST
        ? OperationKind.SHORT
        : OperationKind.KEYED;
  }
}
