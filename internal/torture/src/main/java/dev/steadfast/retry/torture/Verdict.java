package dev.steadfast.retry.torture;

import dev.steadfast.retry.RetryReport.Effect;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * The judgement of a run.
 *
 * @param faults how often each fault has happened
 * @param words the results of the operations
 * @param findings what is wrong with operations
 * @param surprises unplanned ends of processes
 */
record Verdict(
    Settings settings,
    Map<Fault, Integer> faults,
    Words words,
    List<Finding> findings,
    List<String> surprises) {
  private static final double MOST_UNKNOWN = 0.10; // of the operations with a key on the wire
  private static final int MOST_PRINTED = 50;

  /**
   * The results of the operations.
   *
   * @param counts how many have which result
   * @param keyed how many have a key on the wire
   * @param unknownKeyed how many of these are unknown
   * @param resumed how many were enlisted only, and claimed by whoever delivers
   */
  record Words(Map<Effect, Integer> counts, int keyed, int unknownKeyed, int resumed) {
    int of(Effect... those) {
      int sum = 0;
      for (Effect each : those) {
        sum += counts.getOrDefault(each, 0);
      }
      return sum;
    }

    private int all() {
      return counts.values().stream().mapToInt(Integer::intValue).sum();
    }
  }

  long count(Finding.Kind kind) {
    return findings.stream().filter(each -> each.kind() == kind).count();
  }

  /** Whether nothing was found and every fault happened often enough. */
  boolean holds() {
    return findings.isEmpty()
        && surprises.isEmpty()
        && rare().isEmpty()
        && !tooUnknown()
        && words.resumed > 0;
  }

  /**
   * Whether so many results are unknown that the run proves little. db-scheduler leaves it to the
   * callers to settle what they were told is unknown, for which a short key leaves little time.
   */
  private boolean tooUnknown() {
    return settings.engine() == Engine.JOURNAL && words.unknownKeyed > MOST_UNKNOWN * words.keyed;
  }

  private List<Fault> rare() {
    int least = Fault.least(settings.minutes());
    return List.of(Fault.values()).stream()
        .filter(each -> each.meets(settings.engine()) && faults.getOrDefault(each, 0) < least)
        .toList();
  }

  private int sum(Predicate<Fault> which) {
    return faults.entrySet().stream()
        .filter(each -> which.test(each.getKey()))
        .mapToInt(Map.Entry::getValue)
        .sum();
  }

  /** Prints the counts of the faults, the findings, and the line. */
  void print(PrintStream out) {
    for (Fault fault : Fault.values()) {
      out.printf("%-28s %5d%n", fault, faults.getOrDefault(fault, 0));
    }
    findings.stream().limit(MOST_PRINTED).forEach(out::println);
    surprises.forEach(each -> out.println("surprise: " + each));
    rare().forEach(each -> out.println("too rare: " + each));
    if (tooUnknown()) {
      out.println("too many unknown: more than 10 % of the " + words.keyed + " with a key");
    }
    if (words.resumed == 0) {
      out.println("nothing was resumed");
    }
    out.println(line());
  }

  /** The run in one line. */
  String line() {
    return "torture seed=%d operations=%d faults=%d client-kills=%d server-kills=%d freezes=%d"
            .formatted(
                settings.seed(),
                words.all(),
                sum(each -> true),
                sum(Fault::killsClient),
                sum(Fault::killsServer),
                sum(Fault::freezes))
        + " succeeded=%d failed=%d accepted=%d unknown=%d unknown-keyed=%d resumed=%d"
            .formatted(
                words.of(Effect.SUCCEEDED),
                words.of(Effect.FAILED, Effect.NEVER_SENT),
                words.of(Effect.ACCEPTED),
                words.of(Effect.UNKNOWN),
                words.unknownKeyed,
                words.resumed)
        + " duplicates=%d lost=%d wrong=%d"
            .formatted(
                count(Finding.Kind.DUPLICATE), count(Finding.Kind.LOST), count(Finding.Kind.WRONG));
  }
}
