package dev.steadfast.retry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * Keeps what happened to one operation and tells the listeners. Confined like the loop that it
 * belongs to. A clean first attempt that nobody listens to leaves nothing behind.
 */
final class OperationRecord {
  private static final int MOST_REPORTS = 100;

  private final OperationInfo info;
  private final Listeners listeners;

  private long startNanos;
  private long attemptStartNanos;
  private long waitBeforeNanos;
  private long waitedNanos;
  private int attempts;
  private boolean mayHaveActed;
  private boolean earlierMayHaveActed;
  private boolean replayed;
  private boolean clean;
  private Hint hint = Hint.none();
  private AttemptRefusedException.LastAnswer lastAnswer = AttemptRefusedException.LastAnswer.NONE;
  private @Nullable AttemptReport first; // most waits follow one attempt
  private List<AttemptReport> others = List.of();

  OperationRecord(OperationInfo info, Listeners listeners) {
    this.info = info;
    this.listeners = listeners;
  }

  OperationInfo info() {
    return info;
  }

  void started(long nowNanos) {
    startNanos = nowNanos;
    if (listeners.any()) {
      listeners.operationStarted(info);
    }
  }

  void attemptStarted(int number, Object request, long nowNanos) {
    attempts = number;
    attemptStartNanos = nowNanos;
    if (listeners.any()) {
      listeners.attemptStarted(info, number, request);
    }
  }

  /** Where the attempt that ended is worth a record. */
  void attemptEnded(
      Verdict verdict, Exchange.Facts facts, @Nullable Throwable failure, long nowNanos) {
    boolean observed = !(verdict instanceof Verdict.Accepted accepted) || accepted.observed();
    if (!observed) {
      attempts = 0; // answered by a cache: no attempt was made
    }
    earlierMayHaveActed = mayHaveActed;
    mayHaveActed |= observed && facts.sendState().mayHaveActed();
    replayed = facts.replayed();
    hint = hint(verdict);
    if (unremarkable(verdict)) {
      return;
    }
    AttemptReport report = report(verdict, facts, failure, nowNanos);
    keep(report);
    if (listeners.any()) {
      listeners.attemptEnded(info, report);
    }
  }

  private void keep(AttemptReport report) {
    if (first == null) {
      first = report;
      return;
    }
    if (others.isEmpty()) {
      others = new ArrayList<>();
    }
    others.add(report);
    if (others.size() == MOST_REPORTS) {
      first = others.remove(0);
    }
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

  void waiting(RetryDecision.Retry retry) {
    waitBeforeNanos = retry.delayNanos();
    waitedNanos = Durations.saturatedAdd(waitedNanos, retry.delayNanos());
    AttemptReport latest = others.isEmpty() ? first : others.get(others.size() - 1);
    if (latest != null) {
      Listeners.logRetry(info, latest, retry);
    }
    if (listeners.any()) {
      listeners.waiting(info, Duration.ofNanos(retry.delayNanos()), retry.why());
    }
  }

  RetryReport ended(StopReason reason, long nowNanos) {
    clean = reason == StopReason.ACCEPTED && attempts == 1 && !replayed;
    if (clean && !listeners.any()) {
      return RetryReport.clean();
    }
    RetryReport report =
        new RetryReport(
            reason,
            new RetryReport.Totals(attempts, nowNanos - startNanos, waitedNanos, hint),
            reports(),
            new RetryReport.Flags(mayHaveActed, earlierMayHaveActed, replayed),
            info);
    if (reason.gaveUp() && attempts > 1) {
      Listeners.logGivingUp(info, report);
    }
    if (listeners.any()) {
      listeners.ended(info, report);
    }
    return report;
  }

  /** Whether it was one attempt that was accepted: then no response need carry a report. */
  boolean clean() {
    return clean;
  }

  /** Keeps what a guard's refusal of the next attempt would tell of this answer. */
  void discarding(int status, Map<String, List<String>> headers) {
    OptionalInt answered = status < 0 ? OptionalInt.empty() : OptionalInt.of(status);
    lastAnswer = new AttemptRefusedException.LastAnswer(answered, headers, hint);
  }

  AttemptRefusedException.LastAnswer lastAnswer() {
    return lastAnswer;
  }

  long elapsedNanos(long nowNanos) {
    return nowNanos - attemptStartNanos;
  }

  private boolean unremarkable(Verdict verdict) {
    return attempts <= 1 && verdict instanceof Verdict.Accepted && !listeners.any() && !replayed;
  }

  private AttemptReport report(
      Verdict verdict, Exchange.Facts facts, @Nullable Throwable failure, long nowNanos) {
    return new AttemptReport(
        attempts,
        new AttemptReport.Timing(
            attemptStartNanos - startNanos, elapsedNanos(nowNanos), waitBeforeNanos),
        new AttemptReport.Result(
            facts.status(), failure, Permits.kind(verdict), facts.sendState(), facts.deliveries()));
  }

  private static Hint hint(Verdict verdict) {
    if (verdict instanceof Verdict.Retryable retryable) {
      return retryable.hint();
    }
    return verdict instanceof Verdict.Permanent permanent ? permanent.hint() : Hint.none();
  }
}
