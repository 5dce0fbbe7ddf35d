package dev.steadfast.retry;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What happened to one operation, for its report. Confined like the loop that it belongs to. A
 * clean first attempt that nobody listens to leaves nothing behind.
 */
final class OperationRecord {
  private static final int MOST_REPORTS = 100;

  private long startNanos;
  private long attemptStartNanos;
  private long waitBeforeNanos;
  private long waitedNanos;
  private int attempts;
  private boolean mayHaveActed;
  private boolean earlierMayHaveActed;
  private boolean ambiguous;
  private boolean failed; // the last attempt, with an exception
  private boolean replayed;
  private Hint hint = Hint.none();
  private @Nullable AttemptReport first; // most waits follow one attempt
  private List<AttemptReport> others = List.of();

  void begin(long nowNanos) {
    startNanos = nowNanos;
  }

  void attemptBegan(int number, long nowNanos) {
    attempts = number;
    attemptStartNanos = nowNanos;
  }

  long attemptNanos(long nowNanos) {
    return nowNanos - attemptStartNanos;
  }

  /** Notes how an attempt ended. */
  void attemptEnded(Outcome outcome, @Nullable Throwable failure) {
    Verdict verdict = outcome.verdict();
    Evidence evidence = outcome.evidence();
    boolean accepted = verdict instanceof Verdict.Accepted;
    boolean sent = evidence.disposition().mayHaveActed();
    boolean cached = verdict instanceof Verdict.Accepted answer && !answer.observed() && !sent;
    if (cached && attempts == 1) {
      attempts = 0; // no attempt was made
    }
    earlierMayHaveActed = mayHaveActed;
    mayHaveActed |= sent;
    ambiguous |= !accepted && evidence.ambiguous();
    failed = failure != null;
    replayed = evidence.replayed();
    hint = verdict.hint();
  }

  /** Makes the report of the attempt that ended, unless there is one. */
  AttemptReport keep(Outcome outcome, @Nullable Throwable failure, long nowNanos) {
    AttemptReport latest = latest();
    if (latest != null && latest.number() == attempts) {
      return latest;
    }
    AttemptReport.Timing timing =
        new AttemptReport.Timing(
            attemptStartNanos - startNanos, attemptNanos(nowNanos), waitBeforeNanos);
    AttemptReport.Result result =
        new AttemptReport.Result(failure, outcome.verdict().kind(), outcome.evidence());
    AttemptReport report = new AttemptReport(attempts, timing, result);
    add(report);
    return report;
  }

  private void add(AttemptReport report) {
    if (first == null) {
      first = report;
      return;
    }
    if (others.isEmpty()) {
      others = new ArrayList<>(2);
    }
    others.add(report);
    if (others.size() == MOST_REPORTS) {
      first = others.remove(0);
    }
  }

  void waiting(long nanos) {
    waitBeforeNanos = nanos;
    waitedNanos = Durations.saturatedAdd(waitedNanos, nanos);
  }

  @Nullable AttemptReport latest() {
    return others.isEmpty() ? first : others.get(others.size() - 1);
  }

  /** The delay that the last answer asked for. */
  Hint hint() {
    return hint;
  }

  /** Whether it was one attempt, which was accepted: then the response tells all. */
  boolean clean(StopReason reason) {
    return reason == StopReason.ACCEPTED && attempts == 1 && !failed && !replayed;
  }

  RetryReport report(StopReason reason, long nowNanos, OperationInfo info) {
    boolean unknown = ambiguous && reason != StopReason.ACCEPTED;
    return new RetryReport(
        reason,
        new RetryReport.Totals(attempts, nowNanos - startNanos, waitedNanos, hint),
        reports(),
        new RetryReport.Flags(mayHaveActed, earlierMayHaveActed, unknown, replayed),
        info);
  }

  private List<AttemptReport> reports() {
    if (first == null) {
      return List.of();
    }
    List<AttemptReport> all = new ArrayList<>(1 + others.size());
    all.add(first);
    all.addAll(others);
    return all;
  }
}
