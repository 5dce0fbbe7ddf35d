package dev.steadfast.retry.examples;

import dev.steadfast.retry.AttemptReport;
import dev.steadfast.retry.DelayReason;
import dev.steadfast.retry.FailureKind;
import dev.steadfast.retry.OperationInfo;
import dev.steadfast.retry.RetryListener;
import dev.steadfast.retry.RetryReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Writes down what happens to each operation: attempt, what happened, wait, why. */
final class Timeline implements RetryListener {
  private static final String ROW = "   %8s  %-7s  %-46s  %s%n";

  private final Map<String, List<Step>> stepsByName = new ConcurrentHashMap<>();

  /** An attempt and what follows from it. */
  private record Step(AttemptReport attempt, String then) {}

  @Override
  public void attemptEnded(OperationInfo operation, AttemptReport attempt) {
    steps(name(operation)).add(new Step(attempt, ""));
  }

  @Override
  public void waiting(OperationInfo operation, Duration delay, DelayReason why) {
    follow(operation, delay.isZero() ? "at once: " + why : "wait " + millis(delay) + ": " + why);
  }

  @Override
  public void ended(OperationInfo operation, RetryReport report) {
    follow(operation, report.replayed() ? report.reason() + ", a replay" : "" + report.reason());
  }

  // The events of one operation come one after the other, so its list needs no lock.
  private void follow(OperationInfo operation, String then) {
    List<Step> steps = steps(name(operation));
    if (!steps.isEmpty()) {
      int last = steps.size() - 1;
      steps.set(last, new Step(steps.get(last).attempt(), then));
    }
  }

  private List<Step> steps(String name) {
    return stepsByName.computeIfAbsent(name, unused -> new ArrayList<>());
  }

  private static String name(OperationInfo operation) {
    return operation.name().orElse(operation.label());
  }

  /** How many attempts an operation made. */
  int attempts(String name) {
    return steps(name).size();
  }

  void print(String name) {
    System.out.printf(ROW, "at", "attempt", "what happened", "then");
    for (Step step : steps(name)) {
      System.out.printf(
          ROW,
          millis(step.attempt().startedAfter()),
          "#" + step.attempt().number(),
          whatHappened(step.attempt()),
          step.then());
    }
  }

  private static String whatHappened(AttemptReport attempt) {
    if (attempt.failure().isEmpty()) {
      return attempt.outcome() + attempt.kind().map(kind -> " " + words(kind)).orElse("");
    }
    String fate = attempt.disposition().mayHaveActed() ? "fate unknown" : "not processed";
    return attempt.outcome() + ", " + attempt.kind().map(Timeline::words).orElse("") + ", " + fate;
  }

  private static String words(FailureKind kind) {
    return kind.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  private static String millis(Duration duration) {
    return duration.toMillis() + " ms";
  }
}
